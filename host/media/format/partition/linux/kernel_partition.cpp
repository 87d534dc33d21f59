// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/format/partition/linux/kernel_partition.hpp"

#include <fmt/format.h>

#include <charconv>

#include "host/media/claim/linux/kernel/sysfs.hpp"

namespace mediarig::media {
namespace {

constexpr Bytes sysfs_unit = 512_B;

Result<DeviceNumber> number_in(const std::string& path) {
    const std::string text = text_attribute(path);
    DeviceNumber number;
    const char* end = text.data() + text.size();
    const auto [colon, no_major] = std::from_chars(text.data(), end, number.major);
    if (no_major == std::errc() && colon != end && *colon == ':') {
        const auto [last, no_minor] = std::from_chars(colon + 1, end, number.minor);
        if (no_minor == std::errc() && last == end) return number;
    }
    return fail(Errc::io_failed, fmt::format("{} holds no device number: '{}'", path, text));
}

} // namespace

Result<std::optional<KernelPartition>> kernel_partition(const std::string& disk_folder, Bytes start, Bytes length) {
    const auto names = names_in(disk_folder);
    if (!names) return fail(names.error());
    if (!*names) return std::optional<KernelPartition>();
    for (const std::string& name : **names) {
        const std::string folder = fmt::format("{}/{}", disk_folder, name);
        if (!exists(folder + "/partition")) continue;
        const auto first = number_attribute(folder + "/start");
        if (!first) return fail(first.error());
        const auto size = number_attribute(folder + "/size");
        if (!size) return fail(size.error());
        // A partition that is being removed has lost its attributes.
        if (!*first || !*size || sysfs_unit * **first != start || sysfs_unit * **size != length) continue;
        const auto number = number_in(folder + "/dev");
        if (!number) return fail(number.error());
        return std::optional(KernelPartition{.name = name, .number = *number});
    }
    return std::optional<KernelPartition>();
}

} // namespace mediarig::media
