// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/cli/manual/manual.hpp"

#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

#include "host/cli/manual/conventions.hpp"
#include "host/cli/manual/help_text.hpp"

#include "tests/catch.hpp"
#include "tests/scratch.hpp"

using namespace mediarig;
using namespace mediarig::cli;

namespace {

struct Values {
    std::string file, engine, home = "/home/anna/results", target;
    unsigned slot = 1;
    bool quick = false;
};

/// A program with one example of each kind of option that the manual distinguishes.
void fill(CLI::App& app, Values& values) {
    app.name("mediarig");
    CLI::App* bench = app.add_subcommand("bench", "measure [fast]: it's 50% \\ quicker");
    bench->add_option("target", values.target, "a device")->required();
    bench->add_option("--engine", values.engine, "how")->check(CLI::IsMember({"psync", "uring"}));
    bench->add_flag("--json{-}", values.file, ".as a file");
    bench->add_option("--store", values.home, "where")->capture_default_str();
    bench->add_flag("-q,--quick", values.quick, "less");
    CLI::App* lab = app.add_subcommand("lab", "the lab");
    CLI::App* plug = lab->add_subcommand("plug", "a card");
    plug->add_option_group("")->add_option("--slot", values.slot, "which")->capture_default_str();
    app.add_subcommand("unlisted", "for nobody")->group("");
}

} // namespace

TEST_CASE("the manual lists the options of the command line parser") {
    CLI::App app;
    Values values;
    fill(app, values);
    const std::vector<ManualCommand> commands = manual_of(app);
    std::vector<std::string> paths;
    for (const ManualCommand& command : commands) paths.push_back(command.path);
    CHECK(paths == std::vector<std::string>{"mediarig", "mediarig bench", "mediarig lab", "mediarig lab plug"});

    const ManualCommand& bench = commands[1];
    REQUIRE(bench.arguments.size() == 1);
    CHECK(manual_of(*bench.arguments[0]).names == std::vector<std::string>{"target"});
    REQUIRE(bench.options.size() == 5);
    CHECK(manual_of(*bench.options[0]).names == std::vector<std::string>{"-h", "--help"});
    CHECK(manual_of(*bench.options[1]).choices == std::vector<std::string>{"psync", "uring"});
    CHECK(manual_of(*bench.options[2]).value_optional);
    CHECK(manual_of(*bench.options[4]).names == std::vector<std::string>{"-q", "--quick"});
    CHECK(manual_of(*bench.options[4]).value.empty());

    // Options of a group without a name belong to the command that contains the group.
    const ManualCommand& plug = commands[3];
    REQUIRE(plug.options.size() == 2);
    CHECK(manual_of(*plug.options[1]).value == "NUMBER");
}

TEST_CASE("an argument that is also an option is listed as both, each with its own name") {
    CLI::App app;
    Values values;
    fill(app, values);
    CLI::App* load = app.add_subcommand("load", "a card");
    const CLI::Option* slot = load->add_option("SLOT,--slot", values.slot, "which");
    CHECK(argument_name(*slot) == "SLOT");
    const ManualCommand shown = manual_of(app).back();
    REQUIRE(shown.arguments.size() == 1);
    CHECK(shown.arguments.front() == shown.options.back());
    load->formatter(std::make_shared<HelpText>(80));
    CHECK_THAT(load->help(), ContainsSubstring("  SLOT ") && ContainsSubstring("  --slot NUMBER"));
}

TEST_CASE("the help of all commands has a heading for each command and ends with the conventions") {
    CLI::App app;
    Values values;
    app.formatter(std::make_shared<HelpText>(80));
    fill(app, values);
    const std::string help = app.help("mediarig", CLI::AppFormatMode::All);
    CHECK_THAT(help, ContainsSubstring("\n*Commands*\n\nmediarig bench [OPTIONS] target:\n"
                                       "  measure [fast]: it's 50% \\ quicker\n\n"
                                       "  target                      a device (required)\n"
                                       "  --engine psync|uring        how\n"
                                       "  --json[=FILE]               .as a file\n"));
    CHECK_THAT(help, ContainsSubstring("\nmediarig lab plug [OPTIONS]:\n  a card\n\n  --slot NUMBER "));
    CHECK_THAT(help, ContainsSubstring("\n*Exit status*\n  0                           success"));
    CHECK_THAT(help, ContainsSubstring("\nEnvironment:\n  MEDIARIG_AGENT  "));
    CHECK_THAT(help, ContainsSubstring("\nExamples:\n  mediarig devices  "));
    CHECK(help.find("unlisted") == std::string::npos);
}

TEST_CASE("suggested words are completed in addition to paths, and other values stay valid") {
    CLI::App app;
    Values values;
    fill(app, values);
    CLI::App* format = app.add_subcommand("format", "make");
    propose(*format->add_option("--profile", values.file, "a name or a file"), {"sd", "linux"});
    propose(*format->add_option("target", values.target, "what"), {"first", "second"});
    const ManualOption profile = manual_of(*format->get_option("--profile"));
    CHECK(profile.proposed == std::vector<std::string>{"sd", "linux"});
    CHECK(profile.choices.empty());
    CHECK(profile.value == "TEXT");
    const std::string script = bash_completion(app);
    CHECK_THAT(script, ContainsSubstring("'mediarig format --profile=') words='sd linux' files=yes ;;"));
    CHECK_THAT(script, ContainsSubstring("'mediarig format') words='first second' options='"));
    CHECK_THAT(script, ContainsSubstring("'mediarig bench --engine=') words='psync uring' files= ;;"));
    CHECK(script.find("unlisted") == std::string::npos);
}

namespace {

/// The rows of the first table below `heading` of a page, as "| word | text |".
std::vector<std::string> rows_below(const std::string& page, const std::string& heading) {
    std::istringstream lines(page.substr(page.find("\n## " + heading + "\n")));
    std::vector<std::string> rows;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("| ")) rows.push_back(line);
        if (line.empty() && !rows.empty()) break;
    }
    return {rows.begin() + 1, rows.end()};
}

std::vector<std::string> as_rows(std::span<const GlossaryEntry> list) {
    std::vector<std::string> rows;
    for (const GlossaryEntry& each : list)
        rows.push_back("| " + std::string(each.word) + " | " + std::string(each.text) + " |");
    return rows;
}

} // namespace

TEST_CASE("docs/reference/commands.md lists the exit statuses and environment variables of the man page") {
    const std::string page =
        tests::text_of(std::filesystem::path(MEDIARIG_SOURCE) / "docs" / "reference" / "commands.md");
    CHECK(rows_below(page, "Exit statuses") == as_rows(exit_statuses()));
    CHECK(rows_below(page, "Environment") == as_rows(environment_variables()));
}

TEST_CASE("every environment variable read for a user is documented") {
    // Other programs set and read these variables, for the parent process, the program search path and the network
    // access of apt.
    const std::set<std::string> of_others{"HOME", "PATH", "SUDO_UID", "PKEXEC_UID"};
    std::string listed;
    for (const GlossaryEntry& each : environment_variables()) listed += std::string(each.word) + ' ';
    const std::regex reads(R"re((?:getenv|environment|envname|below_home)\("([A-Z_]+)")re");
    std::size_t found = 0;
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::filesystem::path(MEDIARIG_SOURCE) / "host")) {
        if (entry.path().extension() != ".cpp") continue;
        const std::string source = tests::text_of(entry.path());
        for (std::sregex_iterator at(source.begin(), source.end(), reads), end; at != end; ++at) {
            const std::string name = (*at)[1];
            if (of_others.contains(name)) continue;
            CAPTURE(entry.path().string());
            CHECK_THAT(listed, ContainsSubstring(name));
            ++found;
        }
    }
    CHECK(found >= environment_variables().size());
}
