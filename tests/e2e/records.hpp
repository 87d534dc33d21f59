// SPDX-License-Identifier: GPL-3.0-or-later
/// Reads records of the program and compares two of them.
#pragma once

#include <chrono>
#include <cstddef>

#include "tests/e2e/program.hpp"
#include "tests/json.hpp"

namespace mediarig::e2e {

/// Output of `results --json` for the last campaign of r.db in this folder.
nlohmann::json results(const Folder& folder);

/// A plan that was run with a number of lanes.
struct Tested {
    ProgramOutput output;
    nlohmann::json devices; ///< devices of `results --json`, by name
    std::chrono::duration<double> wall{};
};

/// Runs the plan with a separate store in this folder. Paths are part of the record, so runs to be compared must use
/// the same folder.
Tested test_with_lanes(const Folder& folder, const nlohmann::json& plan, unsigned lanes);

/// Checks that both records have this many devices with this many passes each, that no pass is empty, and that the
/// records are equal except for values that differ between any two runs: times, rates, random values and kernel
/// numbers.
void check_same_records(const Tested& alone, const Tested& beside, std::size_t devices, std::size_t passes);

} // namespace mediarig::e2e
