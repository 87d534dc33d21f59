// SPDX-License-Identifier: GPL-3.0-or-later
/// The layout of a medium as text. Pure.
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "host/media/history/earlier_use.hpp"
#include "host/media/identity/deviation.hpp"
#include "host/media/inspect/inspect_values.hpp"

namespace mediarig::cli {

/// Returns the partition table, the drawing, and all parameters of each volume with unit and offset. Names from the
/// specifications are omitted if they make lines longer than `columns`.
[[nodiscard]] std::string text_of(const media::InspectReport& report,
                                  std::size_t columns = std::numeric_limits<std::size_t>::max());
/// Returns one line: "In short: exFAT “CARD”, 265 MB free for files, in an MBR partition, formatted by exfatprogs".
/// Deviations above a note follow: "; volume 1: volume_dirty is yes", except those whose text is in the line already.
[[nodiscard]] std::string summary_of(const media::InspectReport& report,
                                     const std::vector<media::Deviation>& deviations = {});
/// Returns a bar of `columns` cells with one letter per region, then the regions with their letters in lines of
/// `width`.
[[nodiscard]] std::string drawing_of(const media::InspectReport& report, std::size_t columns,
                                     std::size_t width = std::numeric_limits<std::size_t>::max());
/// Returns the number of deviations, then one line per deviation. `expected`: the reference, such as "the layout of …".
[[nodiscard]] std::string text_of(const std::vector<media::Deviation>& deviations, std::string_view expected);
/// Returns "used or new: VERDICT", then one line per sign.
[[nodiscard]] std::string text_of(const media::EarlierUse& use);
/// Returns the bytes of a parameter with offsets: "00010040  00 00 20 00 …". Fails with bad_request if no parameter has
/// this name or if the parameter is computed; the detail lists the parameters that have bytes.
[[nodiscard]] Result<std::string> hex_of(const media::InspectReport& report, const std::string& name);

} // namespace mediarig::cli
