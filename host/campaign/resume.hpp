// SPDX-License-Identifier: GPL-3.0-or-later
/// Remaining work of an interrupted campaign, from its journal. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/plan/steps.hpp"
#include "host/store/record.hpp"

namespace mediarig::campaign {

using Journal = std::map<std::string, store::StepRecord>;

[[nodiscard]] bool is_done(const plan::Step& step, const Journal& journal);
[[nodiscard]] bool all_done(const std::vector<plan::Step>& steps, const Journal& journal);
/// True if a step moved its medium into a bin. The medium is then no longer available, even if steps remain.
[[nodiscard]] bool is_sorted(const std::vector<plan::Step>& steps, const Journal& journal);

/// Returns, for each step, whether it may be skipped because an earlier attempt did it and no remaining step needs its
/// effect again. A format is skipped if all its steps are done. A format with a remaining step is formatted and mounted
/// again, so that the remaining passes start from the state that they would have met; its finished passes are not
/// repeated. A medium with a remaining step is loaded, identified, claimed, released, judged and unloaded again. If
/// only unloading remains for a medium, it is only unloaded. A medium that a rig has sorted into a bin is skipped, even
/// if tests are missing.
[[nodiscard]] std::vector<bool> done_before(const std::vector<plan::Step>& steps, const Journal& journal);

/// True if a step failed for a reason outside the medium: another process holds the medium, the machine lacks a driver,
/// a permission, space or memory, a driver crashed, or the plan is wrong. After such a failure the medium gets no
/// verdict.
[[nodiscard]] constexpr bool is_host_fault(Errc code) {
    switch (code) {
        case Errc::no_medium:
        case Errc::io_failed:
        case Errc::bad_format:
        case Errc::timed_out:
            return false;
        case Errc::bad_request:
        case Errc::refused:
        case Errc::no_driver:
        case Errc::host_fault:
        case Errc::no_permission:
        case Errc::cancelled:
        case Errc::agent_lost:
        case Errc::store_failed:
        case Errc::rig_fault:
            break;
    }
    return true;
}

} // namespace mediarig::campaign
