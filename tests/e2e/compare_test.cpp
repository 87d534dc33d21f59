// SPDX-License-Identifier: GPL-3.0-or-later
/// Tests the decision rule on the command line, which reads measurements and prints answers.
#include <algorithm>

#include "tests/catch.hpp"
#include "tests/e2e/program.hpp"

using namespace mediarig::e2e;

namespace {

const std::string trial =
    R"({"start": 7, "formats": ["A", "B"], "max_blocks": 12, "seed": 123}
{"block": 1, "passes": [{"format": "A", "rate": 61.2}, {"format": "B", "rate": 57.9}]}
{"block": 2, "passes": [{"format": "B", "rate": 58.4}, {"format": "A", "rate": 60.4}]}
{"block": 3, "passes": [{"format": "A", "rate": 61.9}, {"format": "B", "rate": 58.2}]}
{"block": 4, "passes": [{"format": "B", "rate": 57.1}, {"format": "A", "rate": 60.1}]}
{"block": 5, "passes": [{"format": "A", "rate": 61.5}, {"format": "B", "rate": 58.3}]}
{"block": 6, "passes": [{"format": "B", "rate": 57.7}, {"format": "A", "rate": 60.7}]}
{"block": 7, "passes": [{"format": "A", "rate": 61.3}, {"format": "B", "rate": 58.4}]}
{"end": true}
)";

std::ptrdiff_t line_count(const std::string& text) {
    return std::count(text.begin(), text.end(), '\n');
}

/// Runs `mediarig compare` with `text` on standard input.
ProgramOutput piped(const Folder& folder, const std::string& text) {
    write_file(folder / "input", text);
    return tool({"sh", "-c", "\"$1\" compare --from - <\"$2\"", "sh", mediarig_program(), (folder / "input").string()});
}

} // namespace

TEST_CASE("compare evaluates measurements line by line, and accepts two comparisons in one file") {
    const Folder folder;
    write_file(folder / "trials", trial + trial);
    const ProgramOutput output = call_mediarig({"compare", "--from", (folder / "trials").string()}, folder.path());
    CHECK(output.status == 0);
    CHECK(output.err.empty());
    CHECK(line_count(output.out) == 16);
    CHECK(output.out.starts_with(R"({"orders":[[")"));
    CHECK_THAT(output.out, ContainsSubstring("\n{\"decision\":\"continue\"}\n"));
    CHECK_THAT(output.out, ContainsSubstring(R"("text":"A faster by 5.4 % [4.5, 6.3], 12 passes, overall p 0.0005"})"));
    SECTION("from standard input") {
        const ProgramOutput other = piped(folder, trial + trial);
        CHECK(other.status == 0);
        CHECK(other.out == output.out);
    }
    SECTION("without a final newline") {
        std::string open = trial;
        open.pop_back();
        CHECK(line_count(piped(folder, open).out) == 8);
    }
}

TEST_CASE("compare answers each line of standard input before it reads the next line") {
    const Folder folder;
    write_file(folder / "asks.py", R"(import json, subprocess, sys
rule = subprocess.Popen([sys.argv[1], "compare", "--from", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
def ask(line):
    rule.stdin.write(json.dumps(line) + "\n")
    rule.stdin.flush()
    return json.loads(rule.stdout.readline())
orders = ask({"start": 1, "formats": ["A", "B"], "max_blocks": 20, "seed": 4})["orders"]
for number, order in enumerate(orders, 1):
    rate = {"A": 110 + number % 2, "B": 100}
    answer = ask({"block": number, "passes": [{"format": name, "rate": rate[name]} for name in order]})
    if answer["decision"] != "continue":
        break
rule.stdin.close()
print(answer["decision"], answer["format"], number, rule.wait())
)");
    const ProgramOutput output = tool({"python3", (folder / "asks.py").string(), mediarig_program()});
    CHECK(output.out == "faster A 6 0\n");
}

TEST_CASE("invalid input gives status 2 and the position of the fault, after the answers to earlier lines") {
    const Folder folder;
    const std::string name = (folder / "trials").string();
    struct Row {
        std::string what, text;
        std::ptrdiff_t answers;
        std::string says;
    };
    const Row rows[] = {
        {"nothing", "", 0, name + " is empty"},
        {"only blank lines", "\n \n\t\n", 0, name + " is empty"},
        {"not JSON", "exFAT 61.2\n", 0, name + ", line 1: "},
        {"one format", "{\"start\": 1, \"formats\": [\"A\"]}\n", 0, "line 1: /formats: must name two formats or more"},
        {"the same format twice", "{\"start\": 1, \"formats\": [\"A\", \"A\"]}\n", 0,
         "line 1: /formats/1: is named twice"},
        {"a budget below four", "{\"start\": 1, \"formats\": [\"A\", \"B\"], \"max_blocks\": 3}\n", 0,
         "line 1: a budget of 3 blocks: it must be 4 to 60"},
        {"a rate of zero",
         trial + trial.substr(0, trial.find('\n') + 1) +
             "{\"block\": 1, \"passes\": [{\"format\": \"A\", \"rate\": 0}, {\"format\": \"B\", \"rate\": 1}]}\n",
         9, "line 11: /passes/0/rate: must be above 0 and finite"},
        {"a block left out", trial.substr(0, trial.find('\n') + 1) + "{\"block\": 2, \"passes\": []}\n", 1,
         "line 2: block 2 comes where block 1 was expected"},
        {"a block cut off", trial.substr(0, trial.find("57.1") + 4), 4, "line 5: column 53: is incomplete"},
        {"a line without an end", std::string(100'000, ' '), 0, "has a line of more than 65536 bytes"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.what);
        write_file(name, row.text);
        const ProgramOutput output = call_mediarig({"compare", "--from", name}, folder.path());
        CAPTURE(output.err, output.out);
        CHECK(output.status == 2);
        CHECK(line_count(output.out) == row.answers);
        CHECK_THAT(output.err, ContainsSubstring(row.says));
        CHECK(line_count(output.err) == 1);
    }
}

TEST_CASE("compare --from refuses directories, missing files and files that are not text, and compare needs a target") {
    const Folder folder;
    const auto says = [&](const std::vector<std::string>& words) {
        const ProgramOutput output = call_mediarig(words, folder.path());
        CHECK(output.status == 2);
        CHECK(line_count(output.err) == 1);
        return output.err;
    };
    CHECK_THAT(says({"compare"}), ContainsSubstring("target is required, or --from FILE"));
    CHECK_THAT(says({"compare", "--from", ""}), ContainsSubstring("--from"));
    CHECK_THAT(says({"compare", "--from", folder.path().string()}), ContainsSubstring("is a directory; name a file"));
    CHECK_THAT(says({"compare", "--from", (folder / "none").string()}), ContainsSubstring("cannot be read"));
    const ProgramOutput folder_as_input =
        tool({"sh", "-c", "\"$1\" compare --from - <\"$2\"", "sh", mediarig_program(), folder.path().string()});
    CHECK(folder_as_input.status == 2);
    CHECK_THAT(folder_as_input.err, ContainsSubstring("standard input is a directory; name a file"));
    write_file(folder / "card.img", std::string(1000, '\0'));
    CHECK_THAT(says({"compare", "--from", (folder / "card.img").string()}), ContainsSubstring("contains no text"));
}

TEST_CASE("compare reads a FIFO like standard input and reports if the trial is undecided at the end") {
    const Folder folder;
    write_file(folder / "input", trial.substr(0, trial.find("{\"block\": 2")));
    const ProgramOutput output = tool(
        {"sh", "-c", "mkfifo \"$2/fifo\" && { cat \"$2/input\" >\"$2/fifo\" & } && \"$1\" compare --from \"$2/fifo\"",
         "sh", mediarig_program(), folder.path().string()});
    CHECK(output.status == 0);
    CHECK(line_count(output.out) == 2);
    CHECK_THAT(output.err, ContainsSubstring("fifo ends before the trial is decided"));
}
