// SPDX-License-Identifier: GPL-3.0-or-later
/// Identity of a medium in virtual time, for the guest's agent. Pure. Format:
/// host/media/claim/linux/emulated_identity.hpp.
#pragma once

#include <string>

#include "common/units.hpp"
#include "host/lab/card/config.hpp"
#include "host/media/identity/identity_values.hpp"
#include "host/media/slot_kind.hpp"

namespace mediarig::lab {

/// A card in an SD slot has registers; its CID contains a number derived from `serial`. Other media have a serial and
/// no transport.
[[nodiscard]] std::string identity_text(SlotKind kind, const std::string& serial, Bytes size,
                                        const media::ModelFigures& figures);

/// Figures of the largest requests, at the start of the medium, without its pauses and defects.
[[nodiscard]] media::ModelFigures model_figures(const CardConfig& config);

} // namespace mediarig::lab
