// SPDX-License-Identifier: GPL-3.0-or-later
/// What smartctl's answer means. Source: manual page of smartctl 7.3 (exit status, options) and the members of its JSON
/// output, format version 1.0. Only the JSON is read, never the text for people. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/media/identity/medium.hpp"

namespace mediarig::media {

/// Never fails: an answer that is no JSON, or says nothing, is a report in state `failed` that says so. Members of the
/// wrong type count as missing. Texts are made printable.
[[nodiscard]] SmartReport smart_report_from(std::string_view json, int exit_status);

/// One meaning for each bit of the exit status that is set, from the lowest.
[[nodiscard]] std::vector<std::string> smart_exit_meanings(int exit_status);

/// How to ask, in this order, until one answers: "auto" leaves it to smartctl. Pass-through commands for disks (`sat`)
/// go only to USB devices that do not call their medium removable: sticks and readers know none, and some hang on them.
/// A bridge's own commands for NVMe only where its USB id is of that maker. Empty where there is nothing to ask.
[[nodiscard]] std::vector<std::string> smart_device_types(const Medium& medium);

} // namespace mediarig::media
