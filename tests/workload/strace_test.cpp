// SPDX-License-Identifier: GPL-3.0-or-later
/// System calls of a job: the flags, offsets and sizes that the kernel receives.
#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <sstream>

#include "tests/catch.hpp"
#include "tests/workload/driven.hpp"

using namespace mediarig;
using namespace mediarig::tests;
using namespace mediarig::workload;

namespace {

struct Call {
    std::string name;
    std::uint64_t size{};
    std::uint64_t offset{};
    bool operator==(const Call&) const = default;
};

struct Trace {
    std::vector<Call> calls;        ///< calls on the test file: pread64, pwrite64, fdatasync
    std::vector<std::string> opens; ///< flags with which the test file was opened
    std::vector<std::string> rings; ///< calls of io_uring_register
    [[nodiscard]] std::vector<Call> named(const std::string& name) const {
        std::vector<Call> some;
        std::copy_if(calls.begin(), calls.end(), std::back_inserter(some),
                     [&](const Call& c) { return c.name == name; });
        return some;
    }
};

/// The last two arguments of "pwrite64(5</path>, ""..., 4096, 8192) = 4096".
std::optional<Call> transfer(const std::string& name, const std::string& line) {
    const auto end = line.rfind(") = ");
    if (end == std::string::npos || line[end + 4] == '-') return std::nullopt;
    const auto last = line.rfind(", ", end);
    const auto before = last == std::string::npos ? last : line.rfind(", ", last - 1);
    if (before == std::string::npos) return std::nullopt;
    return Call{name, std::strtoull(line.c_str() + before + 2, nullptr, 10),
                std::strtoull(line.c_str() + last + 2, nullptr, 10)};
}

/// The flags of "openat(AT_FDCWD</dir>, "/dir/span.bin", O_RDWR|O_CREAT, 0600) = 5</dir/span.bin>".
std::string flags_of(const std::string& line) {
    const std::string file = "span.bin\", ";
    const auto begin = line.find(file);
    if (begin == std::string::npos || line.find(") = -1") != std::string::npos) return {};
    const auto from = begin + file.size();
    return line.substr(from, line.find_first_of(",)", from) - from);
}

Trace parse(const std::string& file) {
    Trace trace;
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
        const auto calls = [&](const char* name) { return line.find(name) != std::string::npos; };
        if (calls("io_uring_register(")) trace.rings.push_back(line);
        if (!calls("span.bin")) continue;
        if (calls("fdatasync(") && calls(" = 0")) trace.calls.push_back({"fdatasync"});
        for (const char* name : {"pread64", "pwrite64"})
            if (calls((std::string(name) + "(").c_str()))
                if (const auto call = transfer(name, line)) trace.calls.push_back(*call);
        if (const std::string flags = calls("openat(") ? flags_of(line) : ""; !flags.empty())
            trace.opens.push_back(flags);
    }
    return trace;
}

constexpr Bytes span = 1_MiB;

Trace traced(const JobSpec& job, const Folder& folder, const std::string& also = "") {
    const std::string file = folder.path("trace");
    std::filesystem::create_directories(folder.path("medium"));
    const Driven driven =
        drive("strace -f -y -s 0 -e trace=openat,pread64,pwrite64,fdatasync,io_uring_register " + also + " -o " + file,
              job, folder, "directory", folder.path("medium"));
    CHECK(driven.status == 0);
    return parse(file);
}

bool can_trace(const Folder& folder) {
    return have("strace") && run("strace -o " + folder.path("probe") + " true 2>&1").status == 0;
}

bool has(const std::string& flags, const std::string& flag) {
    return ("|" + flags + "|").find("|" + flag + "|") != std::string::npos;
}

} // namespace

TEST_CASE("strace: sequential transfers access block after block of a file that was completely written before") {
    Folder folder;
    if (!can_trace(folder)) MEDIARIG_SKIP("strace is missing or may not trace");
    const Trace trace = traced(sweep_of({cell_of(Access::sequential_write, 64_KiB, span)}, span), folder);
    REQUIRE(trace.opens.size() == 1);
    CHECK(has(trace.opens[0], "O_DIRECT"));
    CHECK(has(trace.opens[0], "O_EXCL"));
    CHECK_FALSE(has(trace.opens[0], "O_DSYNC"));

    std::vector<Call> expected{{"pwrite64", span.count, 0}, {"fdatasync"}};
    for (std::uint64_t at = 0; at < span.count; at += (64_KiB).count)
        expected.push_back({"pwrite64", (64_KiB).count, at});
    expected.push_back({"fdatasync"});
    CHECK(trace.calls == expected);
}

TEST_CASE("strace: sync level each_io opens the file with O_DSYNC, and cache policy cached opens it without O_DIRECT") {
    Folder folder;
    if (!can_trace(folder)) MEDIARIG_SKIP("strace is missing or may not trace");
    JobSpec job = sweep_of({cell_of(Access::random_write, 4_KiB, 64_KiB)}, span);
    job.sync = SyncLevel::each_io;
    const Trace synced = traced(job, folder);
    REQUIRE(synced.opens.size() == 1);
    CHECK(has(synced.opens[0], "O_DSYNC"));
    CHECK(has(synced.opens[0], "O_DIRECT"));

    job.cache = CachePolicy::cached;
    job.sync = SyncLevel::none;
    const Trace cached = traced(job, folder);
    REQUIRE(cached.opens.size() == 1);
    CHECK_FALSE(has(cached.opens[0], "O_DIRECT"));
    CHECK_FALSE(has(cached.opens[0], "O_DSYNC"));
}

TEST_CASE("strace: random transfers access each block once, as those of fio do") {
    Folder folder;
    if (!can_trace(folder)) MEDIARIG_SKIP("strace is missing or may not trace");
    const Trace trace = traced(sweep_of({cell_of(Access::random_read, 4_KiB, span)}, span), folder);
    const auto reads = trace.named("pread64");
    REQUIRE(reads.size() == span / 4_KiB);
    std::multiset<std::uint64_t> ours;
    for (const Call& read : reads) {
        CHECK(read.size == 4096);
        ours.insert(read.offset);
    }
    CHECK(std::set<std::uint64_t>(ours.begin(), ours.end()).size() == span / 4_KiB);

    if (!have("fio")) MEDIARIG_SKIP("fio is missing: its offsets were not compared");
    make_file(folder.path("fio.bin"), span);
    REQUIRE(run("cd " + folder.path("") +
                " && fio --name=t --filename=fio.bin --rw=randread --bs=4096 --size=1m --direct=1" +
                " --ioengine=psync --write_iolog=" + folder.path("iolog") + " --output=" + folder.path("fio.txt") +
                " 2>&1")
                .status == 0);
    std::multiset<std::uint64_t> theirs;
    std::ifstream log(folder.path("iolog"));
    const std::string label = "fio.bin read ";
    for (std::string line; std::getline(log, line);) {
        const auto at = line.find(label);
        if (at == std::string::npos) continue;
        std::istringstream words(line.substr(at + label.size()));
        std::uint64_t offset = 0, length = 0;
        words >> offset >> length;
        CHECK(length == 4096);
        theirs.insert(offset);
    }
    CHECK(ours == theirs);
}

TEST_CASE("strace: io_uring uses a registered file and registered buffers") {
    Folder folder;
    if (!can_trace(folder)) MEDIARIG_SKIP("strace is missing or may not trace");
    JobSpec job = sweep_of({cell_of(Access::random_read, 4_KiB, span)}, span);
    job.engine = Engine::uring;
    job.as<SweepJob>()->cells[0].queue_depth = 8;
    const Trace trace = traced(job, folder);
    const auto registers = [&](const char* what) {
        return std::any_of(trace.rings.begin(), trace.rings.end(), [&](const std::string& line) {
            return line.find(what) != std::string::npos && line.find(") = 0") != std::string::npos;
        });
    };
    CHECK(registers("IORING_REGISTER_FILES"));
    CHECK(registers("IORING_REGISTER_BUFFERS"));
    CHECK(trace.named("pread64").empty());
}

TEST_CASE("strace: io_uring submits a full queue of immediate transfers in eight calls") {
    Folder folder;
    if (!can_trace(folder)) MEDIARIG_SKIP("strace is missing or may not trace");
    constexpr std::uint64_t transfers = 2048;
    JobSpec job = sweep_of({cell_of(Access::random_read, 4_KiB, 4_KiB * transfers)}, span);
    job.engine = Engine::uring;
    job.cache = CachePolicy::cached;
    job.as<SweepJob>()->cells[0].queue_depth = 32;
    const Trace trace = traced(job, folder, "-e trace=io_uring_enter");
    std::ifstream in(folder.path("trace"));
    std::uint64_t calls = 0;
    for (std::string line; std::getline(in, line);) calls += line.find("io_uring_enter(") != std::string::npos;
    CHECK(calls >= transfers / 32);
    CHECK(calls <= transfers / 4);
}

TEST_CASE("strace: a job ends and removes its folder if the device is removed during a cell") {
    Folder folder;
    if (!can_trace(folder)) MEDIARIG_SKIP("strace is missing or may not trace");
    std::filesystem::create_directories(folder.path("medium"));
    const JobSpec job = sweep_of(
        {cell_of(Access::sequential_write, 64_KiB, span), cell_of(Access::sequential_read, 64_KiB, span)}, span);
    // The test file's reads are the only ones of 64 KiB. Start-up reads of the C library are not pread64 on most
    // machines, so the error is injected late enough to occur within the cell.
    const Driven driven = drive("strace -f -o " + folder.path("trace") + " -e inject=pread64:error=ENODEV:when=12+",
                                job, folder, "directory", folder.path("medium"));
    CHECK(driven.status == 1);
    CHECK(driven.report["error"]["errc"] == "no_medium");
    CHECK(driven.report["cells"].size() == 1);
    CHECK(std::filesystem::is_empty(folder.path("medium")));
}
