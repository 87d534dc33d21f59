// SPDX-License-Identifier: GPL-3.0-or-later
/// What an interrupted campaign still has to do, from its journal. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/plan/steps.hpp"
#include "host/store/record.hpp"

namespace mediarig::session {

using Journal = std::map<std::string, store::StepRecord>;

[[nodiscard]] bool is_done(const plan::Step& step, const Journal& journal);
[[nodiscard]] bool all_done(const std::vector<plan::Step>& steps, const Journal& journal);
/// Whether one of them has put its medium into a bin. Whatever was not tested on it, it is not there any more.
[[nodiscard]] bool is_sorted(const std::vector<plan::Step>& steps, const Journal& journal);

/// For each step: may it be skipped, because an earlier attempt did it and nothing that remains needs it again?
/// A format whose every step is done is skipped as a whole. One with something left is formatted and mounted again, so
/// that the passes that remain start from the state that they would have met; its finished passes are not repeated.
/// A medium with something left is loaded, identified, claimed, released, judged and unloaded again. One that only was
/// not unloaded is unloaded; one that a rig has sorted into a bin is left alone, whatever could not be tested on it.
[[nodiscard]] std::vector<bool> done_before(const std::vector<plan::Step>& steps, const Journal& journal);

/// What a failed step says: of its medium, or of everything around it.

/// Whether a step failed for a reason that is not the medium's: the medium is held by somebody, the machine lacks a
/// driver, a right, room or memory, a driver died, the plan's words were wrong. Its medium gets no verdict from that.
[[nodiscard]] constexpr bool is_trouble_of_host(Errc code) {
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

} // namespace mediarig::session
