// SPDX-License-Identifier: GPL-3.0-or-later
/// What a failed step says: of its medium, or of everything around it.
#pragma once

#include "host/result.hpp"

namespace mediarig::session {

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
