// SPDX-License-Identifier: GPL-3.0-or-later
/// Options of requests for suites that are not sweeps.
#pragma once

#include <initializer_list>

#include "host/workload/suites/suite.hpp"

namespace mediarig::suites {

/// Members of SuiteRequest that change the work.
enum class Option : std::uint8_t { tables, accesses, blocks, span, volume, time_limit };

/// Fails with bad_request and names the first member that is set and not in `taken`. Also refuses a queue depth and any
/// engine except psync.
[[nodiscard]] Result<void> check_options_used(const Suite& suite, const SuiteRequest& request,
                                              std::initializer_list<Option> taken);
/// Returns the requested tables, or the default tables, in the order of the suite. Fails with bad_request for an
/// unknown table.
[[nodiscard]] Result<std::vector<const SuiteTable*>> chosen_tables(const Suite& suite, const SuiteRequest& request);
/// Returns e.g. "standard, large, extended".
[[nodiscard]] std::string listed(const std::vector<std::string_view>& names);

/// Checks that each option of the request is known to the suite, has a value and occurs once.
[[nodiscard]] Result<void> check_options(const Suite& suite, const SuiteRequest& request);
/// Returns the value of the option, or an empty text if the option was not given.
[[nodiscard]] std::optional<std::string_view> option(const SuiteRequest& request, std::string_view name);
/// Returns one of `words`; the first if the option was not given.
[[nodiscard]] Result<std::string_view> word_option(const SuiteRequest& request, std::string_view name,
                                                   std::initializer_list<std::string_view> words);
/// Returns the option as a number from `least` to `most`.
[[nodiscard]] Result<double> number_option(const SuiteRequest& request, std::string_view name, double otherwise,
                                           double least, double most);
/// Returns the option as a whole number from `least` to `most`.
[[nodiscard]] Result<std::uint32_t> count_option(const SuiteRequest& request, std::string_view name,
                                                 std::uint32_t otherwise, std::uint32_t least, std::uint32_t most);

} // namespace mediarig::suites
