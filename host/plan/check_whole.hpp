// SPDX-License-Identifier: GPL-3.0-or-later
/// Checks a request for a suite before any medium is accessed.
#pragma once

#include <string_view>

#include "host/base/result.hpp"
#include "host/plan/plan.hpp"

namespace mediarig::plan {

/// Checks that the suite can run in the given place and accepts the given options. The size of the medium is checked
/// when it is present. Fails with bad_request; `raw`: the user's notation for the bare device, e.g. "--raw".
[[nodiscard]] Result<void> check_suite(const SuiteEntry& entry, std::string_view raw);

} // namespace mediarig::plan
