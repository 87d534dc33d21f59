// SPDX-License-Identifier: GPL-3.0-or-later
/// Commands on a pseudo terminal, where a person can confirm an erasure.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/catch.hpp"
#include "tests/e2e/program.hpp"

using namespace mediarig;
using namespace mediarig::e2e;

namespace {

struct TerminalOutput {
    int status{};
    std::string shown; ///< each run of blanks and line ends is one blank, because a terminal receives wrapped lines
};

std::string without_line_ends(const std::string& text) {
    std::string words;
    for (const char c : text)
        if (const bool blank = c == ' ' || c == '\r' || c == '\n'; !blank)
            words += c;
        else if (!words.empty() && words.back() != ' ')
            words += ' ';
    return words;
}

/// Runs `mediarig` on a terminal on which `typed` was typed in advance. The terminal keeps the lines for the reader.
TerminalOutput on_terminal(const std::vector<std::string>& arguments, const std::string& typed) {
    const int master = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    REQUIRE(master >= 0);
    REQUIRE(::grantpt(master) == 0);
    REQUIRE(::unlockpt(master) == 0);
    const std::string terminal = ::ptsname(master);
    const int held =
        ::open(terminal.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC); // keeps the terminal until the child opens it
    REQUIRE(held >= 0);
    REQUIRE(::write(master, typed.data(), typed.size()) == static_cast<ssize_t>(typed.size()));
    std::vector<std::string> words{mediarig_program()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const pid_t child = ::fork();
    if (child == 0) {
        ::setsid();
        for (const int descriptor : {0, 1, 2}) ::dup2(held, descriptor);
        ::setenv("MEDIARIG_CONFIG", "/dev/null", 1);
        std::vector<char*> argv;
        for (std::string& word : words) argv.push_back(word.data());
        argv.push_back(nullptr);
        ::execv(argv[0], argv.data());
        ::_exit(127);
    }
    ::close(held);
    TerminalOutput output;
    char bytes[4096];
    // A read fails with EIO when the last process has closed the terminal.
    for (ssize_t got = 0; (got = ::read(master, bytes, sizeof bytes)) > 0;)
        output.shown.append(bytes, static_cast<std::size_t>(got));
    output.shown = without_line_ends(output.shown);
    int raw = 0;
    ::waitpid(child, &raw, 0);
    output.status = WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
    ::close(master);
    return output;
}

} // namespace

TEST_CASE("on a terminal, a command without --confirm asks, and two wrong answers refuse with status 4") {
    const Folder folder;
    const std::string image = folder / "card.img";
    make_image(image, 8 << 20);
    const std::string store = folder / "r.db";
    const std::string plan = folder / "plan.json";
    write_file(plan, R"({"mediarig_plan": 1, "name": "asked", "media": [{"image": ")" + image +
                         R"("}], "suites": [{"suite": "verify", "where": "raw", "quick": true}]})");
    for (const std::vector<std::string>& command :
         std::vector<std::vector<std::string>>{{"verify", image, "--store", store},
                                               {"verify", image, "--probe", "--store", store},
                                               {"bench", image, "--raw", "--quick", "--store", store},
                                               {"check", image, "--store", store},
                                               {"compare", image, "--self-test", "--quick", "--store", store},
                                               {"format", image, "--fs", "exfat"},
                                               {"run", plan, "--store", store}}) {
        CAPTURE(command.front());
        const TerminalOutput refused = on_terminal(command, "other.img\n.img\n");
        CAPTURE(refused.shown);
        CHECK(refused.status == 4);
        CHECK_THAT(refused.shown, ContainsSubstring(image) && ContainsSubstring("no known file system") &&
                                      ContainsSubstring("one attempt is left") && ContainsSubstring("was not written"));
    }
    CHECK(read_file(image) == std::string(8 << 20, '\0'));
    CHECK(!std::filesystem::exists(store));
}

TEST_CASE("on a terminal, the last component of the path confirms an image") {
    if (!is_root()) MEDIARIG_SKIP("needs root to claim the image");
    const Folder folder;
    const std::string image = folder / "card.img";
    make_image(image, 8 << 20);
    const std::string plan = folder / "plan.json";
    write_file(plan, R"({"mediarig_plan": 1, "name": "asked", "media": [{"image": ")" + image +
                         R"("}], "suites": [{"suite": "verify", "where": "raw"}]})");
    const std::string store = folder / "r.db";
    const TerminalOutput tested = on_terminal({"run", plan, "--store", store, "--agent", "local"}, "card.img\n");
    CAPTURE(tested.shown);
    CHECK(tested.status == 0);
    CHECK_THAT(tested.shown, !ContainsSubstring("was not written"));
    CHECK(std::filesystem::exists(store));
}
