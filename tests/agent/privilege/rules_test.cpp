// SPDX-License-Identifier: GPL-3.0-or-later
/// The programs that interpret rules for sudo and polkit check the example rules.
#include <fstream>
#include <iterator>
#include <string>

#include "host/base/process/run_process.hpp"
#include "tests/catch.hpp"

using namespace mediarig;

namespace {

const std::string sudoers = MEDIARIG_SOURCE_DIR "/packaging/sudoers.mediarig";
const std::string policy = MEDIARIG_SOURCE_DIR "/packaging/org.mediarig.agent.policy";

std::string xpath(const std::string& query) {
    const auto said = process::run_process({.program = "xmllint", .arguments = {"--nonet", "--xpath", query, policy}});
    REQUIRE(reason(said) == "success");
    REQUIRE(said->succeeded());
    return process::first_words(*said);
}

} // namespace

TEST_CASE("visudo accepts the sudo example, which names one program with one argument") {
    if (!process::find_program("visudo")) MEDIARIG_SKIP("sudo is not installed");
    const auto said = process::run_process({.program = "visudo", .arguments = {"-c", "-f", sudoers}});
    REQUIRE(reason(said) == "success");
    CAPTURE(said->out, said->err);
    CHECK(said->succeeded());
    std::ifstream file(sudoers);
    std::string rules;
    for (std::string line; std::getline(file, line);)
        if (!line.starts_with("#")) rules += line + "\n";
    CHECK(rules ==
          "Cmnd_Alias MEDIARIG_AGENT = /usr/bin/mediarig-agent --stdio\n"
          "Defaults!MEDIARIG_AGENT env_reset, !setenv, umask = 0077\n"
          "%mediarig ALL = (root) NOPASSWD: NOSETENV: MEDIARIG_AGENT\n");
}

TEST_CASE("xmllint accepts the polkit example, which names one program with one argument") {
    if (!process::find_program("xmllint")) MEDIARIG_SKIP("libxml2-utils is not installed");
    CHECK(xpath("count(//action)") == "1");
    CHECK(xpath("string(//annotate[@key='org.freedesktop.policykit.exec.path'])") == "/usr/bin/mediarig-agent");
    CHECK(xpath("string(//annotate[@key='org.freedesktop.policykit.exec.argv1'])") == "--stdio");
    CHECK(xpath("string(//allow_any)") == "no");
    CHECK(xpath("string(//allow_inactive)") == "no");
    CHECK(xpath("string(//allow_active)") == "auth_admin_keep");
}
