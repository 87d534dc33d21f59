// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include "host/media/linux/sysfs.hpp"
#include "host/media/linux/usage.hpp"

namespace mediarig::media {
namespace {

void read_mounts(KernelTables& tables, const std::string& path, const std::string& whose) {
    const auto text = read_file_if_there(path);
    if (!text || !*text) {
        // Another process's table may be closed to us; the exclusive open of a claim covers what it would have shown.
        if (whose.empty()) tables.doubts.push_back(text ? path + " is not there" : text.error().detail);
        return;
    }
    auto entries = parse_mountinfo(**text);
    if (!entries) {
        tables.doubts.push_back(path + ": " + entries.error().detail);
        return;
    }
    tables.mounts.push_back({whose, std::move(*entries)});
}

void read_swaps(KernelTables& tables) {
    const std::string path = "/proc/swaps";
    const auto text = read_file_if_there(path);
    if (!text) {
        tables.doubts.push_back(text.error().detail);
        return;
    }
    // A kernel without swap support has no such file.
    if (!*text) return;
    auto swaps = parse_swaps(**text);
    if (!swaps) {
        tables.doubts.push_back(path + ": " + swaps.error().detail);
        return;
    }
    tables.swaps = std::move(*swaps);
}

void read_btrfs(KernelTables& tables) {
    const std::string root = "/sys/fs/btrfs/";
    const auto volumes = names_in(root);
    if (!volumes) tables.doubts.push_back(volumes.error().detail);
    if (!volumes || !*volumes) return;
    for (const std::string& volume : **volumes) {
        const auto devices = names_in(fmt::format("{}{}/devices", root, volume));
        if (!devices) tables.doubts.push_back(devices.error().detail);
        if (devices && *devices) tables.btrfs.push_back(**devices);
    }
}

} // namespace

KernelTables read_kernel_tables() {
    KernelTables tables;
    read_mounts(tables, "/proc/self/mountinfo", "");
    read_mounts(tables, "/proc/1/mountinfo", " (in the mount namespace of process 1)");
    read_swaps(tables);
    read_btrfs(tables);
    return tables;
}

} // namespace mediarig::media
