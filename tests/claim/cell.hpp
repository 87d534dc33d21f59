// SPDX-License-Identifier: GPL-3.0-or-later
/// Plays cells of the matrix: builds the object, starts the other program, lets mediarig claim, and compares the result
/// with the table and every byte of the object with its content before.
#pragma once

#include "tests/claim/scenario.hpp"

namespace mediarig::claim_scenarios {

/// Play `setting.cells[number]` of all_plays(), in this process, which is in a mount namespace of its own and ends
/// after it. wrong_writes: bytes changed although the claim was refused, or a claim was granted that the table refuses.
/// wrong_refusals: a claim was refused that the table declares or permits. disagreements: losetup, findmnt, lsof,
/// /proc/swaps or /proc/locks do not show the use. trouble: the cell could not be built; "SKIPPED: …" where a program
/// is missing.
[[nodiscard]] ScenarioResult play_cell(const BackingFolders& backing_folders, std::uint64_t number,
                                       const ScenarioSetting& setting);

/// Plays the cells whose name contains `wanted`, all for an empty one, and prints counts and failures. Whether each
/// played as the table specifies.
[[nodiscard]] bool play_matrix(const std::string& wanted, unsigned workers, const ScenarioSetting& setting);

} // namespace mediarig::claim_scenarios
