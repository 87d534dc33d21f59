// SPDX-License-Identifier: GPL-3.0-or-later
/// Builds the plan of `compare`: which of several formats is fastest on one medium.
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
    Target target;                       ///< confirmed; not a directory
    std::vector<std::string> formats;    ///< file systems, each compared with every other; alternative to a baseline
    std::string fs, profile;             ///< baseline; exFAT on the whole medium if both are empty
    std::vector<std::string> deviations; ///< from the baseline, as in a plan or as JSON; alternative to `self_test`
    bool self_test{};                    ///< compare the baseline with itself
    std::string blocks;                  ///< a number, or "endless"; empty: the default of a plan
    std::optional<std::chrono::minutes> time;
    bool no_discard{};
    std::optional<std::uint32_t> rest_s, longest_rest_s;
    std::string fill; ///< a size, or "0"; empty: the default of a plan
    std::optional<double> margin_percent;
    std::vector<std::string> headlines;
    std::uint64_t seed{1}; ///< seed of the orders
    bool quick{};
    bool may_lack_confirmation{}; ///< the plan is only displayed, or the caller adds its confirmation
};

/// Fails with bad_request, naming the invalid option. Fails with refused if an image is confirmed by anything except
/// its path.
[[nodiscard]] Result<plan::Plan> compare_plan(const CompareRequest& request);

/// A plan with one suite on one target: the plan of `bench`, `verify` and `check`.
struct SingleRequest {
    std::string target;  ///< block device, image file or directory
    bool elsewhere{};    ///< the target is a block device of the agent's machine: this process does not search for it
    std::string confirm; ///< required if the suite works on the bare device
    bool may_lack_confirmation{};           ///< as in CompareRequest
    bool contents_unknown{};                ///< see plan::MediumRef; only if the suite works on the bare device
    bool use_unknown{};                     ///< see plan::MediumRef
    bool keeps_data{};                      ///< the suite restores the contents; only for messages
    std::optional<std::uint32_t> partition; ///< number of the partition with the file system; unset: the first one
    std::string name;                       ///< of the campaign; empty: the name of the suite
    std::uint32_t repeats{1};               ///< 1 to plan::most_repeats
    plan::SuiteEntry suite;
    std::vector<plan::SuiteEntry>
        before; ///< suites to run first, in this order; on the bare device if `suite` runs there
};

/// A device or image with a file system is mounted and measured unchanged; nothing is formatted. Fails with
/// bad_request: no such target, raw on a directory, raw without confirmation, a suite that cannot run there or does not
/// accept the options.
[[nodiscard]] Result<plan::Plan> single_plan(const SingleRequest& request);

} // namespace mediarig::app
