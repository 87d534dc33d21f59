// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/media/claim/scenarios/cell_evidence.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "host/base/process/run_process.hpp"
#include "tests/media/claim/scenarios/kernel.hpp"
#include "tests/scratch.hpp"

namespace mediarig::claim_scenarios {
namespace {

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// Searches /proc/locks for a lock of kind "POSIX", "OFDLCK", "FLOCK" or "LEASE" with the inode.
bool is_locked(const std::string& kind, const std::string& path, pid_t process) {
    struct stat status {};
    if (::stat(("/proc/" + std::to_string(process) + "/root" + path).c_str(), &status) != 0) return false;
    const std::string inode = ":" + std::to_string(status.st_ino) + " ", locks = tests::text_of("/proc/locks");
    for (std::size_t at = 0, end = 0; (end = locks.find('\n', at)) != std::string::npos; at = end + 1) {
        const std::string line = locks.substr(at, end - at);
        if (contains(line, kind) && contains(line, inode)) return true;
    }
    return false;
}

} // namespace

std::string output_of(const std::string& program, const std::vector<std::string>& arguments) {
    const auto finished = process::run_process({.program = program, .arguments = arguments});
    return finished ? finished->out : std::string();
}

std::vector<std::string> not_listed(const std::vector<std::string>& loops) {
    std::vector<std::string> missing;
    if (loops.empty()) return missing;
    const std::string table = output_of("losetup", {"-l", "-n", "-O", "NAME"});
    for (const std::string& loop : loops)
        if (!contains("\n" + table, "\n" + loop + "\n")) missing.push_back("losetup does not list " + loop);
    return missing;
}

std::vector<std::string> evidence_against(const CellUse& use, pid_t process) {
    std::vector<std::string> missing;
    const auto expect = [&](bool seen, const std::string& what) {
        if (!seen) missing.push_back(what + " does not show the use");
    };
    const std::string number = std::to_string(process);
    const auto lsof = [&] { return output_of("lsof", {"-w", "-p", number, "-F", "n"}); };
    // For a symbolic link, the tables show its target.
    std::error_code elsewhere;
    const std::string real = use.elsewhere ? use.path : std::filesystem::weakly_canonical(use.path, elsewhere).string();
    const std::string name = "n" + real + "\n";

    switch (use.activity) {
        case Activity::open_for_reading:
        case Activity::open_for_writing:
        case Activity::held:
        case Activity::mapped:
        case Activity::guest:
            // A starting guest opens its disk more than once.
            for (int tries = 0; tries < 20 && !contains(lsof(), name); ++tries) ::usleep(50'000);
            expect(contains(lsof(), name), "lsof");
            break;
        case Activity::ofd_lock:
            expect(is_locked("OFDLCK", use.path, process), "/proc/locks");
            break;
        case Activity::posix_lock:
            expect(is_locked("POSIX", use.path, process), "/proc/locks");
            break;
        case Activity::flock:
            expect(is_locked("FLOCK", use.path, process), "/proc/locks");
            break;
        case Activity::lease:
            expect(is_locked("LEASE", use.path, process), "/proc/locks");
            break;
        case Activity::in_flight:
        case Activity::io_uring: // the missing evidence is the reason why the table declares these uses
            if (contains(lsof(), name)) missing.push_back("lsof shows a use that the table declares invisible");
            break;
        case Activity::mounted:
        case Activity::mounted_directly:
        case Activity::overlay_layer:
            expect(contains(output_of("findmnt", {"-n", "-l", "-N", number, "-o", "TARGET"}), use.place), "findmnt");
            break;
        case Activity::swap:
            // The table shows a path as seen in its own namespace.
            expect(contains(tests::text_of("/proc/swaps"), use.elsewhere ? "/bound" : real), "/proc/swaps");
            break;
        default:
            break;
    }
    return missing;
}

} // namespace mediarig::claim_scenarios
