// SPDX-License-Identifier: GPL-3.0-or-later
/// Identity and alignment of a medium as text and JSON. Pure.
#pragma once

#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "host/media/identity/indications.hpp"
#include "host/media/identity/medium.hpp"
#include "host/media/inspect/inspect_values.hpp"

namespace mediarig::cli {

struct IdentityTextOptions {
    std::size_t columns{std::numeric_limits<std::size_t>::max()}; ///< width of the terminal
    bool emulated{}; ///< medium of the virtual lab, with the identity of the emulator
};

/// Returns a table of all values with units and sources, then notes and signs of a fake. For an emulated medium the
/// text states that signs are not judged. `others`: media that are attached at the same time.
[[nodiscard]] std::string identity_text(const media::Medium& medium, std::span<const media::Medium> others,
                                        media::CalendarMonth now, const IdentityTextOptions& options = {});
/// Returns the file system on the whole device and each partition: "exFAT “HOLIDAY”, 63.9 GB". Empty if none is known.
[[nodiscard]] std::vector<std::string> contents_of(const media::Medium& medium);
/// Adds `identity_rows`, `notes` and `indications`.
void add_identity(nlohmann::json& object, const media::Medium& medium, std::span<const media::Medium> others,
                  media::CalendarMonth now);

/// Returns a table of the starts of volumes, FATs and heaps. It gives their alignment to 1, 4, 16, 32 and 64 MiB and to
/// the card's allocation unit if known. Empty without a volume.
[[nodiscard]] std::string alignment_text(const media::InspectReport& content, const media::Medium& medium,
                                         std::size_t columns = std::numeric_limits<std::size_t>::max());
/// Adds `alignment`: for each start the units that divide it, and `allocation_unit` if known.
void add_alignment(nlohmann::json& object, const media::InspectReport& content, const media::Medium& medium);

} // namespace mediarig::cli
