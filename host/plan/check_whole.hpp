// SPDX-License-Identifier: GPL-3.0-or-later
/// What is wrong with a request for a suite, before any medium is looked at.
#pragma once

#include <string_view>

#include "host/base/result.hpp"
#include "host/plan/plan.hpp"

namespace mediarig::plan {

/// Whether the suite can run where the entry says, and takes what is asked of it; whether the medium is large enough
/// shows when it is there. Fails with bad_request; `raw` is how the user asks for the bare device: "--raw".
[[nodiscard]] Result<void> check_suite(const SuiteEntry& entry, std::string_view raw);

} // namespace mediarig::plan
