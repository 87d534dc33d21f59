// SPDX-License-Identifier: GPL-3.0-or-later
/// Selects a volume of a medium: the whole medium, or one of its partitions. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/units.hpp"
#include "host/base/result.hpp"
#include "host/media/format_options.hpp"
#include "host/media/identity/medium.hpp"
#include "host/media/inspect/inspect_values.hpp"

namespace mediarig::media {

struct FoundVolume {
    FileSystem fs{};
    VolumeSpan span;
    std::string label;
    std::uint32_t passed_over{}; ///< number of further matching volumes
    bool operator==(const FoundVolume&) const = default;
};

/// Search criteria. HFS+ and HFSX, with or without a journal, count as one kind here, and so do the widths of FAT: one
/// driver mounts all variants. An EFI system partition matches only if its number is given.
struct VolumeRequest {
    std::optional<FileSystem> fs;           ///< unset: the first file system that has a driver on some machine
    std::optional<std::uint32_t> partition; ///< unset: the first match
};

/// Advice for a medium without a volume that mediarig can mount.
[[nodiscard]] std::string_view next_step_without_volume(bool holds_data);

/// `name`: display name of the medium in error messages. Fails with bad_format and lists the existing volumes.
[[nodiscard]] Result<FoundVolume> choose_volume(const InspectReport& report, const VolumeRequest& request,
                                                const std::string& name);

/// True if one driver and one checker handle both file systems: see VolumeRequest.
[[nodiscard]] bool same_checker(FileSystem one, FileSystem other);

} // namespace mediarig::media
