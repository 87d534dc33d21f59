// SPDX-License-Identifier: GPL-3.0-or-later
/// Who a medium is, and where its parts lie, as people read it in a terminal and programs in JSON. Pure.
#pragma once

#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "host/media/identity/indications.hpp"
#include "host/media/identity/medium.hpp"
#include "host/media/inspect/inspect_values.hpp"

namespace mediarig::cli {

struct LookOptions {
    std::size_t columns{std::numeric_limits<std::size_t>::max()}; ///< of the terminal
    bool emulated{}; ///< a medium of the virtual lab: its identity is the emulator's
};

/// A table of every value with its unit and source; then the notes and the signs of a fake, where there are any;
/// of an emulated medium, that these are not judged.
/// `others` are attached at the same time.
[[nodiscard]] std::string identity_text(const media::Medium& medium, std::span<const media::Medium> others,
                                        media::CalendarMonth now, const LookOptions& options = {});
/// Adds `identity_rows`, `notes` and `indications`.
void add_identity(nlohmann::json& object, const media::Medium& medium, std::span<const media::Medium> others,
                  media::CalendarMonth now);

/// A table of where volumes, FATs and heaps begin, against 1, 4, 16, 32 and 64 MiB and the card's allocation unit where
/// it is known. Empty where there is no volume.
[[nodiscard]] std::string alignment_text(const media::InspectReport& content, const media::Medium& medium,
                                         std::size_t columns = std::numeric_limits<std::size_t>::max());
/// Adds `alignment`: for each place the units that it is a whole multiple of, and `allocation_unit` where it is known.
void add_alignment(nlohmann::json& object, const media::InspectReport& content, const media::Medium& medium);

} // namespace mediarig::cli
