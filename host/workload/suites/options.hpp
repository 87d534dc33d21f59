// SPDX-License-Identifier: GPL-3.0-or-later
/// What a request may ask of suites that are no sweep.
#pragma once

#include <initializer_list>

#include "host/workload/suites/suite.hpp"

namespace mediarig::suites {

/// Members of SuiteRequest that change what is done.
enum class Option : std::uint8_t { tables, accesses, blocks, span, volume, time_limit };

/// Fails with bad_request, naming the first member that is set and not among `taken`. A queue and another engine than
/// psync are refused too.
[[nodiscard]] Result<void> take_only(const Suite& suite, const SuiteRequest& request,
                                     std::initializer_list<Option> taken);
/// The tables asked for, else those that run by default; in the suite's order. Fails with bad_request on an unknown
/// one.
[[nodiscard]] Result<std::vector<const Table*>> chosen_tables(const Suite& suite, const SuiteRequest& request);
/// "standard, large, extended".
[[nodiscard]] std::string listed(const std::vector<std::string_view>& names);

/// Each option of the request is one that the suite has, with a value, and is there once.
[[nodiscard]] Result<void> check_options(const Suite& suite, const SuiteRequest& request);
/// Its value; nothing where it was not given.
[[nodiscard]] std::optional<std::string_view> option(const SuiteRequest& request, std::string_view name);
/// One of some words; the first where it was not given.
[[nodiscard]] Result<std::string_view> word_option(const SuiteRequest& request, std::string_view name,
                                                   std::initializer_list<std::string_view> words);
/// A number from `least` to `most`.
[[nodiscard]] Result<double> number_option(const SuiteRequest& request, std::string_view name, double otherwise,
                                           double least, double most);
/// A whole one.
[[nodiscard]] Result<std::uint32_t> count_option(const SuiteRequest& request, std::string_view name,
                                                 std::uint32_t otherwise, std::uint32_t least, std::uint32_t most);

} // namespace mediarig::suites
