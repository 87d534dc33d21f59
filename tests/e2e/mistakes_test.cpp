// SPDX-License-Identifier: GPL-3.0-or-later
/// A hundred slips of the fingers, each with its exit status, one line, and a suggestion where there is one. What the
/// rows of bad_input_test.cpp do to files, plans, stores and media is left to those.
#include <algorithm>
#include <sstream>

#include "tests/catch.hpp"
#include "tests/e2e/program.hpp"

using namespace mediarig;
using namespace mediarig::e2e;

namespace {

struct Mistake {
    std::string words; ///< as typed, without the program; @ stands for the test's folder
    int status;
    std::string line; ///< of standard error, without "mediarig: " and what help to see
};

std::vector<std::string> split(const std::string& words, const Folder& folder) {
    std::vector<std::string> all;
    std::istringstream text(words);
    for (std::string word; text >> word;) {
        if (const auto at = word.find('@'); at != std::string::npos) word.replace(at, 1, folder.path().string());
        all.push_back(word == "''" ? "" : word);
    }
    return all;
}

std::string placed(std::string text, const Folder& folder) {
    for (std::size_t at; (at = text.find('@')) != std::string::npos;) text.replace(at, 1, folder.path().string());
    return text;
}

const Mistake mistakes[] = {
MISTAKES
};

} // namespace

TEST_CASE("a hundred mistakes get one line each, with the documented exit status and a suggestion where there is one") {
    const Folder folder;
    make_image(folder / "card.img", 64 << 20);
    write_file(folder / "plan.json", "{}");
    CHECK(std::size(mistakes) >= 100);
    for (const Mistake& mistake : mistakes) {
        CAPTURE(mistake.words);
        const Said said =
            call_mediarig(split(mistake.words, folder), folder.path(),
                          {"MEDIARIG_STORE=" + (folder / "none.db").string(), "MEDIARIG_AGENT=local",
                           "XDG_DATA_HOME=" + folder.path().string(), "MEDIARIG_LAB_DIR=" + (folder / "lab").string()});
        CAPTURE(said.out, said.err);
        CHECK(said.status == mistake.status);
        CHECK(said.out.empty());
        CHECK(std::ranges::count(said.err, '\n') == 1);
        CHECK_THAT(said.err, ContainsSubstring("mediarig: " + placed(mistake.line, folder)));
    }
}
