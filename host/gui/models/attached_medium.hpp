// SPDX-License-Identifier: GPL-3.0-or-later
/// Attached media, parsed from `mediarig devices --json`. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::gui {

struct AttachedMedium {
    media::Medium medium;
    std::string confirm; ///< text to type before erasing, see media/confirmation.hpp
    std::string title;   ///< "“blue”, SanDisk Ultra, 63.9 GB"
    std::vector<std::string>
        refusals; ///< reasons why the medium may not be tested, one per line; empty if it may be tested
    std::vector<std::string> contents; ///< contents: "exfat “HOLIDAY”, 63.9 GB"; empty if unknown
};

/// Testable media come first. Omits loop devices and compressed memory of size 0. Fails with bad_format.
[[nodiscard]] Result<std::vector<AttachedMedium>> attached_from_json(std::string_view text);

} // namespace mediarig::gui
