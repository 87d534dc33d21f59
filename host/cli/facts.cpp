// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/cli/facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <ostream>

#include "host/json/json_text.hpp"

namespace mediarig::cli {
namespace {

std::string as_file(const nlohmann::json& value) {
    return codec::json_text(value) + '\n';
}

/// By so much of its beginning a table or JSON is told from other files: later versions begin with more.
constexpr std::size_t told_by = 4;

std::string json_begins() {
    return as_file({{"", ""}}).substr(0, told_by);
}

/// However the same file is written.
std::filesystem::path place_of(const FactsTo& to) {
    std::error_code unknown;
    if (!to.in_file()) return to.file;
    auto place = std::filesystem::weakly_canonical(to.file, unknown);
    return unknown ? std::filesystem::path(to.file) : place;
}

} // namespace

void add_facts_option(CLI::App& command, const std::string& name, FactsTo& to, const std::string& what) {
    // In braces: what the option means alone. A file follows "=", so that it is not mixed up with what comes next.
    command.add_flag(name + "{-}", to.file, what + " on standard output, or into FILE");
}

void add_force_option(CLI::App& command, bool& force) {
    command.add_flag("--force", force, "replace an existing file, if mediarig wrote it");
}

void add_json_option(CLI::App& command, Facts& facts) {
    add_facts_option(command, "--json", facts.json, "as JSON");
    add_force_option(command, facts.force);
}

Result<void> check_json_file(const Facts& facts) {
    return check_outputs(facts, {});
}

Result<void> check_outputs(const Facts& facts, const std::vector<OtherOutput>& others) {
    std::vector<OtherOutput> all{{"--json", facts.json, json_begins()}};
    all.insert(all.end(), others.begin(), others.end());
    for (auto output = all.begin(); output != all.end(); ++output) {
        if (!output->to.asked()) continue;
        const auto shared = std::find_if(all.begin(), output, [&](const OtherOutput& before) {
            return place_of(before.to) == place_of(output->to);
        });
        if (shared != output)
            return fail(Errc::bad_request,
                        fmt::format("{} and {} cannot share {}: give another file to one of them, as in {}=FILE",
                                    shared->option, output->option,
                                    output->to.on_stdout() ? "standard output" : output->to.file, output->option));
        if (!output->to.in_file()) continue;
        if (auto possible = app::check_output(output->to.file, output->begins.substr(0, told_by), facts.existing());
            !possible)
            return possible;
    }
    return {};
}

int put(const Console& console, const FactsTo& to, std::string_view text, app::Existing existing) {
    if (to.on_stdout()) console.out << text;
    if (!to.in_file()) return 0;
    const auto written = app::write_text(to.file, text, existing);
    return written ? 0 : report(console, written.error());
}

int tell_in_parts(const Console& console, const Facts& facts,
                  const std::function<Result<void>(const app::WritePart& write)>& produce) {
    Result<void> told;
    if (facts.json.on_stdout())
        told = produce([&](std::string_view part) -> Result<void> {
            console.out << part;
            return {};
        });
    else if (facts.json.asked())
        told = app::write_text(facts.json.file, json_begins(), facts.existing(), produce);
    return told ? 0 : report(console, told.error());
}

int tell(const Console& console, const Facts& facts, const nlohmann::json& found,
         const std::function<void()>& tell_people) {
    if (!facts.json.on_stdout()) tell_people();
    return facts.json.asked() ? put(console, facts.json, as_file(found), facts.existing()) : 0;
}

} // namespace mediarig::cli
