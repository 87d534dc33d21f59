// SPDX-License-Identifier: GPL-3.0-or-later
/// What other programs and the kernel's own tables report about the use of a cell. The test does not take its own word
/// for it, nor mediarig's.
#pragma once

#include <string>
#include <vector>

#include "tests/claim/cell_stage.hpp"

namespace mediarig::claim_scenarios {

/// One line for each expected sign of the use that is missing; for the uses that nothing shows, each sign that exists.
[[nodiscard]] std::vector<std::string> evidence_against(const CellPlay& play, const CellStage& stage, pid_t process);

/// Output of a program; empty where it failed.
[[nodiscard]] std::string output_of(const std::string& program, const std::vector<std::string>& arguments);

} // namespace mediarig::claim_scenarios
