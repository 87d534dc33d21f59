// SPDX-License-Identifier: GPL-3.0-or-later
/// Plays cells of the matrix: builds the object, starts the other program, makes mediarig claim, and compares the
/// result with the table, and every byte of the object with its previous content.
#pragma once

#include "tests/media/claim/scenarios/scenario.hpp"

namespace mediarig::claim_scenarios {

/// Plays `setting.cells[number]` of all_plays() in this process, which has its own mount namespace and ends afterwards.
/// wrong_writes: bytes changed although the claim was refused, or a claim was granted that the table refuses.
/// wrong_refusals: a claim was refused that the table declares or permits. disagreements: losetup, findmnt, lsof,
/// /proc/swaps or /proc/locks do not show the use. trouble: the cell could not be built; "SKIPPED: …" if a program is
/// missing.
[[nodiscard]] ScenarioResult play_cell(const BackingFolders& backing_folders, std::uint64_t number,
                                       const ScenarioSetting& setting);

/// Plays the cells whose name contains `wanted`, or all cells if it is empty, and prints counts and failures. Returns
/// true if the result of each cell is as the table specifies.
[[nodiscard]] bool play_matrix(const std::string& wanted, unsigned workers, const ScenarioSetting& setting);

} // namespace mediarig::claim_scenarios
