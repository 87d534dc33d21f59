// SPDX-License-Identifier: GPL-3.0-or-later
/// workload_driver [--terse] [--rest MS] JOB.json directory|device PATH [BACKING_DEVICE]
/// Runs a job and prints its results as one JSON object, which contains the error of a failed job. Exit status 0 if the
/// job succeeded. With --rest the medium rests for that time before each phase except the first.
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <thread>

#include "host/workload/io/linux/linux_system.hpp"
#include "host/workload/jobs/job.hpp"
#include "host/workload/json.hpp"
#include "tests/json.hpp"

using namespace mediarig;
using namespace mediarig::workload;

namespace {

class Printer final : public JobObserver {
public:
    void on_phase(const std::string& name) override {
        if (!phases.empty()) std::this_thread::sleep_for(rest);
        timespec now{};
        clock_gettime(CLOCK_MONOTONIC, &now);
        timespec cpu{};
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
        phases.push_back({{"name", name},
                          {"at_ns", now.tv_sec * 1'000'000'000LL + now.tv_nsec},
                          {"cpu_ns", cpu.tv_sec * 1'000'000'000LL + cpu.tv_nsec}});
    }
    void on_cell(const CellResult& result) override {
        nlohmann::json cell = terse ? nlohmann::json{{"operations", result.operations}} : to_json(result);
        cell["raw_log_size"] = result.raw_log.size();
        cells.push_back(std::move(cell));
    }
    void on_finding(const measure::Finding& finding) override { findings.push_back(to_json(finding)); }

    bool terse{};
    std::chrono::milliseconds rest{};
    nlohmann::json phases = nlohmann::json::array();
    nlohmann::json cells = nlohmann::json::array();
    nlohmann::json findings = nlohmann::json::array();
};

int refuse(const std::string& why) {
    std::cerr << "workload_driver: " << why << '\n';
    return 2;
}

} // namespace

int main(int argc, char** argv) {
    Printer printer;
    for (; argc > 1 && std::strncmp(argv[1], "--", 2) == 0; ++argv, --argc) {
        if (std::strcmp(argv[1], "--terse") == 0) {
            printer.terse = true;
        } else if (std::strcmp(argv[1], "--rest") == 0 && argc > 2) {
            printer.rest = std::chrono::milliseconds(std::strtoul(argv[2], nullptr, 10));
            ++argv;
            --argc;
        } else {
            return refuse(std::string("no option ") + argv[1]);
        }
    }
    if (argc < 4) return refuse("JOB.json directory|device PATH [BACKING_DEVICE]");
    std::ifstream file(argv[1]);
    const auto job = job_from_json(nlohmann::json::parse(file, nullptr, false));
    if (!job) return refuse(job.error().detail);

    JobTarget target;
    target.path = argv[3];
    if (argc > 4) {
        target.backing_device = argv[4];
        target.backing_fd = ::open(argv[4], O_RDONLY | O_CLOEXEC);
        if (target.backing_fd < 0) return refuse(target.backing_device + ": " + std::strerror(errno));
    }
    if (std::strcmp(argv[2], "device") == 0) {
        target.kind = JobTarget::Kind::device;
        target.device_fd = ::open(argv[3], O_RDWR | O_CLOEXEC);
        if (target.device_fd < 0) return refuse(target.path + ": " + std::strerror(errno));
    }

    JobControl control;
    const auto outcome = run_job(linux_system(), *job, target, {}, control, printer);
    nlohmann::json report{{"phases", printer.phases},
                          {"cells", printer.cells},
                          {"findings", printer.findings},
                          {"bytes_done", control.bytes_done.load()},
                          {"bytes_total", control.bytes_total.load()}};
    if (outcome && outcome->verify) report["verify"] = to_json(*outcome->verify);
    if (!outcome) report["error"] = {{"errc", name_of(outcome.error().code)}, {"detail", outcome.error().detail}};
    std::cout << report.dump() << '\n';
    if (target.device_fd >= 0) ::close(target.device_fd);
    return outcome ? 0 : 1;
}
