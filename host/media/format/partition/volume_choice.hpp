// SPDX-License-Identifier: GPL-3.0-or-later
/// Which volume of a medium is meant: the whole medium, or one of its partitions. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

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
    std::uint32_t passed_over{}; ///< further volumes that could have been meant
    bool operator==(const FoundVolume&) const = default;
};

/// What is looked for. HFS+ and HFSX, with and without a journal, are one kind here, and so are the widths of FAT: one
/// driver mounts them all. An EFI system partition is never meant unless its number is given.
struct VolumeRequest {
    std::optional<FileSystem> fs;           ///< unset: the first one that has a driver on some machine
    std::optional<std::uint32_t> partition; ///< unset: the first one that fits
};

/// `name`: what error texts call the medium. Fails with bad_format, telling what is there instead.
[[nodiscard]] Result<FoundVolume> choose_volume(const InspectReport& report, const VolumeRequest& request,
                                                const std::string& name);

/// Whether one driver and one checker serve both: see VolumeRequest.
[[nodiscard]] bool of_one_kind(FileSystem one, FileSystem other);

} // namespace mediarig::media
