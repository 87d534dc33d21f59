// SPDX-License-Identifier: GPL-3.0-or-later
/// What tests of mounts share: an exFAT volume on a loop device, the FUSE driver alone, and patience.
#pragma once

#include <poll.h>

#include <filesystem>
#include <string>
#include <vector>

#include "host/media/format/medium_format.hpp"
#include "host/media/mount/linux/linux_mounter.hpp"
#include "host/media/partition/find_volume.hpp"
#include "tests/media/format_loop.hpp"

namespace mediarig::media {

using test::LoopMedium;

/// The FUSE driver also where the kernel has one: no list of file systems, no modprobe that would help.
inline MounterSetting fuse_only() {
    return {.kernel_file_systems = "/dev/null"};
}

/// A volume that has its medium to itself.
inline Result<std::unique_ptr<Mounted>> mount_whole(const std::unique_ptr<Mounter>& mounter, LoopMedium& medium,
                                                    FileSystem fs) {
    const ErasableMedium& claim = medium.claim();
    return mounter->mount(claim, fs, whole_of(claim));
}

/// Returns what the file system offers for files.
inline Bytes format_exfat(LoopMedium& medium, const std::string& label = "TEST") {
    const Formatters formatters = make_formatters();
    const auto report = format_medium(medium.claim(), medium.discovery(), formatters,
                                      {.fs = FileSystem::exfat, .cluster_size = {}, .label = label});
    REQUIRE(reason(report) == "success");
    return report->usable;
}

inline bool is_clean(LoopMedium& medium) {
    const Formatters formatters = make_formatters();
    const auto report =
        (*select_formatter(formatters, FileSystem::exfat))->check(whole(medium.claim()), FileSystem::exfat);
    REQUIRE(reason(report) == "success");
    return report->clean;
}

/// Polls for ten seconds at most.
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

} // namespace mediarig::media
