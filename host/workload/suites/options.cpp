// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/suites/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>

namespace mediarig::suites {

Result<void> check_options_used(const Suite& suite, const SuiteRequest& request, std::initializer_list<Option> taken) {
    struct OptionRequest {
        Option option;
        bool set;
        std::string_view name;
    };
    const std::array asked{
        OptionRequest{Option::tables, !request.tables.empty(), "tables"},
        OptionRequest{Option::accesses, !request.accesses.empty(), "accesses"},
        OptionRequest{Option::blocks, !request.blocks.empty(), "blocks"},
        OptionRequest{Option::span, request.span.has_value(), "a span"},
        OptionRequest{Option::volume, request.volume.has_value(), "a volume"},
        OptionRequest{Option::time_limit, request.time_limit.has_value(), "a time limit"},
    };
    for (const OptionRequest& one : asked)
        if (one.set && std::ranges::find(taken, one.option) == taken.end())
            return fail(Errc::bad_request, "suite " + std::string(suite.name) + " takes no choice of " +
                                               std::string(one.name) + "; leave it out");
    if (request.queue_depth.value_or(1) != 1 ||
        request.engine.value_or(workload::Engine::psync) != workload::Engine::psync)
        return fail(Errc::bad_request,
                    "suite " + std::string(suite.name) + " makes one request at a time; omit queue depth and engine");
    return {};
}

Result<std::vector<const SuiteTable*>> chosen_tables(const Suite& suite, const SuiteRequest& request) {
    std::vector<const SuiteTable*> chosen;
    std::vector<std::string_view> known;
    for (const SuiteTable& table : suite.tables) known.push_back(table.name);
    for (const std::string& wanted : request.tables)
        if (std::ranges::find(known, wanted) == known.end())
            return fail(Errc::bad_request, "suite " + request.name + " has no table \"" + wanted.substr(0, 40) +
                                               "\"; it has " + listed(known));
    for (auto wanted = request.tables.begin(); wanted != request.tables.end(); ++wanted)
        if (std::find(std::next(wanted), request.tables.end(), *wanted) != request.tables.end())
            return fail(Errc::bad_request, "table " + *wanted + " is named twice; name it once");
    for (const SuiteTable& table : suite.tables) {
        const bool named = std::ranges::find(request.tables, table.name) != request.tables.end();
        if (named || (request.tables.empty() && table.by_default)) chosen.push_back(&table);
    }
    return chosen;
}

std::optional<std::string_view> option(const SuiteRequest& request, std::string_view name) {
    for (const std::string_view given : request.options)
        if (given.starts_with(name) && given.substr(name.size(), 1) == "=") return given.substr(name.size() + 1);
    return {};
}

Result<void> check_options(const Suite& suite, const SuiteRequest& request) {
    const std::vector<std::string_view> known(suite.options.begin(), suite.options.end());
    std::vector<std::string_view> seen;
    for (const std::string_view given : request.options) {
        const std::string_view name = given.substr(0, given.find('='));
        if (std::ranges::find(known, name) == known.end())
            return fail(Errc::bad_request,
                        known.empty()
                            ? "suite " + request.name + " accepts no options of its original program; omit them"
                            : "suite " + request.name + " has no option \"" + std::string(name.substr(0, 40)) +
                                  "\"; it has " + listed(known));
        if (name.size() == given.size())
            return fail(Errc::bad_request,
                        "option " + std::string(name) + " needs a value: " + std::string(name) + "=…");
        if (std::ranges::find(seen, name) != seen.end())
            return fail(Errc::bad_request, "option " + std::string(name) + " is given twice; give it once");
        seen.push_back(name);
    }
    return {};
}

Result<std::string_view> word_option(const SuiteRequest& request, std::string_view name,
                                     std::initializer_list<std::string_view> words) {
    const std::string_view given = option(request, name).value_or(*words.begin());
    if (std::ranges::find(words, given) != words.end()) return given;
    return fail(Errc::bad_request, "option " + std::string(name) + " is not \"" + std::string(given.substr(0, 40)) +
                                       "\" but one of " + listed(words));
}

Result<double> number_option(const SuiteRequest& request, std::string_view name, double otherwise, double least,
                             double most) {
    const auto given = option(request, name);
    if (!given) return otherwise;
    double number = 0;
    const auto [end, error] =
        std::from_chars(given->data(), given->data() + given->size(), number, std::chars_format::fixed);
    if (error == std::errc() && end == given->data() + given->size() && number >= least && number <= most)
        return number;
    return fail(Errc::bad_request, fmt::format("option {} is a number from {:g} to {:g}, not \"{}\"", name, least, most,
                                               given->substr(0, 40)));
}

Result<std::uint32_t> count_option(const SuiteRequest& request, std::string_view name, std::uint32_t otherwise,
                                   std::uint32_t least, std::uint32_t most) {
    const auto given = option(request, name);
    if (!given) return otherwise;
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(given->data(), given->data() + given->size(), number);
    if (error == std::errc() && end == given->data() + given->size() && number >= least && number <= most)
        return number;
    return fail(Errc::bad_request, fmt::format("option {} is a whole number from {} to {}, not \"{}\"", name, least,
                                               most, given->substr(0, 40)));
}

std::string listed(const std::vector<std::string_view>& names) {
    std::string text;
    for (const std::string_view name : names) text += (text.empty() ? "" : ", ") + std::string(name);
    return text;
}

} // namespace mediarig::suites
