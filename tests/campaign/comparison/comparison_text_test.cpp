// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/campaign/comparison/comparison_text.hpp"

#include <cmath>

#include "tests/catch.hpp"
#include "tests/fakes/compared_campaign.hpp"

using namespace mediarig;
using namespace mediarig::comparison_campaign;
using Catch::Matchers::StartsWith;

namespace {

Course course(const plan::Plan& plan, std::uint32_t blocks, double advantage) {
    const auto device = fakes::compared_device(plan, blocks, [&](std::size_t format, std::uint32_t block, std::size_t) {
        return (format == 0 ? 20 * (1 + advantage) : 20) *
               (1 + static_cast<double>((block * 7 + format * 3) % 5) * 0.002);
    });
    return course_of(plan, MediumRecords{.passes = device.passes, .untested = device.untested});
}

} // namespace

TEST_CASE("titles_of() names formats by their common names and deviations by their difference from the baseline") {
    const auto titles = [](const char* section) { return titles_of(fakes::compared_plan(section)); };
    CHECK(titles(R"({"formats": ["exfat", "hfs+j"]})") == std::vector<std::string>{"exFAT", "HFS+ Journaled"});
    CHECK(titles(R"({"formats": ["exfat", {"fs": "exfat", "cluster_size": "4KiB"}]})") ==
          std::vector<std::string>{"exFAT", "exFAT-2"});
    CHECK(titles(R"({"baseline": "exfat", "deviations": ["cluster_size:4KiB"]})") ==
          std::vector<std::string>{"exFAT", "cluster size 4 KiB"});
    CHECK(titles(R"({"baseline": "exfat", "deviations": ["misaligned"]})") ==
          std::vector<std::string>{"exFAT", "misaligned"});
    // The title is the same for each notation.
    CHECK(titles(R"({"baseline": "hfs+j", "deviations": [{"partition": {"table": "mbr", "start": 32256}}]})") ==
          std::vector<std::string>{"HFS+ Journaled", "misaligned"});
    CHECK(titles(R"({"self_test": "exfat"})") == std::vector<std::string>{"exFAT", "exFAT-2"});
}

TEST_CASE("the result sentence contains the operation, both formats and the decision") {
    const plan::Plan plan = fakes::compared_plan(R"({"formats": ["exfat", "hfs+j"], "blocks": 8})");
    const auto sentences = sentences_of(course(plan, 8, 0.1), plan);
    REQUIRE(sentences.size() == 1);
    CHECK_THAT(sentences[0], StartsWith("random write, exFAT against HFS+ Journaled: exFAT faster by ") &&
                                 ContainsSubstring(" passes, overall p "));
    CHECK_THAT(answer_of(course(plan, 8, 0.1), plan), StartsWith("random write: exFAT faster by "));
}

TEST_CASE("the journal stores decisions, not sentences") {
    const plan::Plan plan = fakes::compared_plan(R"({"formats": ["exfat", "hfs+j"], "blocks": 8})");
    const std::string decided = decisions_of(course(plan, 8, 0.1), plan);
    CHECK(decided ==
          R"([{"decision":"faster","first":"exfat","format":"exfat","operation":"random_write","second":"hfs+j"}])");
    CHECK(decisions_of(course(plan, 2, 0.1), plan) ==
          R"([{"decision":"open","first":"exfat","operation":"random_write","second":"hfs+j"}])");
    CHECK(is_decision_line(decided));
    CHECK_FALSE(is_decision_line("random write: exFAT faster by 10.0 % [8.0, 12.0], 8 passes"));
    CHECK_FALSE(is_decision_line("[]"));
}

TEST_CASE("the answer for three formats is the fastest format or the fastest group") {
    const plan::Plan plan = fakes::compared_plan(R"({"formats": ["exfat", "hfs+j", "apfs"], "blocks": 12})");
    CHECK(answer_of(course(plan, 12, 0.2), plan) == "random write: fastest: exFAT");
    CHECK(answer_of(course(plan, 3, 0.2), plan) == "random write: fastest group: exFAT, HFS+ Journaled, APFS");
    CHECK(answer_of(course(plan, 8, 0), plan) ==
          "random write: fastest: exFAT, HFS+ Journaled, APFS, the same within 5 %");
}

TEST_CASE("the answer for three formats counts failed passes") {
    const plan::Plan plan = fakes::compared_plan(R"({"formats": ["exfat", "hfs+j", "apfs"], "blocks": 12})");
    const auto device = fakes::compared_device(plan, 12, [](std::size_t format, std::uint32_t block, std::size_t) {
        return format == 2 ? std::nullopt
                           : std::optional((format == 0 ? 24 : 20) * (1 + static_cast<double>(block % 3) * 0.002));
    });
    const Course measured = course_of(plan, MediumRecords{.passes = device.passes, .untested = device.untested});
    CHECK_THAT(answer_of(measured, plan), StartsWith("random write: fastest: exFAT; failed passes: exFAT 0, "
                                                     "HFS+ Journaled 0, APFS "));
}

TEST_CASE("an interval is drawn on an axis of four margins in each direction and clipped beyond the axis") {
    const double m = std::log1p(0.05);
    CHECK(drawn_interval(-0.5 * m, 0.5 * m, m) == "............(.==o==.)............");
    CHECK(drawn_interval(m, 2 * m, m) == "............(...|...)=o==........");
    CHECK(drawn_interval(-9 * m, 9 * m, m) == "<===========(===o===)===========>");
    CHECK(drawn_interval(-9 * m, 15 * m, m) == "<===========(===|===)=======o===>");
    CHECK(drawn_interval(-HUGE_VAL, HUGE_VAL, m).size() == 33);
}

TEST_CASE("a running comparison shows its interval and the number of blocks until the decision") {
    const plan::Plan plan = fakes::compared_plan(R"({"formats": ["exfat", "hfs+j"], "blocks": 12})");
    const auto line = [&](std::uint32_t blocks, double advantage) {
        return running_lines(course(plan, blocks, advantage), plan).at(0);
    };
    CHECK(line(2, 0.1) == "random write     exFAT against HFS+ Journaled: waits for block 4");
    const auto device = fakes::compared_device(plan, 6, fakes::undecided);
    const auto open = course_of(plan, MediumRecords{.passes = device.passes, .untested = device.untested});
    CHECK_THAT(running_lines(open, plan).at(0),
               ContainsSubstring("(===|o==)") && ContainsSubstring("] waits for about 7 more blocks"));
    CHECK_THAT(line(5, 0.2), ContainsSubstring("waits for block 6: fewer blocks cannot show a difference"));
    CHECK_THAT(line(12, 0.2), ContainsSubstring("exFAT is faster"));
    // The budget of this comparison is too small.
    const plan::Plan small = fakes::compared_plan(R"({"formats": ["exfat", "hfs+j"], "blocks": 5})");
    const auto loud = fakes::compared_device(small, 4, fakes::undecided);
    const auto hardly = course_of(small, MediumRecords{.passes = loud.passes, .untested = loud.untested});
    CHECK_THAT(running_lines(hardly, small).at(0), ContainsSubstring(" more blocks, and 1 is left"));
}
