// SPDX-License-Identifier: GPL-3.0-or-later
/// Checks a whole plan, and a request for a suite, before any medium is accessed.
#pragma once

#include <string_view>

#include "host/base/json/reader.hpp"
#include "host/base/result.hpp"
#include "host/plan/plan.hpp"

namespace mediarig::plan {

/// Checks that the suite can run in the given place and accepts the given options. The size of the medium is checked
/// when it is present. Fails with bad_request; `raw`: the user's notation for the bare device, e.g. "--raw".
[[nodiscard]] Result<void> check_suite(const SuiteEntry& entry, std::string_view raw);

/// Checks the rules that involve several sections of a plan. Omits checks that would only repeat an earlier fault in
/// `formats` or `suites`. `suites_given`: the plan has a member "suites", possibly empty.
struct Soundness {
    bool media{true}, formats{true}, suites{true}, lab{true};
    bool suites_given{true};
    bool to_run{true};            ///< false: the plan is only displayed and needs no confirmation
    bool media_from_slots{false}; ///< `media` was expanded from `slots`: messages must not name "/media/3"
};
void check_whole(const Plan& plan, const Soundness& sound, strict_json::Faults& faults);

} // namespace mediarig::plan
