// SPDX-License-Identifier: GPL-3.0-or-later
/// Common parts of mount tests: an exFAT volume on a loop device, the FUSE driver alone, and polling.
#pragma once

#include <poll.h>
#include <sys/types.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "host/media/format/linux/medium_format.hpp"
#include "host/media/format/partition/linux/find_volume.hpp"
#include "host/media/mount/linux/linux_mounter.hpp"
#include "tests/media/format/format_loop.hpp"
#include "tests/scratch.hpp"

namespace mediarig::media {

using test::LoopMedium;

/// Selects the FUSE driver even if the kernel has a driver, by hiding the list of file systems.
inline MounterSetting fuse_only() {
    return {.kernel_file_systems = "/dev/null"};
}

/// A volume on a whole medium.
inline Result<std::unique_ptr<VolumeMount>> mount_whole(const std::unique_ptr<Mounter>& mounter, LoopMedium& medium,
                                                        FileSystem fs) {
    ErasableMedium& claim = medium.claim();
    return mounter->mount(claim, fs, whole_of(claim));
}

/// Formats the medium. Returns the space for files.
inline Bytes format_exfat(LoopMedium& medium, const std::string& label = "TEST") {
    const Formatters formatters = make_formatters();
    const auto report = format_medium(medium.claim(), medium.discovery(), formatters,
                                      {.fs = FileSystem::exfat, .cluster_size = {}, .label = label});
    REQUIRE(reason(report) == "success");
    return report->usable;
}

struct ExfatMedium : LoopMedium {
    explicit ExfatMedium(Bytes size = 64_MiB) : LoopMedium(size), usable(format_exfat(*this)) {}
    const Bytes usable; ///< space for files
};

/// Mounts its volume through FUSE.
struct MountedExfat : ExfatMedium {
    explicit MountedExfat(const MounterSetting& setting = fuse_only())
        : mounted(mount_whole(make_linux_mounter(setting), *this, FileSystem::exfat)) {
        REQUIRE(reason(mounted) == "success");
        mount_point = (*mounted)->report().mount_point;
    }
    Result<std::unique_ptr<VolumeMount>> mounted; ///< destroyed before the medium
    std::string mount_point;
};

inline bool is_clean(LoopMedium& medium) {
    const Formatters formatters = make_formatters();
    const ErasableMedium& claim = medium.claim();
    auto view = open_view(claim, {}, claim.medium().size);
    REQUIRE(reason(view) == "success");
    const auto report =
        (*select_formatter(formatters, FileSystem::exfat))->check(format_target(claim, *view), FileSystem::exfat);
    REQUIRE(reason(report) == "success");
    return report->clean;
}

/// Polls for at most ten seconds.
template <class Condition>
bool soon(const Condition& holds) {
    for (int tries = 0; tries < 1000; ++tries) {
        if (holds()) return true;
        ::poll(nullptr, 0, 10);
    }
    return holds();
}

inline std::vector<std::string> run_folders(const std::string& owner = {}) {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator("/run"))
        if (entry.path().filename().string().starts_with("mediarig-" + owner)) found.push_back(entry.path());
    return found;
}

inline bool is_mounted(const std::string& mount_point) {
    std::ifstream table("/proc/self/mountinfo");
    for (std::string line; std::getline(table, line);)
        if (line.find(" " + mount_point + " ") != std::string::npos) return true;
    return false;
}

/// Process id of the FUSE driver for a mount point, or 0.
inline pid_t driver_of(const std::string& mount_point) {
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        const std::string line = tests::text_of(entry.path() / "cmdline");
        if (line.starts_with("mount.exfat-fuse") && line.find(mount_point) != std::string::npos)
            return static_cast<pid_t>(std::stol(entry.path().filename().string()));
    }
    return 0;
}

/// Number of ended child processes that this process has not reaped.
inline std::vector<std::string> zombies() {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        std::ifstream file(entry.path() / "stat");
        std::string line;
        std::getline(file, line); // "812 (mount.exfat-fuse) Z 700 ..."
        const auto name_end = line.rfind(')');
        if (name_end != std::string::npos && line.compare(name_end, 4, ") Z ") == 0 &&
            std::stol(line.substr(name_end + 4)) == ::getpid())
            found.push_back(line.substr(0, name_end + 1));
    }
    return found;
}

} // namespace mediarig::media

#define NEEDS_EXFAT_FUSE()                                                               \
    if (!may_make_loops()) MEDIARIG_SKIP("needs root");                                  \
    if (!is_installed("mkfs.exfat")) MEDIARIG_SKIP("exfatprogs is not installed");       \
    if (!is_installed("mount.exfat-fuse")) MEDIARIG_SKIP("exfat-fuse is not installed"); \
    if (::access("/dev/fuse", R_OK | W_OK) != 0) MEDIARIG_SKIP("this machine has no FUSE")
