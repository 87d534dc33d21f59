// SPDX-License-Identifier: GPL-3.0-or-later
/// Evidence of other programs and of the kernel's tables for the use of a cell, so that the test depends neither on its
/// own code nor on mediarig's.
#pragma once

#include <string>
#include <vector>

#include "tests/media/claim/scenarios/cell_user.hpp"

namespace mediarig::claim_scenarios {

/// Returns one line for each expected trace of the use that is missing; for undetectable uses, one line for each trace
/// that exists.
[[nodiscard]] std::vector<std::string> evidence_against(const CellUse& use, pid_t process);
/// Nodes of the loop devices that losetup does not list.
[[nodiscard]] std::vector<std::string> not_listed(const std::vector<std::string>& loops);

/// Output of a program; empty if it failed.
[[nodiscard]] std::string output_of(const std::string& program, const std::vector<std::string>& arguments);

} // namespace mediarig::claim_scenarios
