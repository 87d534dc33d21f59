// SPDX-License-Identifier: GPL-3.0-or-later
/// Steps as people read them. Pure. Keys of steps are for the journal, the store and programs.
#pragma once

#include <string>
#include <string_view>

#include "host/plan/steps.hpp"

namespace mediarig::plan {

/// "format exfat", "quickbench on exfat", "verify raw", "mount the present volume", "check apfs, repeat 2".
[[nodiscard]] std::string text_of(const Step& step);
/// The same from the key of a step or pass, as in a record. What is no key stays as it is.
[[nodiscard]] std::string text_of_key(std::string_view key);
/// "verify raw: no such medium"
[[nodiscard]] std::string untested_text(const measure::Untested& untested);

} // namespace mediarig::plan
