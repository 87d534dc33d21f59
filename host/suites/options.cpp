// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/suites/options.hpp"

#include <algorithm>
#include <array>

namespace mediarig::suites {

Result<void> take_only(const Suite& suite, const SuiteRequest& request, std::initializer_list<Option> taken) {
    struct Asked {
        Option option;
        bool set;
        std::string_view name;
    };
    const std::array asked{
        Asked{Option::tables, !request.tables.empty(), "tables"},
        Asked{Option::accesses, !request.accesses.empty(), "accesses"},
        Asked{Option::blocks, !request.blocks.empty(), "blocks"},
        Asked{Option::span, request.span.has_value(), "a span"},
        Asked{Option::volume, request.volume.has_value(), "a volume"},
        Asked{Option::time_limit, request.time_limit.has_value(), "a time limit"},
    };
    for (const Asked& one : asked)
        if (one.set && std::ranges::find(taken, one.option) == taken.end())
            return fail(Errc::bad_request, "suite " + std::string(suite.name) + " takes no choice of " +
                                               std::string(one.name) + "; leave it out");
    if (request.queue_depth.value_or(1) != 1 ||
        request.engine.value_or(workload::Engine::psync) != workload::Engine::psync)
        return fail(Errc::bad_request, "suite " + std::string(suite.name) +
                                           " makes one request at a time; leave queue depth and engine out");
    return {};
}

Result<std::vector<const Table*>> chosen_tables(const Suite& suite, const SuiteRequest& request) {
    std::vector<const Table*> chosen;
    std::vector<std::string_view> known;
    for (const Table& table : suite.tables) known.push_back(table.name);
    for (const std::string& wanted : request.tables)
        if (std::ranges::find(known, wanted) == known.end())
            return fail(Errc::bad_request, "suite " + request.name + " has no table \"" + wanted.substr(0, 40) +
                                               "\"; it has " + listed(known));
    for (const Table& table : suite.tables) {
        const bool named = std::ranges::find(request.tables, table.name) != request.tables.end();
        if (named || (request.tables.empty() && table.by_default)) chosen.push_back(&table);
    }
    return chosen;
}

std::string listed(const std::vector<std::string_view>& names) {
    std::string text;
    for (const std::string_view name : names) text += (text.empty() ? "" : ", ") + std::string(name);
    return text;
}

} // namespace mediarig::suites
