// SPDX-License-Identifier: GPL-3.0-or-later
/// Comparison of the printed label with the data that the medium reports.
#include "host/campaign/run/label_claims.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::campaign;

namespace {

store::DeviceRecord labelled(const std::string& label, std::uint64_t bytes) {
    store::DeviceRecord record{.label = label};
    record.identity.size = Bytes{bytes};
    return record;
}

std::vector<std::string> told(const store::DeviceRecord& record) {
    std::vector<std::string> lines;
    for (const measure::Finding& finding : findings_about_label(record)) {
        CHECK(finding.kind == measure::FindingKind::identity_changed);
        CHECK(finding.severity == measure::Severity::warning);
        lines.push_back(finding.detail);
    }
    return lines;
}

constexpr std::uint64_t real_64_gb = 63'864'569'856;

} // namespace

TEST_CASE("a label is parsed into capacity and speed classes in the notations that are printed on media") {
    struct Row {
        const char* label;
        LabelClaims claims;
    };
    const Row rows[] = {
        {"", {}},
        {"from the drawer", {}},
        {"64GB", {.capacity = Bytes{64'000'000'000}}},
        {"SanDisk Extreme 64 GB microSDXC V30 A2 U3 170 MB/s",
         {.capacity = Bytes{64'000'000'000}, .uhs_grade = 3, .video_class = 30, .app_class = 2}},
        {"170MB/s, 1.5TB", {.capacity = Bytes{1'500'000'000'000}}},
        {"Class 10 512mb", {.capacity = Bytes{512'000'000}, .speed_class = 10}},
        {"C4 A7 V31 U2", {.speed_class = 4}},
        {"lot 64", {}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.label);
        CHECK(label_claims(row.label) == row.claims);
    }
}

TEST_CASE("a capacity that differs much from the label is reported") {
    CHECK(told(labelled("64 GB", real_64_gb)).empty());
    CHECK(told(labelled("", real_64_gb)).empty());
    // The size of an image is unknown before the image exists.
    CHECK(told(labelled("64 GB", 0)).empty());
    CHECK(told(labelled("128 GB", real_64_gb)) ==
          std::vector<std::string>{
              "the label promises 128 GB, but the medium has 63.9 GB: it is a different medium, or has a wrong label"});
    CHECK(told(labelled("32 GB", real_64_gb)).size() == 1);
}

TEST_CASE("a class on the label that exceeds the card's status is reported, and a lower class is not") {
    store::DeviceRecord record = labelled("64 GB V30 A2 U3 C10", real_64_gb);
    // Such a reader does not transmit the card's status.
    CHECK(told(record).empty());
    record.identity.sd = media::SdIdentity{.speed_class = 10, .uhs_grade = 3, .video_class = 60, .app_class = 2};
    CHECK(told(record).empty());
    record.identity.sd = media::SdIdentity{.speed_class = 10, .uhs_grade = 1, .video_class = 10, .app_class = 0};
    const auto lines = told(record);
    REQUIRE(lines.size() == 3);
    CHECK(lines[0] ==
          "the label promises UHS grade 3, but the card's status has 1: label and card do not belong together");
    CHECK(lines[1].starts_with("the label promises video speed class 30, but the card's status has 10"));
    CHECK(lines[2].starts_with("the label promises application class 2, but the card's status has none"));
}
