// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/trial/causes.hpp"

#include <algorithm>
#include <utility>

#include "common/split_mix.hpp"
#include "tests/catch.hpp"
#include "tests/fakes/compared_campaign.hpp"

using namespace mediarig;
using namespace mediarig::trial;
using Catch::Matchers::StartsWith;

namespace {

/// On a card that has one fault, and never decides before the tenth block.
std::vector<std::string> causes(const fakes::RateOf& fault) {
    const plan::Plan plan =
        fakes::compared_plan(R"({"formats": ["exfat", "hfs+j"], "blocks": 60, "margin_percent": 0.1})");
    const auto device =
        fakes::compared_device(plan, 10, [&](std::size_t format, std::uint32_t block, std::size_t place) {
            const std::uint64_t drawn = SplitMix(block * 64 + format).next() >> 11;
            const double scatter = 0.02 * static_cast<double>(drawn) / static_cast<double>(1ULL << 53);
            return *fault(format, block, place) * (1 + scatter);
        });
    return causes_of(course_of(plan, Recorded{.passes = device.passes, .untested = device.untested}), plan);
}

bool says(const std::vector<std::string>& lines, const std::string& text) {
    return std::any_of(lines.begin(), lines.end(),
                       [&](const std::string& line) { return line.find(text) != std::string::npos; });
}

} // namespace

TEST_CASE("a card without a fault has no cause told but where its squares lie") {
    const auto lines = causes([](std::size_t, std::uint32_t, std::size_t) { return 20.0; });
    REQUIRE(lines.size() == 1);
    CHECK_THAT(lines[0], StartsWith("random write: of the squares about the mean, "));
}

TEST_CASE("a card that becomes slower is told with how much in all") {
    const auto lines = causes([](std::size_t, std::uint32_t block, std::size_t) { return 20.0 * (1 - 0.03 * block); });
    CHECK(says(lines, "% slower with each block, "));
    CHECK(says(lines, "take it out of the answer"));
}

TEST_CASE("a card whose second pass of a block is slower is told by place") {
    const auto lines =
        causes([](std::size_t, std::uint32_t, std::size_t place) { return place % 2 == 1 ? 18.0 : 20.0; });
    CHECK(says(lines, "% slower with each place later in a block"));
}

TEST_CASE("a stall in one pass is named with its block, and whether the answer would be another one without it") {
    const auto lines = causes(
        [](std::size_t format, std::uint32_t block, std::size_t) { return block == 3 && format == 1 ? 8.0 : 20.0; });
    CHECK(says(lines, "random write, exFAT against HFS+ Journaled: block 3 (+"));
    CHECK(says(lines, "stands out and stays in. Without, the answer would "));
}

TEST_CASE("a format that scatters more than the other one is told") {
    const auto lines = causes([](std::size_t format, std::uint32_t block, std::size_t) {
        return format == 1 ? 20.0 * (1 + 0.25 * (static_cast<double>(block * 7 % 5) - 2) / 2) : 20.0;
    });
    CHECK(says(lines, "random write: HFS+ Journaled repeats worse than exFAT"));
}

TEST_CASE("of three formats, what one leaves to the next is told with its size and what the answer would be") {
    const plan::Plan plan =
        fakes::compared_plan(R"({"formats": ["exfat", "hfs+j", "apfs"], "blocks": 60, "margin_percent": 0.1})");
    const auto lines_of = [&](double left_behind) {
        std::size_t before = 1;
        const auto device = fakes::compared_device(plan, 12, [&](std::size_t format, std::uint32_t block, std::size_t) {
            const std::uint64_t drawn = SplitMix(block * 64 + format).next() >> 11;
            const double scatter = 0.02 * static_cast<double>(drawn) / static_cast<double>(1ULL << 53);
            return std::optional(20.0 * (std::exchange(before, format) == 0 ? 1 - left_behind : 1) * (1 + scatter));
        });
        return causes_of(course_of(plan, Recorded{.passes = device.passes, .untested = device.untested}), plan);
    };
    const auto lines = lines_of(0.1);
    CHECK(says(lines, "random write: carry-over: what follows exFAT is "));
    CHECK(says(lines, "random write, exFAT against HFS+ Journaled: "));
    CHECK(says(lines, " % with the carry-over taken out; the answer would be "));
    CHECK_FALSE(says(lines_of(0), "carry-over"));
}
