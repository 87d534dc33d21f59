// SPDX-License-Identifier: GPL-3.0-or-later
/// A medium that was pulled, or lost its contact, in the middle of a pass. Pure.
#pragma once

#include "host/measure/finding.hpp"

namespace mediarig::measure {

/// Whether such a finding says nothing of its own where its pass has lost the medium: kernels and bridges answer
/// transfers to what is gone with errors for a while before they say that it is gone.
[[nodiscard]] constexpr bool comes_with_a_loss(FindingKind kind) {
    return kind == FindingKind::io_error || kind == FindingKind::short_transfer || kind == FindingKind::check_failed;
}

} // namespace mediarig::measure
