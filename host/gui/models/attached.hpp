// SPDX-License-Identifier: GPL-3.0-or-later
/// What is attached, as `mediarig devices --json` says it. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::gui {

struct Attached {
    media::Medium medium;
    std::string confirm;               ///< what is typed to erase it, see media/confirmation.hpp
    std::string title;                 ///< "“blue”, SanDisk Ultra, 63.9 GB"
    std::vector<std::string> refusals; ///< why it may not be tested, a line each; empty where it may
    std::vector<std::string> contents; ///< contents: "exfat “HOLIDAY”, 63.9 GB"; empty if unknown
};

/// Those that may be tested come first; loop devices and compressed memory without anything behind them are
/// left out. Fails with bad_format.
[[nodiscard]] Result<std::vector<Attached>> attached_from_json(std::string_view text);

/// Whether `typed` confirms that this medium is erased: the last characters of what `mediarig devices` says is to be
/// typed, at least four of them, or all of it.
[[nodiscard]] bool confirms(const Attached& attached, std::string_view typed);
/// How many characters a person is asked for.
[[nodiscard]] std::size_t characters_to_type(const Attached& attached);

} // namespace mediarig::gui
