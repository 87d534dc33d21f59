// SPDX-License-Identifier: GPL-3.0-or-later
/// A look at a medium as people read it in a terminal. Pure.
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "host/media/identity/deviation.hpp"
#include "host/media/inspect/inspect_values.hpp"

namespace mediarig::cli {

/// Partition table, drawing, and each volume with every parameter, its unit and its place; without the names that the
/// parameters have in their specifications where they would make lines wider than `columns`.
[[nodiscard]] std::string text_of(const media::InspectReport& report,
                                  std::size_t columns = std::numeric_limits<std::size_t>::max());
/// One line: "In short: exFAT “CARD”, 265 MB free for files, in an MBR partition, formatted by exfatprogs".
[[nodiscard]] std::string summary_of(const media::InspectReport& report);
/// A bar of `columns` cells with one letter for each region, and the regions behind their letters in lines of `width`.
[[nodiscard]] std::string drawing_of(const media::InspectReport& report, std::size_t columns,
                                     std::size_t width = std::numeric_limits<std::size_t>::max());
/// How many there are, then a line each. `expected` says what they deviate from: "the layout of …".
[[nodiscard]] std::string text_of(const std::vector<media::Deviation>& deviations, std::string_view expected);
/// The bytes of a parameter with their offsets: "00010040  00 00 20 00 …". Fails with bad_request where no parameter
/// has that name, or it is computed; the detail names the parameters that have bytes.
[[nodiscard]] Result<std::string> hex_of(const media::InspectReport& report, const std::string& name);

} // namespace mediarig::cli
