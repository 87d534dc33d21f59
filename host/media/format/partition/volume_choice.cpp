// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/format/partition/volume_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

namespace mediarig::media {
namespace {

enum class Kind : std::uint8_t { exfat, apfs, hfs_plus, fat };

Kind kind_of(FileSystem fs) {
    switch (fs) {
        case FileSystem::exfat:
            return Kind::exfat;
        case FileSystem::apfs:
            return Kind::apfs;
        case FileSystem::hfs_plus_journaled:
        case FileSystem::hfs_plus:
        case FileSystem::hfsx_journaled:
            return Kind::hfs_plus;
        case FileSystem::fat32:
        case FileSystem::fat16:
        case FileSystem::fat12:
            break;
    }
    return Kind::fat;
}

/// UEFI specification, sections 5.2.2 and 5.3.3.
bool is_efi_system_partition(const InspectedVolume& volume) {
    const auto type = parameter(volume, "partition_type");
    return type == "c12a7328-f81f-11d2-ba4b-00a0c93ec93b" || type == "0xef";
}

std::uint32_t number_of(const InspectReport& report, std::size_t index) {
    if (report.scheme == "none") return 0;
    std::uint32_t number = 0;
    if (const auto said = parameter(report.volumes[index], "partition_number"))
        std::from_chars(said->data(), said->data() + said->size(), number);
    return number != 0 ? number : static_cast<std::uint32_t>(index + 1);
}

std::string what_is_there(const InspectReport& report) {
    if (report.scheme == "none") return report.volumes.empty() ? "nothing known" : report.volumes.front().file_system;
    std::string there;
    for (std::size_t i = 0; i < report.volumes.size(); ++i) {
        const InspectedVolume& volume = report.volumes[i];
        there += fmt::format("{}{}: {}{}", there.empty() ? "" : ", ", number_of(report, i),
                             volume.file_system.empty() ? "nothing known" : volume.file_system,
                             is_efi_system_partition(volume) ? " (EFI system partition)" : "");
    }
    return there.empty() ? "a table without partitions" : "partition " + there;
}

bool is_known(const InspectReport& report) {
    return std::ranges::any_of(report.volumes, [](const InspectedVolume& each) { return !each.file_system.empty(); });
}

Error nothing_fits(const InspectReport& report, const VolumeRequest& request, const std::string& name) {
    bool is_there = !request.partition;
    for (std::size_t i = 0; i < report.volumes.size(); ++i)
        is_there = is_there || number_of(report, i) == *request.partition;
    if (!is_there)
        return {Errc::bad_format, fmt::format("{} has no partition {} ({}): leave the number out, or name an existing "
                                              "partition",
                                              name, *request.partition, what_is_there(report))};
    const std::string wanted = request.fs ? std::string(title_of(*request.fs)) : "file system that mediarig can mount";
    return {Errc::bad_format, fmt::format("{} holds no {}{} ({}): {}", name, wanted,
                                          request.partition ? fmt::format(" in partition {}", *request.partition) : "",
                                          what_is_there(report), next_step_without_volume(is_known(report)))};
}

} // namespace

std::string_view next_step_without_volume(bool holds_data) {
    return holds_data ? "mount it and measure its folder, or erase it with mediarig format or --raw"
                      : "make one with mediarig format, or measure the bare device (--raw)";
}

Result<FoundVolume> choose_volume(const InspectReport& report, const VolumeRequest& request, const std::string& name) {
    std::optional<FoundVolume> chosen;
    for (std::size_t i = 0; i < report.volumes.size(); ++i) {
        const InspectedVolume& volume = report.volumes[i];
        const auto fs = file_system_of_volume(volume.file_system);
        if (!fs || (request.fs && !same_checker(*request.fs, *fs))) continue;
        const std::uint32_t number = number_of(report, i);
        if (request.partition ? *request.partition != number : is_efi_system_partition(volume)) continue;
        if (chosen) {
            ++chosen->passed_over;
            continue;
        }
        chosen = FoundVolume{.fs = *fs,
                             .span = {.start = volume.start, .length = volume.length, .partition = number},
                             .label = volume.label};
    }
    if (!chosen) return fail(nothing_fits(report, request, name));
    for (std::size_t i = 0; i < report.volumes.size(); ++i) {
        const InspectedVolume& other = report.volumes[i];
        const std::uint32_t number = number_of(report, i);
        if (number == chosen->span.partition || other.start >= chosen->span.start + chosen->span.length ||
            chosen->span.start >= other.start + other.length)
            continue;
        return fail(Errc::refused, fmt::format("partitions {} and {} of {} overlap: a write to one would change the "
                                               "other; correct the table, or format the whole medium",
                                               chosen->span.partition, number, name));
    }
    return *chosen;
}

bool same_checker(FileSystem one, FileSystem other) {
    return kind_of(one) == kind_of(other);
}

std::string name_of(const VolumeSpan& span) {
    return span.partition == 0 ? "the whole medium" : fmt::format("partition {}", span.partition);
}

} // namespace mediarig::media
