// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>

#include "host/media/claim/linux/kernel/sysfs.hpp"
#include "host/media/claim/linux/kernel/usage.hpp"

namespace mediarig::media {
namespace {

constexpr std::string_view of_process_1 = " (in the mount namespace of process 1)";

void read_mounts(KernelTables& tables, const std::string& path, std::string whose) {
    const auto text = read_file_if_there(path);
    if (!text || !*text) {
        // The mount table of another process may be unreadable; the exclusive open of a claim detects the mounts that
        // it would have listed.
        if (whose.empty()) tables.doubts.push_back(text ? path + " is missing" : text.error().detail);
        return;
    }
    auto entries = parse_mountinfo(**text);
    if (!entries) {
        tables.doubts.push_back(path + ": " + entries.error().detail);
        return;
    }
    const bool of_system = whose.empty() || whose == of_process_1;
    tables.mounts.push_back({std::move(whose), of_system, std::move(*entries)});
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

std::vector<std::string> processes_in_other_namespaces() {
    std::vector<std::string> found;
    const auto processes = names_in("/proc");
    if (!processes || !*processes) return found;
    std::vector<std::string> seen{link_name("/proc/self/ns/mnt"), link_name("/proc/1/ns/mnt")};
    for (const std::string& process : **processes) {
        if (process.find_first_not_of("0123456789") != std::string::npos) continue;
        const std::string space = link_name("/proc/" + process + "/ns/mnt");
        if (space.empty() || std::find(seen.begin(), seen.end(), space) != seen.end()) continue;
        seen.push_back(space);
        found.push_back(process);
    }
    return found;
}

KernelTables read_kernel_tables(const std::vector<std::string>& processes) {
    KernelTables tables;
    read_mounts(tables, "/proc/self/mountinfo", "");
    read_mounts(tables, "/proc/1/mountinfo", std::string(of_process_1));
    for (const std::string& process : processes)
        read_mounts(tables, "/proc/" + process + "/mountinfo",
                    fmt::format(" (in the mount namespace of process {})", process));
    read_swaps(tables);
    read_btrfs(tables);
    return tables;
}

} // namespace mediarig::media
