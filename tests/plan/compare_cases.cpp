// SPDX-License-Identifier: GPL-3.0-or-later
/// Faults in the member "compare" of a plan.
#include "tests/plan/plan_cases.hpp"

namespace mediarig::plan {

// clang-format off: one plan per row
const std::vector<PlanCase>& bad_comparisons() {
    constexpr auto beyond = Schema::cannot_tell;
    static const std::vector<PlanCase> rows{
        {R"({"compare": {"formats": ["exfat", "hfs+j"]}})",
         {"/compare: cannot be combined with \"formats\": it defines its own formats; keep one of them"}},
        {R"({"formats": null, "compare": "exfat"})", {"/compare: must be an object, is \"exfat\""}},
        {R"({"formats": null, "compare": {}})",
         {"/compare: must define the compared formats in one way: \"formats\", \"baseline\" with \"deviations\", or "
          "\"self_test\""}},
        {R"({"formats": null, "compare": {"formats": ["exfat", "hfs+j"], "self_test": "exfat"}})",
         {"/compare: must define the compared formats in one way: \"formats\", \"baseline\" with \"deviations\", or "
          "\"self_test\""}},
        {R"({"formats": null, "compare": {"baseline": "exfat"}})",
         {"/compare: has a \"baseline\" and no \"deviations\" from it"}},
        {R"({"formats": null, "compare": {"deviations": ["misaligned"]}})",
         {"/compare: has \"deviations\" and no \"baseline\""}},
        {R"({"formats": null, "compare": {"formats": ["exfat"]}})",
         {"/compare/formats: names fewer than two formats; a comparison needs at least two"}},
        {R"({"formats": null, "compare": {"formats": ["exfat", "hfs+j", "exfat"]}})",
         {"/compare/formats/2: is named already; a self-test compares a format with itself"},
         beyond},
        {R"({"formats": null, "compare": {"formats": ["exfat", "exfat", "zfs", "keep"]}})",
         {"/compare/formats/1: is named already; a self-test compares a format with itself",
          "/compare/formats/2/fs: unknown file system \"zfs\"; expected one of \"exfat\", \"apfs\", \"hfs+j\", "
          "\"hfs+\", "
          "\"hfsx+j\", \"fat32\", \"fat16\", \"fat12\", \"keep\"",
          "/compare/formats/3: \"keep\" formats nothing, so nothing can be compared with it"}},
        {R"({"formats": null, "compare": {"formats": ["exfat", "hfs+j"], "blocks": 3}})",
         {"/compare/blocks: must be a whole number from 4 to 60, or \"endless\", is 3"}},
        {R"({"formats": null, "compare": {"formats": ["exfat", "hfs+j"], "blocks": 61}})",
         {"/compare/blocks: must be a whole number from 4 to 60, or \"endless\", is 61"}},
        {R"({"formats": null, "compare": {"formats": ["exfat", "hfs+j"], "blocks": "all"}})",
         {"/compare/blocks: unknown budget \"all\"; expected one of \"endless\""}},
        {R"({"formats": null, "compare": {"formats": ["exfat", "hfs+j"], "margin_percent": 0}})",
         {"/compare/margin_percent: must be 0.1 to 100 per cent, is 0"}},
        {R"({"formats": null, "compare": {"formats": ["exfat", "hfs+j"], "headlines": ["seq_write", "write", "seq_write"]}})",
         {"/compare/headlines/1: unknown operation \"write\"; expected one of \"seq_read\", \"seq_write\", "
          "\"random_read\", "
          "\"random_write\"",
          "/compare/headlines/2: is named already"}},
        {R"({"formats": null, "suites": [{"suite": "quickbench", "accesses": ["seq_read"]}], "compare": {"formats": ["exfat", "hfs+j"], "headlines": ["seq_write"]}})",
         {"/compare/headlines/0: is not measured by a suite of this plan"},
         beyond},
        {R"({"formats": null, "suites": ["verify"], "compare": {"formats": ["exfat", "hfs+j"]}})",
         {"/compare: compares suites that measure files, and this plan has no such suite"},
         beyond},
        {R"({"formats": null, "suites": ["quickbench", {"suite": "verify", "where": "raw"}], "compare": {"formats": ["exfat", "hfs+j"]}})",
         {"/compare: compares formats, but a raw suite of this plan uses no format; remove the raw suite"}},
        {R"({"formats": null, "compare": {"formats": ["exfat", "hfs+j"], "blocks": 4, "orders": [["exfat", "hfs+j"], ["exfat"], ["exfat", "exfat"], ["exfat", "apfs"]]}})",
         {"/compare/orders/1: must name each compared format once",
          "/compare/orders/2: must name each compared format once",
          "/compare/orders/3: must name each compared format once"},
         beyond},
        {R"({"formats": null, "compare": {"formats": ["exfat", "hfs+j"], "orders": [["exfat", "hfs+j"]]}})",
         {"/compare/orders: define 1 blocks, but the comparison has 12; remove this member to draw the orders at "
          "random"},
         beyond},
        {R"({"formats": null, "compare": {"baseline": "exfat", "deviations": []}})",
         {"/compare/deviations: names no deviation; add at least one"}},
        {R"({"formats": null, "compare": {"baseline": "exfat", "deviations": ["misaligned"], "repeats": 4}})",
         {"/compare/repeats: unknown member; expected one of \"formats\", \"self_test\", \"baseline\", \"deviations\", "
          "\"blocks\", \"margin_percent\", \"rest_s\", \"rest_at_most_s\", \"discard\", \"fill\", \"headlines\", "
          "\"orders\""}},
        {R"({"formats": null, "compare": {"baseline": 5, "deviations": ["misaligned"]}})",
         {"/compare/baseline: must be a format, is 5"}},
        {R"({"formats": null, "compare": {"baseline": "exfta", "deviations": ["misaligned"]}})",
         {"/compare/baseline/fs: unknown file system \"exfta\"; did you mean \"exfat\"?"}},
        {R"({"formats": null, "compare": {"baseline": "keep", "deviations": ["fs:hfs+"]}})",
         {"/compare/baseline: \"keep\" formats nothing, so nothing can be compared with it"}},
        {R"({"formats": null, "compare": {"baseline": {"fs": "exfat", "suites": []}, "deviations": ["misaligned"]}})",
         {"/compare/baseline: has its own \"suites\"; a comparison measures the same suites in all formats"}},
        {R"({"formats": null, "compare": {"baseline": "exfat", "deviations": ["misaligned", 7, "4KiB", {}]}})",
         {"/compare/deviations/1: must be a deviation from the baseline, such as {\"cluster_size\": \"4KiB\"}, "
          "\"cluster_size:4KiB\", \"fs:hfs+\" or \"misaligned\", is 7",
          "/compare/deviations/2: must be a deviation from the baseline, such as {\"cluster_size\": \"4KiB\"}, "
          "\"cluster_size:4KiB\", \"fs:hfs+\" or \"misaligned\", is \"4KiB\"",
          "/compare/deviations/3: must be a deviation from the baseline, such as {\"cluster_size\": \"4KiB\"}, "
          "\"cluster_size:4KiB\", \"fs:hfs+\" or \"misaligned\", is an object"}},
        {R"({"formats": null, "compare": {"baseline": "exfat", "deviations": ["cluster_size:5KiB"]}})",
         {"/compare/deviations/0/cluster_size: must be a power of two from 512 bytes to 32 MiB, is \"5KiB\""}},
        {R"({"formats": null, "compare": {"baseline": "exfat", "deviations": [{"clustersize": "4KiB"}]}})",
         {"/compare/deviations/0/clustersize: unknown member; did you mean \"cluster_size\"?"}},
        {R"({"formats": null, "compare": {"baseline": "exfat", "deviations": ["fs:exfat"]}})",
         {"/compare/deviations/0: does not differ from the baseline"},
         beyond},
        {R"({"formats": null, "compare": {"baseline": "exfat", "deviations": ["cluster_size:4KiB", {"cluster_size": 4096}]}})",
         {"/compare/deviations/1: is named already; name each deviation once"},
         beyond},
        {R"({"formats": null, "compare": {"formats": ["exfat", "hfs+j"]}, "repeats": 5})",
         {"/repeats: cannot be combined with \"compare\", whose \"blocks\" set the number of passes of each format"}},
        {R"({"formats": null, "compare": {"formats": ["exfat", "hfs+j"]}, "order": "listed"})",
         {"/order: must be \"random\" for a comparison: its test of a difference requires an independent random order "
          "of "
          "each block"}},
        {R"({"formats": null, "compare": {"formats": ["exfat", "hfs+j"]}, "order": "random_pairs"})",
         {"/order: must be \"random\" for a comparison: its test of a difference requires an independent random order "
          "of "
          "each block"}},
        {R"({"formats": null, "media": [{"path": "/dev/sdb"}], "compare": {"formats": ["exfat", "hfs+j"]}})",
         {"/media/0/confirm: is missing, and all data on /dev/sdb will be erased; add \"confirm\" with the serial that "
          "`mediarig devices` shows for it (\"/dev/sdb\" if it has none)"}},
        {R"({"formats": null, "media": [{"directory": "/media/x"}], "compare": {"formats": ["exfat", "hfs+j"]}})",
         {"/media/0/directory: a directory is measured as it is and never formatted; leave \"formats\" out, or name a "
          "device or an image"}},
    };
    return rows;
}

// clang-format on

} // namespace mediarig::plan
