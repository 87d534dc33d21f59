// SPDX-License-Identifier: GPL-3.0-or-later
/// Moves N blocks with one engine and complete recording, and prints the cost. One JSON object on standard output.
///   bench_engine --path PATH --engine psync|uring --access NAME --block BYTES --operations N --span BYTES
///                [--depth N] [--payload zeros|incompressible] [--cache direct|cached] [--raw-log on|off]
#include <fcntl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "host/workload/io/cell_run.hpp"
#include "host/workload/io/linux/linux_system.hpp"
#include "host/workload/io/linux/medium_file.hpp"
#include "host/workload/outcome.hpp"

using namespace mediarig;
using namespace mediarig::workload;

namespace {

std::int64_t nanoseconds(const timeval& time) {
    return (time.tv_sec * 1'000'000LL + time.tv_usec) * 1000;
}

std::int64_t monotonic_ns() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

int refuse(const std::string& why) {
    std::fprintf(stderr, "bench_engine: %s\n", why.c_str());
    return 2;
}

} // namespace

int main(int argc, char** argv) {
    std::map<std::string, std::string> options{
        {"--depth", "1"}, {"--payload", "zeros"}, {"--cache", "direct"}, {"--raw-log", "on"}, {"--engine", "psync"}};
    for (int i = 1; i + 1 < argc; i += 2) options[argv[i]] = argv[i + 1];
    const auto number = [&](const char* name) { return std::strtoull(options[name].c_str(), nullptr, 10); };
    const auto access = from_name<Access>(options["--access"]);
    const auto engine_kind = from_name<Engine>(options["--engine"]);
    const auto payload_kind = from_name<PayloadKind>(options["--payload"]);
    const auto cache = from_name<CachePolicy>(options["--cache"]);
    if (!access || !engine_kind || !payload_kind || !cache) return refuse("an option has no such value");

    const int named = ::open(options["--path"].c_str(), O_RDWR | O_CLOEXEC);
    if (named < 0) return refuse(options["--path"] + ": " + std::strerror(errno));
    auto file = LinuxMediumFile::reopen(named, *cache, SyncLevel::none);
    ::close(named);
    if (!file) return refuse(file.error().detail);
    if (const auto usable = linux_system().check_engine(*engine_kind); !usable) return refuse(usable.error().detail);

    CellSpec cell;
    cell.access = *access;
    cell.block = {number("--block")};
    cell.queue_depth = static_cast<std::uint32_t>(number("--depth"));
    const std::uint64_t operations = number("--operations");
    if (cell.block.count == 0 || number("--span") < cell.block.count) return refuse("the span must hold a block");
    OffsetStream offsets(cell.access, cell.block, {number("--span")}, 1);
    const PayloadSource payload({.kind = *payload_kind, .seed = 1, .given = {}}, 1);
    Recorder recorder(linux_system().clock(), cell.block,
                      options["--raw-log"] == "on" ? Recorder::RawLog::on : Recorder::RawLog::off, operations);
    IoErrors errors(OnIoError::stop, LossTest([] { return false; }));
    JobControl control;

    rusage before{}, after{};
    ::getrusage(RUSAGE_SELF, &before);
    const std::int64_t begin = monotonic_ns();
    const auto end = linux_system().run_cell(*engine_kind, {.cell = cell,
                                                            .fd = file->fd(),
                                                            .operations = operations,
                                                            .offsets = offsets,
                                                            .payload = payload,
                                                            .recorder = recorder,
                                                            .errors = errors,
                                                            .control = control});
    const std::int64_t wall = monotonic_ns() - begin;
    ::getrusage(RUSAGE_SELF, &after);
    if (!end) return refuse(end.error().detail);

    CellResult result;
    std::move(recorder).deliver(result);
    const auto p99 = result.latency.quantile(0.99);
    const nlohmann::json report{
        {"operations", result.operations},
        {"bytes", result.moved.count},
        {"errors", errors.count()},
        {"elapsed_ns", result.elapsed.count()},
        {"prepare_ns", result.prepare_time.count()},
        {"wall_ns", wall},
        {"begin_monotonic_ns", begin},
        {"user_ns", nanoseconds(after.ru_utime) - nanoseconds(before.ru_utime)},
        {"system_ns", nanoseconds(after.ru_stime) - nanoseconds(before.ru_stime)},
        {"voluntary_switches", after.ru_nvcsw - before.ru_nvcsw},
        {"worker_switches", end->worker_switches},
        {"p99_ns", p99 ? p99->count() : 0},
        {"raw_log", result.raw_log.size()},
        {"seconds", result.series.size()},
    };
    std::puts(report.dump().c_str());
    return 0;
}
