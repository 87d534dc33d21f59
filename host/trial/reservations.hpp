// SPDX-License-Identifier: GPL-3.0-or-later
/// What keeps a comparison's figures from being its formats' own: drivers with limits, caches that answered, a
/// processor that was too slow. It stands in the answer itself. Inner part of host/trial. Pure.
#pragma once

#include <string>
#include <vector>

#include "host/trial/trial.hpp"

namespace mediarig::trial {

/// Fills in FormatPass::limited_driver and what follows it, from the passes of one format in one block.
void take_reservations(FormatPass& pass, const std::vector<const store::PassView*>& from);

/// "; with reservations: HFS+ through the driver hfsplus (journal not used), exFAT answered by a cache of this host in
/// 3 of 12 passes": of one operation of these formats. Empty where there is none.
[[nodiscard]] std::string reservations_of(const Course& course, const std::vector<std::size_t>& formats,
                                          workload::Access operation, const std::vector<std::string>& titles);

} // namespace mediarig::trial
