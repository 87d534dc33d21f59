// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/text/kept_text.hpp"

#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::report;
using workload::DamageKind, workload::KeptData;

namespace {

constexpr std::chrono::sys_seconds written_on{std::chrono::seconds(1'764'230'400)}; // 2025-11-27 08:00 UTC

KeptData sample() {
    return {.medium = "sd-03534453",
            .size = 32'000'000'000_B,
            .start = 0_B,
            .end = 32'000'000'000_B,
            .written_at = 1'764'230'400,
            .good = 32'000'000'000_B,
            .damaged = {},
            .damaged_bytes = {},
            .foreign_bytes = {}};
}

} // namespace

TEST_CASE("the text of kept data has their date, their age and the result") {
    const std::string text = kept_text(sample(), "sd-03534453", written_on + std::chrono::days(412), 200);
    CHECK(text ==
          "Data of a verify test, written on 2025-11-27, 412 days ago, to sd-03534453 (32.0 GB).\n"
          "32.0 GB of 32.0 GB were compared; all are as written.\n");
}

TEST_CASE("the text of kept data lists damage by kind and by place") {
    KeptData kept = sample();
    kept.damaged = {{.offset = 4096_B, .length = 512_B, .kind = DamageKind::flipped, .belongs_at = {}},
                    {.offset = 1'000'000'000_B, .length = 4'000'000_B, .kind = DamageKind::foreign, .belongs_at = {}}};
    kept.damaged_bytes = 4'000'512_B;
    kept.foreign_bytes = 4'000'000_B;
    const std::string text = kept_text(kept, "usb-1", written_on, 200);
    CHECK_THAT(text, ContainsSubstring("2025-11-27, today"));
    CHECK_THAT(text, ContainsSubstring("The present medium is usb-1: another reader, or a copy of the data."));
    CHECK_THAT(text, ContainsSubstring("4.00 MB are not: 512 B flipped bits, 4.00 MB other data."));
    CHECK_THAT(text, ContainsSubstring("  byte 4096, 512 B: flipped bits\n"));
    CHECK_THAT(kept_text(kept, "", written_on - std::chrono::days(2), 200),
               ContainsSubstring("in the future: a clock is wrong") && !ContainsSubstring("present medium"));
}

TEST_CASE("the text of h2w files has the counts of f3read") {
    workload::H2wReport files{.counts = {.good = 1'000'000'000_B,
                                         .changed = {},
                                         .overwritten = 512_B,
                                         .corrupted = 1024_B,
                                         .unreadable = {},
                                         .first_lost = 4096_B},
                              .files = 2,
                              .missing = 1,
                              .oldest = 1'764'230'400,
                              .cache_dropped = false};
    const std::string text = h2w_text(files, written_on + std::chrono::days(1), 200);
    CHECK_THAT(text, ContainsSubstring("2 files of H2testw or f3, the oldest written on 2025-11-27, 1 day ago."));
    CHECK_THAT(text, ContainsSubstring("1.00 GB are as written. Lost: 1.02 kB corrupted"));
    CHECK_THAT(text, ContainsSubstring("the first at byte 4096"));
    CHECK_THAT(text, ContainsSubstring("1 files before the last one are missing"));
    CHECK_THAT(text, ContainsSubstring("may have served"));
}
