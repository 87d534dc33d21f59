// SPDX-License-Identifier: GPL-3.0-or-later
/// What the program recorded, and what two records have in common.
#pragma once

#include <chrono>
#include <cstddef>

#include "tests/e2e/program.hpp"
#include "tests/json.hpp"

namespace mediarig::e2e {

/// What `results --json` says of the last campaign of r.db in this folder.
nlohmann::json results(const Folder& folder);

/// A plan that was run with so many lanes.
struct Tested {
    Said said;
    nlohmann::json devices; ///< of `results --json`, by name
    std::chrono::duration<double> wall{};
};

/// Runs the plan with a store of its own in this folder. Paths are part of the record: runs to be compared share the
/// folder.
Tested test_with_lanes(const Folder& folder, const nlohmann::json& plan, unsigned lanes);

/// Both have this many devices with this many passes each, none of them empty, and the same records but for what no two
/// runs have in common: times, rates, what was drawn, what the kernel numbered or counted.
void check_same_records(const Tested& alone, const Tested& beside, std::size_t devices, std::size_t passes);

} // namespace mediarig::e2e
