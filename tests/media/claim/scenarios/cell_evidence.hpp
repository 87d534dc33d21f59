// SPDX-License-Identifier: GPL-3.0-or-later
/// What other programs and the kernel's own tables report about the use of a cell. The test does not take its own word
/// for it, nor mediarig's.
#pragma once

#include <string>
#include <vector>

#include "tests/media/claim/scenarios/cell_user.hpp"

namespace mediarig::claim_scenarios {

/// One line for each expected sign of the use that is missing; for the uses that nothing shows, each sign that exists.
[[nodiscard]] std::vector<std::string> evidence_against(const CellUse& use, pid_t process);
/// The loop devices, by node, that losetup does not list.
[[nodiscard]] std::vector<std::string> not_listed(const std::vector<std::string>& loops);

/// Output of a program; empty where it failed.
[[nodiscard]] std::string output_of(const std::string& program, const std::vector<std::string>& arguments);

} // namespace mediarig::claim_scenarios
