// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/cli/facts.hpp"

#include <nlohmann/json.hpp>
#include <ostream>

#include "host/json/json_text.hpp"

namespace mediarig::cli {
namespace {

std::string as_file(const nlohmann::json& value) {
    return codec::json_text(value) + '\n';
}

} // namespace

void add_facts_option(CLI::App& command, const std::string& name, FactsTo& to, const std::string& what) {
    // In braces: what the option means alone. A file follows "=", so that it is not mixed up with what comes next.
    command.add_flag(name + "{-}", to.file, what + " on standard output, or into FILE");
}

void add_force_option(CLI::App& command, bool& force) {
    command.add_flag("--force", force, "replace a file that is there already, where mediarig wrote it");
}

void add_json_option(CLI::App& command, Facts& facts) {
    add_facts_option(command, "--json", facts.json, "as JSON");
    add_force_option(command, facts.force);
}

Result<void> check_json_file(const Facts& facts) {
    if (!facts.json.in_file()) return {};
    // What every file of ours begins with.
    constexpr std::size_t told_by = 4;
    return app::check_output(facts.json.file, as_file({{"", ""}}).substr(0, told_by), facts.existing());
}

int put(const Console& console, const FactsTo& to, std::string_view text, app::Existing existing) {
    if (to.on_stdout()) console.out << text;
    if (!to.in_file()) return 0;
    const auto written = app::write_text(to.file, text, existing);
    return written ? 0 : report(console, written.error());
}

int tell(const Console& console, const Facts& facts, const nlohmann::json& found,
         const std::function<void()>& tell_people) {
    if (!facts.json.on_stdout()) tell_people();
    return facts.json.asked() ? put(console, facts.json, as_file(found), facts.existing()) : 0;
}

} // namespace mediarig::cli
