// SPDX-License-Identifier: GPL-3.0-or-later
/// Parser of smartctl's output. Source: manual page of smartctl 7.3 (exit status, options) and the members of its JSON
/// output, format version 1.0. Reads only the JSON, not the human-readable text. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/media/identity/medium.hpp"

namespace mediarig::media {

/// Never fails: output that is not JSON or has no data gives a report in state `failed` with the reason. Members of the
/// wrong type count as missing. All text is made printable.
[[nodiscard]] SmartReport smart_report_from(std::string_view json, int exit_status);

/// One text for each set bit of the exit status, from the lowest.
[[nodiscard]] std::vector<std::string> smart_exit_meanings(int exit_status);

/// Device types for smartctl, in the order to try: "auto" lets smartctl choose. Pass-through commands for disks (`sat`)
/// are used only for USB devices that do not report a removable medium: sticks and readers do not support them, and
/// some devices hang. The NVMe commands of a bridge maker are used only for that maker's USB ids. Empty if no query
/// makes sense.
[[nodiscard]] std::vector<std::string> smart_device_types(const Medium& medium);

} // namespace mediarig::media
