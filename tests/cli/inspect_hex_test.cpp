// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/base/text_layout.hpp"
#include "host/cli/text/inspect_text.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::cli;

TEST_CASE("hex_of() prints the bytes of a parameter with offsets, and their number if the output is truncated") {
    media::InspectReport report{.size = 1_MiB, .scheme = "none", .volumes = {}};
    report.parameters = {{"mark", "1"}, {"code", "other"}};
    report.places = {
        {.name = "mark", .field = "Mark", .unit = {}, .at = 16_B, .length = 2_B, .hex = "55aa"},
        {.name = "code", .field = "BootCode", .unit = {}, .at = 120_B, .length = 390_B, .hex = std::string(128, 'f')}};
    CHECK(reason(hex_of(report, "mark")) == "success");
    CHECK(*hex_of(report, "mark") == "partition table, Mark: 2 bytes at byte 16\n00000010  55 aa\n");
    CHECK(hex_of(report, "code")->starts_with("partition table, BootCode: the first 64 of 390 bytes at byte 120\n"));
}

TEST_CASE(
    "hex_of() refuses a mistyped parameter and suggests a similar name, or lists all parameters that have bytes") {
    media::InspectReport report{.size = 1_MiB, .scheme = "none", .volumes = {}};
    report.places = {
        {.name = "cluster_size", .field = "S", .unit = {}, .at = 109_B, .length = 1_B, .hex = "03"},
        {.name = "fat_offset", .field = "F", .unit = {}, .at = 80_B, .length = 1_B, .hex = "03"},
        {.name = "free_clusters", .field = {}, .unit = "clusters", .at = {}, .length = {}, .hex = {}},
    };
    CHECK(reason(hex_of(report, "cluster_siz")) ==
          "there is no parameter 'cluster_siz' here; did you mean \"cluster_size\"?");
    CHECK(reason(hex_of(report, "colour")) ==
          "there is no parameter 'colour' here; expected one of \"cluster_size\", \"fat_offset\"");
    CHECK(reason(hex_of(report, "free_clusters")) ==
          "'free_clusters' is computed or counted: the medium contains no bytes of it");
    CHECK(reason(hex_of({.size = 1_MiB, .scheme = "none", .volumes = {}}, "mark")) ==
          "there is no parameter 'mark' here: this medium has no known structure");
}

TEST_CASE("an expected value of a profile cannot send control sequences to the terminal") {
    const std::vector<media::Deviation> deviations{{.severity = media::DeviationSeverity::warning,
                                                    .subject = "volume 1",
                                                    .name = "label",
                                                    .found = "\x1b[31m",
                                                    .expected = "\x1b[32m",
                                                    .reason = "r",
                                                    .source = "s",
                                                    .certainty = media::Certainty::custom}};
    CHECK(text_of(deviations, "the profile \x1b[31m") ==
          "Against the profile \uFFFD[31m: 1 deviation:\n"
          "warning: volume 1: label is \uFFFD[31m, expected \uFFFD[32m: r (custom; s)\n");
    CHECK(text_of({}, "the layout of the SD Association (sd)") ==
          "Against the layout of the SD Association (sd): no deviation\n");
}

TEST_CASE("the parameter table omits field names on a narrow terminal") {
    media::InspectReport report{.size = 1_MiB, .scheme = "none", .volumes = {}};
    report.parameters = {{"root_cluster", "4"}};
    report.places = {{.name = "root_cluster",
                      .field = "FirstClusterOfRootDirectory",
                      .unit = "cluster",
                      .at = 96_B,
                      .length = 4_B,
                      .hex = "04000000"}};
    const std::string whole = text_of(report), narrow = text_of(report, 60);
    CHECK_THAT(whole, ContainsSubstring("FirstClusterOfRootDirectory"));
    CHECK_THAT(text_of(report, 80), ContainsSubstring("FirstClusterOfRootDirectory"));
    CHECK(narrow.find("FirstClusterOfRootDirectory") == std::string::npos);
    CHECK_THAT(narrow, ContainsSubstring("root_cluster  4      cluster  96+4"));
    CHECK(widest_line("a\nb c d\n\n") == 5);
}

TEST_CASE("the output of inspect ends with a one-line summary") {
    media::InspectReport report{.size = 1_GiB, .scheme = "mbr", .volumes = {}};
    report.volumes.push_back({.start = 1_MiB, .length = 1_GiB, .file_system = "exfat", .label = "CARD"});
    report.volumes[0].usable = 265'000'000_B;
    report.volumes[0].fingerprint = {.formatter = "exfatprogs", .sureness = media::FormatterConfidence::likely};
    CHECK(summary_of(report) ==
          "In short: exFAT “CARD”, 265 MB free for files, in an MBR partition, formatted by exfatprogs\n");
    const auto warning = [](const char* name, const char* found) {
        return media::Deviation{.severity = media::DeviationSeverity::warning,
                                .subject = "volume 1",
                                .name = name,
                                .found = found,
                                .expected = "no",
                                .reason = {},
                                .source = {},
                                .certainty = {}};
    };
    CHECK(summary_of(report, {warning("volume_dirty", "yes"), warning("media_failure", "yes")}) ==
          "In short: exFAT “CARD”, 265 MB free for files, in an MBR partition, formatted by exfatprogs; volume 1: "
          "volume_dirty is yes; volume 1: media_failure is yes\n");
    CHECK(summary_of(report, {warning("problem", "damage")}) == summary_of(report));
    media::Deviation note = warning("case_sensitive", "yes");
    note.severity = media::DeviationSeverity::note;
    CHECK(summary_of(report, {note}) == summary_of(report));
    media::InspectReport locked{.size = 1_GiB, .scheme = "none", .volumes = {}};
    locked.volumes.push_back({.start = 0_B, .length = 1_GiB, .file_system = "luks", .label = ""});
    locked.volumes[0].problem = "encrypted: luks by its signature at byte 0, its contents cannot be read";
    CHECK(summary_of(locked) ==
          "In short: luks, encrypted: luks by its signature at byte 0, its contents cannot be read\n");
    report.scheme = "none";
    report.volumes[0].problem = "the boot checksum does not match";
    report.volumes.push_back({.start = 2_MiB, .length = 1_MiB, .file_system = "", .label = ""});
    CHECK(summary_of(report) ==
          "In short: exFAT “CARD”, 265 MB free for files, formatted by exfatprogs, damaged: the "
          "boot checksum does not match; no known file system\n");
    CHECK(summary_of({.size = 1_GiB, .scheme = "none", .volumes = {}}) ==
          "In short: its contents are not known here, and it is not blank\n");
    CHECK(summary_of({.size = 1_GiB,
                      .scheme = "none",
                      .volumes = {},
                      .problem = "boot sector at byte 0: BPB_NumFATs: no file system is recognised"}) ==
          "In short: its contents are not known here: boot sector at byte 0: BPB_NumFATs: no file system is "
          "recognised\n");
    CHECK(summary_of({.size = 1_GiB, .scheme = "none", .volumes = {}, .blank = true}) ==
          "In short: it contains nothing known, and both ends are blank\n");
    // A short medium is read completely, so it is called blank without a restriction to its ends.
    CHECK(summary_of({.size = 2_MiB, .scheme = "none", .volumes = {}, .blank = true}) == "In short: it is blank\n");
    CHECK(summary_of({.size = 1_GiB, .scheme = "gpt", .volumes = {}, .problem = "GPT header in sector 1: Signature"}) ==
          "In short: GPT without a readable partition, damaged: GPT header in sector 1: Signature\n");
    CHECK(summary_of({.size = 1_GiB, .scheme = "mbr", .volumes = {}}) == "In short: MBR without a partition\n");
    report = {.size = 1_GiB, .scheme = "gpt", .volumes = {}, .problem = "backup: Signature"};
    report.volumes.push_back({.start = 1_MiB,
                              .length = 1_MiB,
                              .file_system = "",
                              .label = "",
                              .parameters = {{"partition_type_name", "Microsoft reserved"}}});
    CHECK(summary_of(report) ==
          "In short: no known file system, in a GPT partition (Microsoft reserved); partition table damaged: backup: "
          "Signature\n");
}

TEST_CASE("the signs of use are lines below the verdict, with their false alarms") {
    media::InspectReport report{.size = 64_MiB, .scheme = "none", .volumes = {}};
    report.volumes.emplace_back().free_space =
        media::FreeSpaceSample{.sampled = 64, .with_data = 12, .unreadable = 1, .first = 3_MiB};
    CHECK(text_of(media::earlier_use_of(media::Medium{}, report)) ==
          "used or new: signs of use: data in free space (12 of 64 places); not sufficient for a verdict\n"
          "  data in free space: 12 of 64 places: deleted files and earlier formats leave data there, a factory rarely "
          "does (false alarms: 0 of 6 new media)\n");
    CHECK_THAT(text_of(report), ContainsSubstring("free space: 12 of 64 sampled places contain data, the first at "
                                                  "byte 3145728; 1 are not readable\n"));
}
