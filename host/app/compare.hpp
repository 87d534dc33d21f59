// SPDX-License-Identifier: GPL-3.0-or-later
/// Which of several formats is faster on one medium, as a plan: what `compare` runs.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/app/target.hpp"
#include "host/base/result.hpp"
#include "host/plan/plan.hpp"

namespace mediarig::app {

struct CompareRequest {
    Target target;                       ///< no directory; confirmed
    std::vector<std::string> formats;    ///< file systems, each against each other one; or:
    std::string fs, profile;             ///< of a baseline; exFAT on the whole medium where both are empty
    std::vector<std::string> deviations; ///< from it, as in a plan, or a JSON object; or:
    bool self_test{};                    ///< the baseline against itself
    std::string blocks;                  ///< a number, or "endless"; empty: the default of a plan
    std::optional<std::chrono::minutes> time;
    bool no_discard{};
    std::optional<std::uint32_t> rest_s, longest_rest_s;
    std::string fill; ///< a size, or "0"; empty: the default of a plan
    std::optional<double> margin_percent;
    std::vector<std::string> headlines;
    std::uint64_t seed{1}; ///< of the orders
    bool quick{};
    bool only_to_look{}; ///< nothing will be run: no confirmation is needed
};

/// Fails with bad_request; the detail names the option that is at fault. Fails with refused where an image is confirmed
/// by something else than its path.
[[nodiscard]] Result<plan::Plan> compare_plan(const CompareRequest& request);

/// One suite on one target, as a campaign of its own: what `bench` and `verify` run.
struct SingleRequest {
    std::string target;      ///< block device, image file or directory
    bool elsewhere{};        ///< a block device of the machine that the agent is on: it is not looked for here
    std::string confirm;     ///< needed where the suite works on the bare device
    bool contents_unknown{}; ///< see plan::MediumRef; only where the suite works on the bare device
    std::optional<std::uint32_t> partition; ///< which one of the target's holds the file system; unset: the first
    plan::SuiteEntry suite;
    std::vector<plan::SuiteEntry> before; ///< run first, in this order; on the bare device where `suite` is
};

/// A device or image that holds a file system is mounted and measured as it is; nothing is formatted.
/// Fails with bad_request: no such target, raw on a directory, raw without a confirmation, a suite that cannot run
/// there or takes no such options.
[[nodiscard]] Result<plan::Plan> single_plan(const SingleRequest& request);

} // namespace mediarig::app
