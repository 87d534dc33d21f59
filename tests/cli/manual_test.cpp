// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/cli/manual.hpp"

#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::cli;

namespace {

struct Values {
    std::string file, engine, home = "/home/anna/results", target;
    unsigned slot = 1;
    bool quick = false;
};

/// A program with one of everything that the manual has to tell apart.
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

TEST_CASE("the manual knows what the command line is parsed with") {
    CLI::App app;
    Values values;
    fill(app, values);
    const ManualCommand program = manual_of(app);

    std::vector<std::string> paths;
    for (const ManualCommand* command : with_all_below(program)) paths.push_back(command->path);
    CHECK(paths == std::vector<std::string>{"mediarig", "mediarig bench", "mediarig lab", "mediarig lab plug"});
    CHECK(last_word(program.commands[1].commands[0]) == "plug");

    const ManualCommand& bench = program.commands[0];
    REQUIRE(bench.arguments.size() == 1);
    CHECK(bench.arguments[0].required);
    CHECK(takes_path(bench.arguments[0]));
    REQUIRE(bench.options.size() == 5);
    CHECK(bench.options[0].names == std::vector<std::string>{"-h", "--help"});
    CHECK(bench.options[1].choices == std::vector<std::string>{"psync", "uring"});
    CHECK(bench.options[2].value_optional);
    // A path of one user's.
    CHECK(bench.options[3].standard.empty());
    CHECK(bench.options[4].names == std::vector<std::string>{"-q", "--quick"});
    CHECK(bench.options[4].value.empty());

    // What is in a group without a name belongs to the command around it.
    const ManualCommand& plug = program.commands[1].commands[0];
    REQUIRE(plug.options.size() == 2);
    CHECK(plug.options[1].value == "NUMBER");
    CHECK(plug.options[1].standard == "1");
    CHECK_FALSE(takes_path(plug.options[1]));
}

TEST_CASE("no text of a command is a request to what shows the page") {
    CLI::App app;
    Values values;
    fill(app, values);
    const std::string page = man_page(manual_of(app), "1.2.3");
    CHECK_THAT(page, ContainsSubstring(".TH MEDIARIG 1 \"\" \"mediarig 1.2.3\" \"User Commands\"\n"));
    CHECK_THAT(page, ContainsSubstring("\nmeasure [fast]: it's 50% \\e quicker\n"));
    CHECK_THAT(page, ContainsSubstring("\n\\&.as a file\n"));
    CHECK_THAT(page, ContainsSubstring("\\fB\\-\\-engine\\fR \\fBpsync\\fR|\\fBuring\\fR\n"));
    CHECK_THAT(page, ContainsSubstring("\\fB\\-\\-json\\fR[=\\fIFILE\\fR]\n"));
    CHECK(page.find("anna") == std::string::npos);
    CHECK(page.find("unlisted") == std::string::npos);
}

TEST_CASE("no text of a command ends a quotation in a shell") {
    CLI::App app;
    Values values;
    fill(app, values);
    const ManualCommand program = manual_of(app);
    CHECK_THAT(fish_completion(program), ContainsSubstring("-a bench -d 'measure [fast]: it\\'s 50% \\\\ quicker'"));
    CHECK_THAT(zsh_completion(program), ContainsSubstring("'bench:measure [fast]: it'\\''s 50% \\ quicker'"));
    for (const auto& script : {bash_completion(program), zsh_completion(program), fish_completion(program)})
        CHECK(script.find("unlisted") == std::string::npos);
}
