// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/campaign/comparison/recorded_comparison.hpp"

#include <cmath>

#include "host/campaign/comparison/cells.hpp"
#include "tests/catch.hpp"
#include "tests/fakes/compared_campaign.hpp"

using namespace mediarig;
using namespace mediarig::comparison_campaign;
using measure::comparison::ComparisonVerdict;

namespace {

constexpr const char* two = R"({"formats": ["exfat", "hfs+j"], "blocks": 8})";

/// exFAT is faster by ten per cent, with a scatter of half a per cent.
std::optional<double> a_tenth(std::size_t format, std::uint32_t block, std::size_t) {
    const double scatter = static_cast<double>((block * 7 + format * 3) % 5) * 0.002;
    return (format == 0 ? 22 : 20) * (1 + scatter);
}

Course course_of(const plan::Plan& plan, const store::DeviceView& device, bool closed = false) {
    return comparison_campaign::course_of(plan,
                                          {.passes = device.passes, .untested = device.untested, .closed = closed});
}

} // namespace

TEST_CASE("a new comparison requests all its formats in the random order") {
    const plan::Plan plan = fakes::compared_plan(two);
    const Course course = course_of(plan, {});
    CHECK(course.blocks.empty());
    CHECK(course.next == 1);
    CHECK(course.wanted == plan.compare->orders[0]);
    CHECK_FALSE(course.comparison.ended());
}

TEST_CASE("a comparison stops at the first deciding block") {
    const plan::Plan plan = fakes::compared_plan(two);
    const Course five = course_of(plan, fakes::compared_device(plan, 5, a_tenth));
    CHECK(five.wanted == plan.compare->orders[5]);
    const Course six = course_of(plan, fakes::compared_device(plan, 6, a_tenth));
    CHECK(six.wanted.empty());
    CHECK(six.comparison.pair_results()[0].verdict == ComparisonVerdict::faster);
    CHECK(six.comparison.pair_results()[0].faster_format() == 0);
    REQUIRE(six.blocks.size() == 6);
    CHECK(six.blocks[4].pair_results[0].verdict == ComparisonVerdict::open);
    CHECK(six.blocks[5].pair_results[0].verdict == ComparisonVerdict::faster);
    // Later measurements do not change the decision.
    const Course more = course_of(plan, fakes::compared_device(plan, 8, a_tenth));
    CHECK(more.blocks.size() == 6);
}

TEST_CASE("a headline is the geometric mean of all cells of its operation, and unset if a cell is missing") {
    const plan::Plan plan = fakes::compared_plan(two);
    auto device = fakes::compared_device(plan, 2, a_tenth);
    auto& cells = device.passes[0].cells;
    cells[0].elapsed *= 4; // a quarter of the rate in one of two cells halves their geometric mean
    const auto headline = [&](std::size_t block) {
        const Course course = course_of(plan, device);
        return course.blocks[block].passes[0].headlines[0];
    };
    const std::size_t format = plan.compare->orders[0][0];
    CHECK(headline(0).value() == Approx(1e6 * *a_tenth(format, 1, 0) / 2).epsilon(1e-6));
    cells.pop_back();
    CHECK_FALSE(headline(0));
    CHECK(headline(1));
}

TEST_CASE("a failed or interrupted format counts as a failure in its block, without a substitute value") {
    const plan::Plan plan = fakes::compared_plan(two);
    auto device = fakes::compared_device(plan, 5, [](std::size_t format, std::uint32_t block, std::size_t place) {
        return format == 1 && block == 2 ? std::nullopt : a_tenth(format, block, place);
    });
    device.passes[0].cells[0].end = workload::CellEnd::error;
    const Course course = course_of(plan, device);
    REQUIRE(course.blocks.size() == 5);
    CHECK(course.blocks[0].passes[0].failed);
    const auto& failed = course.blocks[1].passes;
    const auto hfs =
        std::find_if(failed.begin(), failed.end(), [](const FormatPass& pass) { return pass.format == 1; });
    REQUIRE(hfs != failed.end());
    CHECK(hfs->failed);
    CHECK(hfs->reason == "quickbench on hfs+j, repeat 2: the medium said no");
    CHECK(course.blocks[1].whole);
    CHECK(course.comparison.pair_results()[0].look.blocks == 3);
}

TEST_CASE("an interrupted block is not completed, and the next block begins") {
    const plan::Plan plan = fakes::compared_plan(two);
    auto device = fakes::compared_device(plan, 3, a_tenth);
    SECTION("without its second format") {
        device.passes.pop_back();
    }
    SECTION("with an unfinished pass") {
        device.passes.back().end.reset();
    }
    const Course course = course_of(plan, device);
    CHECK_FALSE(course.blocks.back().whole);
    CHECK(course.next == 4);
    CHECK(course.comparison.pair_results()[0].look.blocks == 2);
}

TEST_CASE("an interrupted block uses no budget, and the next block takes over its order") {
    const plan::Plan plan = fakes::compared_plan(R"({"formats": ["exfat", "hfs+j"], "blocks": 6})");
    auto device = fakes::compared_device(plan, 6, a_tenth);
    device.passes.erase(device.passes.begin());
    const Course five = course_of(plan, device);
    CHECK(five.comparison.blocks() == 5);
    CHECK_FALSE(five.comparison.ended());
    CHECK(five.next == 7);
    CHECK(five.wanted == plan.compare->orders[5]);
    for (std::size_t place = 9; place < 11; ++place) {
        store::PassView pass = device.passes[place];
        pass.pass.repeat = 7;
        device.passes.push_back(std::move(pass));
    }
    const Course six = course_of(plan, device);
    CHECK(six.wanted.empty());
    CHECK(six.comparison.pair_results()[0].verdict == ComparisonVerdict::faster);
    CHECK(six.comparison.pair_results()[0].look.blocks == 6);
}

TEST_CASE("repeatedly interrupted blocks end a comparison") {
    const plan::Plan plan = fakes::compared_plan(R"({"formats": ["exfat", "hfs+j"], "blocks": 4})");
    std::vector<std::string> cut_off;
    for (std::uint32_t number = 1; number <= most_numbered(plan); ++number) {
        const Course course = comparison_campaign::course_of(plan, {.passes = {}, .untested = {}, .cut_off = cut_off});
        CHECK(course.next == number);
        cut_off.push_back("m0.r" + std::to_string(number) + ".exfat.quickbench");
    }
    const Course course = comparison_campaign::course_of(plan, {.passes = {}, .untested = {}, .cut_off = cut_off});
    CHECK(course.wanted.empty());
    CHECK(course.comparison.pair_results()[0].verdict == ComparisonVerdict::out_of_budget);
}

TEST_CASE("a block counts as interrupted if its passes are recorded only by name") {
    const plan::Plan plan = fakes::compared_plan(two);
    const store::DeviceView none;
    const Course named = comparison_campaign::course_of(
        plan, {.passes = none.passes, .untested = none.untested, .cut_off = {"m0.r1.exfat.quickbench"}});
    CHECK(named.next == 2);
}

TEST_CASE("if a medium fails in block 7 of 12, the complete blocks decide, and open pairs stay undecided") {
    const plan::Plan plan = fakes::compared_plan(R"({"formats": ["exfat", "hfs+j"], "blocks": 12})");
    auto device = fakes::compared_device(plan, 7, fakes::undecided);
    device.passes.pop_back();
    device.untested.push_back({.key = "m0.claim", .why = "the medium is gone"});
    CHECK(course_of(plan, device).next == 8);
    const Course course = course_of(plan, device, true);
    CHECK(course.wanted.empty());
    CHECK(course.comparison.ended());
    CHECK(course.comparison.pair_results()[0].verdict == ComparisonVerdict::out_of_budget);
    CHECK(course.comparison.pair_results()[0].look.blocks == 6);
}

TEST_CASE("a format that is decided against both other formats is not requested again") {
    const plan::Plan plan = fakes::compared_plan(R"({"formats": ["exfat", "hfs+j", "apfs"], "blocks": 12})");
    const Course course = course_of(plan, fakes::compared_device(plan, 7, fakes::undecided));
    REQUIRE(course.wanted.size() == 2);
    CHECK(std::find(course.wanted.begin(), course.wanted.end(), 2U) == course.wanted.end());
    CHECK(course.blocks.back().passes.size() == 2);
    CHECK(course.blocks.back().whole);
}

TEST_CASE("deviations are compared with their baseline, not with each other") {
    const plan::Plan plan = fakes::compared_plan(
        R"({"baseline": "exfat", "deviations": ["misaligned", "cluster_size:4KiB"], "blocks": 6})");
    const Course course = course_of(plan, {});
    REQUIRE(course.comparison.pair_results().size() == 2);
    for (const auto& pair_result : course.comparison.pair_results()) CHECK(pair_result.first == 0);
}

TEST_CASE("a comparison without a block budget continues until decided, and makes no claim if it is closed before") {
    const plan::Plan plan = fakes::compared_plan(R"({"formats": ["exfat", "hfs+j"], "blocks": "endless"})");
    CHECK_FALSE(design_of(plan).terms.budget);
    const auto alike = [](std::size_t, std::uint32_t block, std::size_t place) {
        return 20 * (1 + static_cast<double>((block * 13 + place * 7) % 11) * 0.02);
    };
    const auto device = fakes::compared_device(plan, 30, alike);
    CHECK(course_of(plan, device).next == 31);
    CHECK(course_of(plan, device, true).comparison.pair_results()[0].verdict == ComparisonVerdict::out_of_budget);
    const auto apart = fakes::compared_device(plan, 30, a_tenth);
    CHECK(course_of(plan, apart).comparison.pair_results()[0].verdict == ComparisonVerdict::faster);
}

TEST_CASE("a replay evaluates each prefix of the blocks as the campaign did at that time") {
    const plan::Plan plan = fakes::compared_plan(two);
    const auto device = fakes::compared_device(plan, 4, a_tenth);
    const Course whole = course_of(plan, device);
    for (const Block& block : whole.blocks) {
        const Course until = comparison_campaign::course_of(
            plan, {.passes = device.passes, .untested = device.untested, .last = block.number});
        REQUIRE(until.blocks.size() == block.number);
        CHECK(until.comparison.pair_results()[0].verdict == block.pair_results[0].verdict);
        CHECK(until.comparison.pair_results()[0].look.half_width == block.pair_results[0].look.half_width);
    }
}

TEST_CASE("an untested step whose key names no block and format does not count as a failed pass") {
    const plan::Plan plan = fakes::compared_plan(two);
    store::DeviceView device;
    for (const char* key : {"m0.claim", "m0.rx.exfat.format", "m0.r1", "m0.r1.", "m0.r1.compare",
                            "m0.r99999999999999999999.exfat.format", ""})
        device.untested.push_back({.key = key, .why = "refused"});
    CHECK(course_of(plan, device).next == 1);
}

TEST_CASE("cells_of tests the cells as one family and finds the cells in which formats differ") {
    const plan::Plan plan = fakes::compared_plan(R"({"formats": ["exfat", "hfs+j"], "blocks": 12})");
    auto device = fakes::compared_device(plan, 8, fakes::undecided);
    // exFAT is slower in transfers of 4 KiB and faster in transfers of 64 KiB, so the headline does not decide.
    for (store::PassView& pass : device.passes) {
        if (pass.pass.format != "exfat") continue;
        pass.cells[0].elapsed = pass.cells[0].elapsed * 3 / 2;
        pass.cells[1].elapsed = pass.cells[1].elapsed * 2 / 3;
    }
    const auto cells = cells_of(course_of(plan, device));
    REQUIRE(cells.size() == 2);
    CHECK(cells[0].cell.key == "quickbench.standard.random_write.4096");
    CHECK(cells[0].mark.claim);
    CHECK(cells[0].look.counts().value == Approx(-std::log(1.5)).margin(0.02));
    CHECK(cells[1].mark.claim);
    CHECK(cells[1].look.counts().value == Approx(std::log(1.5)).margin(0.02));
    CHECK(cells[1].first_rate / cells[1].second_rate == Approx(1.5).margin(0.05));
}
