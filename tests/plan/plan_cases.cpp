// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/plan/plan_cases.hpp"

#include "host/plan/parse_plan.hpp"
#include "host/workload/suites/suite.hpp"
#include "tests/catch.hpp"
#include "tests/json.hpp"

namespace mediarig::plan {

std::string_view base_plan() {
    return R"({"mediarig_plan": 1, "media": [{"path": "/dev/sdb", "confirm": "S1"}],
               "formats": ["exfat"], "suites": ["quickbench"]})";
}

std::string plan_text(const PlanCase& row) {
    auto plan = nlohmann::json::parse(base_plan());
    plan.merge_patch(nlohmann::json::parse(row.change));
    return plan.dump();
}

Plan plan_with(const std::string& patch) {
    const auto plan = parse_plan(plan_text({patch.c_str(), {}}));
    INFO((plan ? std::string() : plan.error().lines.front()));
    REQUIRE(plan);
    return *plan;
}

namespace {

std::string quoted_suites() {
    std::string all;
    for (const std::string_view name : suites::suite_names())
        all += std::string(all.empty() ? "" : ", ") + '"' + std::string(name) + '"';
    return all;
}

std::vector<PlanCase> with_comparisons(std::vector<PlanCase> rows) {
    rows.insert(rows.end(), bad_comparisons().begin(), bad_comparisons().end());
    return rows;
}

} // namespace

// clang-format off: one plan per row
const std::vector<PlanCase>& good_plans() {
    static const std::vector<PlanCase> rows{
        {R"({})", {}},
        {R"({"name": "nightly – Prüfung", "$schema": "plan.schema.json"})", {}},
        {R"({"media": [{"image": "/var/tmp/a.img", "confirm": "/var/tmp/a.img"}]})", {}},
        {R"({"media": [{"path": "/dev/sdb", "partition": 2}], "formats": ["keep"]})", {}},
        {R"({"formats": ["exFAT", {"fs": "HFS+ Journaled"}, "apfs"]})", {}},
        {R"({"media": [{"slot": 1}, {"slot": 255, "name": "last", "lot": "L", "label": "64 GB"}]})", {}},
        {R"({"media": [{"slot": 1}], "lab": [{"slot": 1, "kind": "sd", "card": "good-uhs1", "size": "1GiB", "seed": 7}]})",
         {}},
        {R"({"media": [{"slot": 2}], "lab": [{"slot": 1, "kind": "reader", "card": "a"}, {"slot": 2, "kind": "uas", "card": "/srv/b.json"}, {"slot": 3, "kind": "hub", "card": "c", "size": 3000}, {"slot": 4, "kind": "usb", "card": "d"}, {"slot": 5, "kind": "nvme", "card": "e", "size": 3000}]})",
         {}},
        {R"({"media": null, "slots": "all"})", {}},
        {R"({"media": null, "slots": [3, 1, 255]})", {}},
        {R"({"media": null, "slots": {"numbers": "all", "lot": "L7", "label": "64 GB"}})", {}},
        {R"({"media": null, "slots": {"numbers": [2]}, "formats": null, "suites": [{"suite": "verify", "where": "raw"}]})",
         {}},
        {R"({"media": [{"slot": 1}], "lab": [{"slot": 1, "kind": "usb", "card": "a"}], "lab_uplink": 3000000})", {}},
        {R"({"media": [{"slot": 1}], "lab": [{"slot": 1, "kind": "sd", "card": "a", "size": 3145728}],
             "lab_machine": "virtual"})",
         {}},
        {R"({"media": [{"slot": 1}], "lab": [{"slot": 1, "card": "a", "size": 3000000}]})", {}},
        {R"({"media": null, "slots": "all", "lab": [{"slot": 4, "kind": "usb", "card": "a"}]})", {}},
        {R"({"media": [{"path": "/dev/..sdb", "confirm": "S1", "contents_unknown": true, "use_unknown": true}, {"slot": 4, "contents_unknown": false}]})",
         {}},
        {R"({"media": [{"directory": "/media/x"}], "formats": null})", {}},
        {R"({"media": [{"directory": "/media/x"}], "formats": []})", {}},
        {R"({"formats": null, "suites": [{"suite": "verify", "where": "raw"}]})", {}},
        {R"({"suites": ["quickbench", {"suite": "capacity", "where": "raw", "assumed_cache": "64MiB"}]})", {}},
        {R"({"suites": [{"suite": "sysbench-fileio", "sync": "each_io_attributes", "options": ["file-io-mode=mmap", "file-rw-ratio=0.5", "file-num=4096"]}]})",
         {}},
        {R"({"media": [{"path": "/dev/sdb"}], "formats": ["keep"]})", {}},
        {R"({"media": [{"path": "/dev/sdb"}], "formats": [{"fs": "keep", "suites": []}]})", {}},
        {R"({"formats": ["exfat", "apfs", "hfs+j", "hfs+", "hfsx+j", "fat32"]})", {}},
        {R"({"suites": null, "formats": [{"fs": "apfs", "suites": []}]})", {}},
        {R"({"suites": [], "formats": ["apfs"]})", {}},
        {R"({"formats": [{"fs": "exfat", "cluster_size": "32KiB"}, {"fs": "exfat", "cluster_size": 131072, "label": "CARD"}]})",
         {}},
        {R"({"suites": ["verify", {"suite": "disktester", "quick": true, "tables": ["iops"], "accesses": ["random_read"]}]})",
         {}},
        {R"({"suites": [{"suite": "quickbench", "blocks": [4096, "8 KiB", 512.0], "span": "64MiB", "volume": "1GiB", "time_limit_s": 0.5}]})",
         {}},
        {R"({"suites": [{"suite": "quickbench", "engine": "uring", "queue_depth": 8, "cache": "dropped", "sync": "each_io", "on_io_error": "stop", "raw_log": true, "order_seed": 18446744073709551615}]})",
         {}},
        {R"({"suites": [{"suite": "quickbench", "payload": {"kind": "given", "given": "base64:AP8=", "seed": 0}}]})",
         {}},
        {R"({"suites": [{"suite": "quickbench", "payload": {"kind": "zeros"}}]})", {}},
        {R"({"repeats": 4, "order": "random_pairs"})", {}},
        {R"({"repeats": 3, "order": "random"})", {}},
        {R"({"repeats": 2, "order": {"kind": "random_pairs", "seed": 99}})", {}},
        {R"({"repeats": 6, "order": "counterbalanced"})", {}},
        {R"({"formats": [{"fs": "exfat", "name": "small-clusters", "cluster_size": "4KiB"}, "exfat"], "limits": [{"metric": "seq_write.1024KB.mb_per_s", "min": 6, "format": "small-clusters"}]})",
         {}},
        {R"({"formats": [{"profile": "sd"}, {"profile": "macos", "fs": "apfs", "label": "CARD"}, {"profile": "linux", "cluster_size": "4KiB", "suites": []}]})",
         {}},
        {R"({"formats": null, "compare": {"baseline": {"profile": "sd"}, "deviations": ["cluster_size:4KiB", {"profile": "windows"}], "blocks": 60}})",
         {}},
        {R"({"formats": ["exfat", {"fs": "exfat", "boundary": "4KiB"}, {"fs": "fat32", "reserved_sectors": 8192, "partition": {"table": "mbr"}}, {"fs": "exfat", "fat_length": "8MiB"}, {"fs": "hfs+j", "journal_size": "8MiB", "partition": {"table": "gpt", "start": 32256, "length": "64MiB"}}]})",
         {}},
        {R"({"formats": null, "suites": null, "compare": {"baseline": "exfat", "deviations": ["cluster_size:4KiB"]}})",
         {}},
        {R"({"formats": null, "compare": {"baseline": {"fs": "exfat", "label": "CARD"}, "deviations": ["misaligned", {"cluster_size": 4096}, {"label": null}, "partition.table:gpt", "fs:fat32"], "margin_percent": 2.5, "headlines": ["seq_write"]}, "time_budget_s": 3600})",
         {}},
        {R"({"formats": null, "compare": {"formats": ["exfat", {"fs": "hfs+j"}, {"profile": "macos", "fs": "apfs"}], "blocks": 20}, "order": {"kind": "random", "seed": 5}})",
         {}},
        {R"({"formats": null, "compare": {"formats": ["exfat", "hfs+j"], "blocks": 4, "orders": [["exfat", "hfs+j"], ["hfs+j", "exfat"], ["hfs+j", "exfat"], ["exfat", "hfs+j"]]}})",
         {}},
        {R"({"formats": null, "compare": {"self_test": "exfat", "blocks": "endless"}, "order": "random"})", {}},
        {R"({"order": "reversed", "time_budget_s": 3600, "on_failure": "stop"})", {}},
        {R"({"suites": [{"suite": "quickbench", "tables": ["large"]}, {"suite": "disktester", "tables": ["sequential"]}], "limits": [{"metric": "seq_write.1024KB.mb_per_s", "min": 30}]})",
         {}},
        {R"({"limits": [{"metric": "seq_write.1024KB.mb_per_s", "min": 30}, {"suite": "quickbench", "metric": "seq_read.64KB.p99_us", "format": "exfat", "min": 1, "max": 1, "guard_percent": 0}]})",
         {}},
    };
    return rows;
}

const std::vector<PlanCase>& bad_plans() {
    constexpr auto beyond = Schema::cannot_tell;
    static const std::vector<PlanCase> rows = with_comparisons({
        // Members of the plan itself
        {R"({"mediarig_plan": null})",
         {"/mediarig_plan: is missing; add \"mediarig_plan\": 1, the version of this kind of file"}},
        {R"({"mediarig_plan": 2})", {"/mediarig_plan: is 2, and this mediarig reads version 1"}},
        {R"({"mediarig_plan": "1"})",
         {"/mediarig_plan: must be a whole number from 0 to 18446744073709551615, is \"1\""}},
        {R"({"repeat": 3})", {"/repeat: unknown member; did you mean \"repeats\"?"}},
        {R"({"a/b~c": 3})",
         {"/a~1b~0c: unknown member; expected one of \"mediarig_plan\", \"$schema\", \"name\", \"slots\", \"media\", "
          "\"formats\", \"compare\", \"suites\", \"lab\", \"lab_uplink\", \"lab_machine\", \"repeats\", \"order\", "
          "\"limits\", "
          "\"lanes\", "
          "\"time_budget_s\", "
          "\"on_failure\""}},
        {R"({"name": ""})", {"/name: must not be empty"}},
        {R"({"name": "a\u009b31m"})", {"/name: must be one line without control characters"}},
        {R"({"name": "a\u202eb"})", {"/name: must be one line without control characters"}},
        {R"({"name": "two\nlines"})", {"/name: must be one line without control characters"}},
        {R"({"$schema": 1})", {"/$schema: must be text, is 1"}},
        {R"({"repeats": 0})", {"/repeats: must be a whole number from 1 to 1000, is 0"}},
        {R"({"repeats": -1})", {"/repeats: must be a whole number from 1 to 1000, is -1"}},
        {R"({"repeats": 1.5})", {"/repeats: must be a whole number from 1 to 1000, is 1.5"}},
        {R"({"repeats": true})", {"/repeats: must be a whole number from 1 to 1000, is true"}},
        {R"({"repeats": 3, "order": "random_pairs"})",
         {"/repeats: must be even for the order \"random_pairs\", is 3; use 4"}},
        {R"({"order": "random_pairs"})", {"/repeats: must be even for the order \"random_pairs\", is 1; use 2"}},
        {R"({"order": "revesred"})", {"/order: unknown order \"revesred\"; did you mean \"reversed\"?"}},
        {R"({"order": 1})", {"/order: must be the name of an order, or an object with \"kind\" and \"seed\", is 1"}},
        {R"({"order": {"seed": -2}})",
         {"/order/kind: is missing; use \"listed\", \"reversed\", \"random\", \"random_pairs\" or \"counterbalanced\"",
          "/order/seed: must be a whole number from 0 to 18446744073709551615, is -2"}},
        {R"({"time_budget_s": 0.5})", {"/time_budget_s: must be a whole number from 1 to 31622400, is 0.5"}},
        {R"({"on_failure": "carry on"})",
         {"/on_failure: unknown reaction to a failure \"carry on\"; expected one of \"next_step\", \"next_medium\", "
          "\"stop\""}},
        {R"({"formats": null, "suites": null})", {"/: nothing to do; add \"suites\", \"formats\" or both"}},
        {R"({"repeats": 1000, "suites": ["verify","verify","verify","verify","verify","verify","verify","verify","verify","verify","verify","verify","verify","verify","verify","verify","verify","verify","verify","verify","verify","verify","verify","verify","verify","verify","verify","verify","verify","verify","verify","verify","verify","verify","verify","verify","verify","verify","verify","verify","verify","verify","verify","verify","verify","verify","verify"]})",
         {"/: results in 51004 steps; at most 50000 are allowed: use fewer repeats, or several plans"},
         beyond},

        {R"({"repeats": 3, "order": "counterbalanced"})",
         {"/repeats: must be even for the order \"counterbalanced\", is 3; use 4"}},
        {R"({"formats": [{"fs": "exfat", "partition": {"start": 100, "table": "none"}}]})",
         {"/formats/0/partition/table: unknown partition table \"none\"; expected one of \"mbr\", \"gpt\"",
          "/formats/0/partition/start: must be a multiple of 512 bytes, is 100"}},
        {R"({"formats": [{"fs": "exfat", "partition": {}}]})",
         {"/formats/0/partition/table: is missing; use \"mbr\" or \"gpt\""}},
        {R"({"formats": [{"fs": "keep", "boundary": 4096}]})",
         {"/formats/0: \"keep\" formats nothing, so it takes no parameters of a format"}},
        {R"({"formats": [{"fs": "exfat", "boundary": "2GiB"}]})",
         {"/formats/0/boundary: must be a power of two from 512 bytes to 1 GiB, is \"2GiB\""}},
        {R"({"formats": [{"fs": "fat32", "reserved_sectors": 65536}]})",
         {"/formats/0/reserved_sectors: must be a whole number from 1 to 65535, is 65536"}},

        // Media
        {R"({"media": null})", {"/media: is missing; name at least one medium, or add \"slots\": \"all\""}},
        {R"({"slots": "all"})",
         {"/slots: cannot be combined with \"media\": each selects the media; keep one of them"}},
        {R"({"media": null, "slots": "every"})",
         {"/slots: unknown choice of slots \"every\"; expected one of \"all\""}},
        {R"({"media": null, "slots": 3})", {"/slots: must be \"all\", or a list of slot numbers, is 3"}},
        {R"({"media": null, "slots": []})", {"/slots: names no slot; add at least one, or use \"all\""}},
        {R"({"media": null, "slots": [1, 0]})", {"/slots/1: must be a whole number from 1 to 255, is 0"}},
        {R"({"media": null, "slots": [1, 2, 1]})",
         {"/slots/2: names slot 1 again; name each once (\"repeats\" tests it again)"}},
        {R"({"media": null, "slots": {"lot": "L"}})", {"/slots/numbers: is missing; use \"all\", or list the slots"}},
        {R"({"media": null, "slots": {"numbers": "all", "lott": "L"}})",
         {"/slots/lott: unknown member; did you mean \"lot\"?"}},
        {R"({"media": null, "slots": [1, 2], "lab": [{"slot": 1, "kind": "usb", "card": "a"}]})",
         {"/slots: is 2, but \"lab\" defines no medium in that slot; add a medium to \"lab\""},
         beyond},
        {R"({"media": []})", {"/media: names no media; add at least one"}},
        {R"({"media": {}})", {"/media: must be a list, is an object"}},
        {R"({"media": ["/dev/sdb"]})", {"/media/0: must be an object, is \"/dev/sdb\""}},
        {R"({"media": [{"confirm": "S1"}]})",
         {"/media/0: names no medium; add one of \"path\" (a block device), \"image\", \"directory\" and \"slot\""}},
        {R"({"media": [{"path": "/dev/sdb", "slot": 1, "confirm": "S1"}]})",
         {"/media/0: names more than one medium; keep one of \"path\", \"image\", \"directory\" and \"slot\""}},
        {R"({"media": [{"path": "sdb", "confirm": "S1"}]})", {"/media/0/path: must be an absolute path, is \"sdb\""}},
        {R"({"media": [{"path": "/dev/../etc/passwd", "confirm": "S1"}]})",
         {"/media/0/path: \"/dev/../etc/passwd\" leads out of /dev by \"..\"; name the device itself"}},
        {R"({"media": [{"path": "/dev/disk/by-id/../../..", "confirm": "S1"}]})",
         {"/media/0/path: \"/dev/disk/by-id/../../..\" leads out of /dev by \"..\"; name the device itself"}},
        {R"({"media": [{"path": "/dev/sd\u202eb", "confirm": "S1"}]})",
         {"/media/0/path: must be one line without control characters"}},
        {R"({"formats": null, "media": [{"directory": "/media/x", "contents_unknown": true}]})",
         {"/media/0/contents_unknown: applies to the signatures of a device or an image, and a directory is never "
          "erased"}},
        {R"({"media": [{"slot": 1, "contents_unknown": "yes"}]})",
         {"/media/0/contents_unknown: must be true or false, is \"yes\""}},
        {R"({"media": [{"path": 5, "confirm": "S1"}]})", {"/media/0/path: must be text, is 5"}},
        {R"({"media": [{"path": "/home/me/a.img", "confirm": "S1"}]})",
         {"/media/0/path: \"/home/me/a.img\" is not a block device, which has a path below /dev; for an image file use "
          "\"image\", for a directory \"directory\""}},
        {R"({"media": [{"image": "a.img", "confirm": "a.img"}, {"image": "/dev/loop0", "confirm": "S1"}]})",
         {"/media/0/image: must be an absolute path, is \"a.img\"",
          "/media/1/image: \"/dev/loop0\" is below /dev, which contains devices; name a device in \"path\""}},
        {R"({"media": [{"slot": 1, "partition": 0}], "formats": ["keep"]})",
         {"/media/0/partition: must be a whole number from 1 to 1024, is 0"}},
        {R"({"media": [{"slot": 1, "partition": 2}]})",
         {"/media/0/partition: names the file system that \"keep\" measures, but this plan has no \"keep\"; remove "
          "this member, or add \"formats\": [\"keep\"]"}},
        {R"({"media": [{"slot": 0}]})", {"/media/0/slot: must be a whole number from 1 to 255, is 0"}},
        {R"({"media": [{"slot": 256}]})", {"/media/0/slot: must be a whole number from 1 to 255, is 256"}},
        {R"({"media": [{"slot": 1, "labl": "x"}]})", {"/media/0/labl: unknown member; did you mean \"label\"?"}},
        {R"({"media": [{"path": "/dev/sdb"}]})",
         {"/media/0/confirm: is missing, and all data on /dev/sdb will be erased; add \"confirm\" with the serial that "
          "`mediarig devices` shows for it (\"/dev/sdb\" if it has none)"}},
        {R"({"media": [{"path": "/dev/sdb"}], "formats": null, "suites": [{"suite": "verify", "where": "raw"}]})",
         {"/media/0/confirm: is missing, and all data on /dev/sdb will be erased; add \"confirm\" with the serial that "
          "`mediarig devices` shows for it (\"/dev/sdb\" if it has none)"}},
        {R"({"media": [{"image": "/a.img"}]})",
         {"/media/0/confirm: is missing, and all data in the image will be erased; add \"confirm\": \"/a.img\""}},
        {R"({"media": [{"image": "/a.img", "confirm": "yes"}]})",
         {"/media/0/confirm: must be the image's path, \"/a.img\", is \"yes\""},
         beyond},
        {R"({"media": [{"path": "/dev/sdb", "confirm": ""}]})",
         {"/media/0/confirm: is missing, and all data on /dev/sdb will be erased; add \"confirm\" with the serial that "
          "`mediarig devices` shows for it (\"/dev/sdb\" if it has none)"}},
        {R"({"media": [{"path": "/dev/sdb", "confirm": 17}]})",
         {"/media/0/confirm: must be text, is 17",
          "/media/0/confirm: is missing, and all data on /dev/sdb will be erased; add \"confirm\" with the serial that "
          "`mediarig devices` shows for it (\"/dev/sdb\" if it has none)"}},
        {R"({"media": [{"path": "/dev/sdb", "confirm": "S1"}, {"path": "/dev/./sdb", "confirm": "S1", "name": "b"}]})",
         {"/media/1/path: is the medium of /media/0 already; name each medium once (\"repeats\" tests it again)"},
         beyond},
        {R"({"media": [{"slot": 3}, {"slot": 3, "name": "b"}]})",
         {"/media/1/slot: is the medium of /media/0 already; name each medium once (\"repeats\" tests it again)"},
         beyond},
        {R"({"media": [{"image": "/a/card.img", "confirm": "/a/card.img"}, {"image": "/b/card.img", "confirm": "/b/card.img"}]})",
         {"/media/1/name: \"card.img\" is already the name of /media/0; give one of them another \"name\""},
         beyond},

        // Lab
        {R"({"media": [{"slot": 1}], "lab": [{"slot": 1, "kind": "usb", "card": "a"}], "lab_uplink": 65535})",
         {"/lab_uplink: must be a whole number from 65536 to 1000000000000, is 65535"}},
        {R"({"lab_machine": "virtual"})",
         {"/lab_machine: is the machine of a \"lab\", and this plan has no \"lab\"; add \"lab\", or remove this "
          "member"}},
        {R"({"lab_uplink": 65536})",
         {"/lab_uplink: is a rate for the media of a \"lab\", and this plan has no \"lab\"; add \"lab\", or remove "
          "this member"}},
        {R"({"lab": []})", {"/lab: has no slots; add at least one, or leave \"lab\" out"}},
        {R"({"media": [{"slot": 1}], "lab": [{}]})",
         {"/lab/0/slot: is missing; give the number of this medium's slot, for example 1",
          "/lab/0/card: is missing; name a card of `mediarig lab cards`, or a card model's JSON file"}},
        {R"({"media": [{"slot": 1}], "lab": [{"slot": 1, "kind": "usb3", "card": "a"}]})",
         {"/lab/0/kind: unknown kind of slot \"usb3\"; did you mean \"usb\"?"}},
        {R"({"media": [{"slot": 1}], "lab": [{"slot": 1, "kind": "usb", "card": ""}]})",
         {"/lab/0/card: must not be empty"}},
        {R"({"media": [{"slot": 1}], "lab": [{"slot": 1, "kind": "usb", "card": "../card.json"}]})",
         {"/lab/0/card: must be an absolute path, is \"../card.json\""}},
        {R"({"media": [{"slot": 1}], "lab": [{"slot": 1, "kind": "usb", "card": "a", "sise": 1}]})",
         {"/lab/0/sise: unknown member; did you mean \"size\"?"}},
        {R"({"media": [{"slot": 1}], "lab": [{"slot": 1, "kind": "usb", "card": "a"}, {"slot": 1, "kind": "sd", "card": "b"}]})",
         {"/lab/1/slot: is already the slot of /lab/0; give each medium a different slot"},
         beyond},
        {R"({"media": [{"slot": 1}], "lab": [{"slot": 1, "kind": "sd", "card": "a", "size": 3000000}]})",
         {"/lab/0/size: must be a power of two in an SD slot, is 3000000; or choose the kind \"reader\""}},
        {R"({"media": [{"slot": 9}], "lab": [{"slot": 1, "kind": "sd", "card": "a"}]})",
         {"/media/0/slot: is 9, but \"lab\" defines no medium in that slot; add a medium to \"lab\""},
         beyond},
        {R"({"lab": [{"slot": 1, "kind": "sd", "card": "a"}]})",
         {"/media/0/path: is on this machine, and a plan with a \"lab\" runs inside the lab; name a slot of the lab"}},

        // Formats
        {R"({"formats": "exfat"})", {"/formats: must be a list, is \"exfat\""}},
        {R"({"formats": ["apfs", {"fs": "exfta"}]})",
         {"/formats/1/fs: unknown file system \"exfta\"; did you mean \"exfat\"?"}},
        {R"({"formats": ["zfs"]})",
         {"/formats/0: unknown file system \"zfs\"; expected one of \"exfat\", \"apfs\", \"hfs+j\", \"hfs+\", "
          "\"hfsx+j\", "
          "\"fat32\", \"fat16\", \"fat12\", \"keep\""}},
        {R"({"formats": ["HFS+JJ"]})", {"/formats/0: unknown file system \"HFS+JJ\"; did you mean \"hfs+j\"?"}},
        {R"({"formats": ["reiserfs"]})",
         {"/formats/0: unknown file system \"reiserfs\"; expected one of \"exfat\", \"apfs\", \"hfs+j\", \"hfs+\", "
          "\"hfsx+j\", \"fat32\", \"fat16\", \"fat12\", \"keep\""}},
        {R"({"formats": [3]})", {"/formats/0: must be an object, is 3"}},
        {R"({"formats": [{"suites": []}]})",
         {"/formats/0/fs: is missing; name the file system, for example \"exfat\", or a \"profile\""}},
        {R"({"formats": [{"profile": "nikon"}]})",
         {"/formats/0/profile: unknown format profile \"nikon\"; expected one of \"sd\", \"windows\", \"macos\", "
          "\"linux\""}},
        {R"({"formats": [{"profile": "sd", "fs": "exfta"}]})",
         {"/formats/0/fs: unknown file system \"exfta\"; did you mean \"exfat\"?"}},
        {R"({"formats": [{"profile": "sd", "fs": "keep"}]})",
         {"/formats/0/profile: cannot be combined with \"keep\", which formats nothing; keep one of them"}},
        {R"({"formats": [{"fs": "exfat", "cluster_size": 3000}]})",
         {"/formats/0/cluster_size: must be a power of two from 512 bytes to 32 MiB, is 3000"}},
        {R"({"formats": [{"fs": "exfat", "cluster_size": "64MiB"}]})",
         {"/formats/0/cluster_size: must be a power of two from 512 bytes to 32 MiB, is \"64MiB\""}},
        {R"({"suites": null})",
         {"/formats/0: has no suites, and neither has the plan; add \"suites\" (with \"suites\": [] the media are "
          "only formatted and checked)"}},
        {R"({"formats": [{"fs": "exfat", "suites": [{"suite": "verify", "where": "raw"}]}]})",
         {"/formats/0/suites/0/where: a raw suite destroys the format that contains it; move it to the plan's "
          "\"suites\", which run before the formats"}},
        {R"({"formats": ["exfat", "keep"]})",
         {"/formats/1: \"keep\" measures the present contents of the medium, so it must be the only format"}},
        {R"({"formats": ["keep"], "suites": [{"suite": "verify", "where": "raw"}]})",
         {"/formats/0: \"keep\" measures the present contents of the medium, and a raw suite of this plan destroys "
          "them first"}},
        {R"({"formats": [{"fs": "keep", "label": "X"}]})",
         {"/formats/0: \"keep\" formats nothing, so it takes neither \"cluster_size\" nor \"label\""}},
        {R"({"media": [{"directory": "/media/x"}]})",
         {"/media/0/directory: a directory is measured as it is and never formatted; leave \"formats\" out, or name a "
          "device or an image"}},

        // Suites
        {R"({"suites": "quickbench"})", {"/suites: must be a list, is \"quickbench\""}},
        {R"({"suites": ["quikbench"]})", {"/suites/0: unknown suite \"quikbench\"; did you mean \"quickbench\"?"}},
        {R"({"suites": [{"suite": "fio"}]})",
         {"/suites/0/suite: unknown suite \"fio\"; expected one of " + quoted_suites()}},
        {R"({"suites": ["capacity"]})",
         {"/suites/0: suite capacity works on the bare device; add \"where\": \"raw\", or choose suite verify"}},
        {R"({"suites": [{"suite": "verify", "assumed_cache": "1MiB"}]})",
         {"/suites/0: an assumed cache belongs only to capacity, check"}},
        {R"({"suites": [{"suite": "bonnie", "options": ["file-num=4"]}]})",
         {"/suites/0: suite bonnie accepts no options of its original program; omit them"}},
        {R"({"suites": [{"suite": "sysbench-fileio", "options": ["file-num=4097"]}]})",
         {"/suites/0: option file-num is a whole number from 1 to 4096, not \"4097\""}},
        {R"({"suites": [{"suite": "capacity", "where": "raw", "tables": ["iops"]}]})",
         {"/suites/0: suite capacity takes an assumed cache and a payload's start value; it has no tables, accesses, "
          "blocks, spans, volumes, time limits or queues"}},
        {R"({"suites": [{"quick": 1}]})",
         {"/suites/0/suite: is missing; name the suite, for example \"quickbench\"",
          "/suites/0/quick: must be true or false, is 1"}},
        {R"({"suites": [{"suite": "quickbench", "where": "device"}]})",
         {"/suites/0/where: unknown place \"device\"; expected one of \"file_system\", \"raw\""}},
        {R"({"suites": [{"suite": "quickbench", "tables": ["huge"]}]})",
         {"/suites/0: suite quickbench has no table \"huge\"; it has standard, large, extended"}},
        {R"({"suites": [{"suite": "quickbench", "tables": []}]})",
         {"/suites/0/tables: must not be empty; remove this member to use the suite's values"}},
        {R"({"suites": [{"suite": "quickbench", "tables": ["iops"]}]})",
         {"/suites/0: suite quickbench has no table \"iops\"; it has standard, large, extended"}},
        {R"({"suites": [{"suite": "quickbench", "accesses": ["seqread"]}]})",
         {"/suites/0/accesses/0: unknown access \"seqread\"; did you mean \"seq_read\"?"}},
        {R"({"suites": [{"suite": "quickbench", "blocks": ["4MB", "4kb", "4 parsecs", "1.5MiB", " 4KiB", "04KiB", "4 ", 0, -4, 1.5, null]}]})",
         {"/suites/0/blocks/0: \"4MB\" has an ambiguous unit (1000 or 1024); sizes are binary: use \"4MiB\"",
          "/suites/0/blocks/1: \"4kb\" has an unknown unit; sizes are binary: use \"4KiB\"",
          "/suites/0/blocks/2: \"4 parsecs\" is not a size; use bytes (4096), or a whole number with KiB, MiB, GiB or "
          "TiB",
          "/suites/0/blocks/3: \"1.5MiB\" is not a size; use bytes (4096), or a whole number with KiB, MiB, GiB or TiB",
          "/suites/0/blocks/4: \" 4KiB\" is not a size; use bytes (4096), or a whole number with KiB, MiB, GiB or TiB",
          "/suites/0/blocks/5: \"04KiB\" is not a size; it must be larger than 0, without leading zeros",
          "/suites/0/blocks/6: \"4 \" is not a size; use bytes (4096), or a whole number with KiB, MiB, GiB or TiB",
          "/suites/0/blocks/7: must be a size: bytes, or a string such as \"32KiB\", is 0",
          "/suites/0/blocks/8: must be a size: bytes, or a string such as \"32KiB\", is -4",
          "/suites/0/blocks/9: must be a size: bytes, or a string such as \"32KiB\", is 1.5",
          "/suites/0/blocks/10: must be a size: bytes, or a string such as \"32KiB\", is null"}},
        {R"({"suites": [{"suite": "quickbench", "span": "2000TiB", "volume": "99999999999999999999"}]})",
         {"/suites/0/span: \"2000TiB\" is too large; a size is at most 1 PiB",
          "/suites/0/volume: \"99999999999999999999\" is too large; a size is at most 1 PiB"}},
        {R"({"suites": [{"suite": "quickbench", "span": "2000TiB"}]})",
         {"/suites/0/span: \"2000TiB\" is too large; a size is at most 1 PiB"}},
        {R"({"suites": [{"suite": "quickbench", "time_limit_s": 0}]})",
         {"/suites/0/time_limit_s: must be a number of seconds from 0.001 to 1000000, is 0"}},
        {R"({"suites": [{"suite": "quickbench", "time_limit_s": "10"}]})",
         {"/suites/0/time_limit_s: must be a number of seconds from 0.001 to 1000000, is \"10\""}},
        {R"({"suites": [{"suite": "quickbench", "queue_depth": 2, "engine": "psync"}]})",
         {"/suites/0: a queue depth above 1 needs the engine uring"}},
        {R"({"suites": [{"suite": "quickbench", "engine": "libaio"}]})",
         {"/suites/0/engine: unknown engine \"libaio\"; expected one of \"psync\", \"uring\""}},
        {R"({"suites": [{"suite": "quickbench", "cache": "drop"}]})",
         {"/suites/0/cache: unknown cache handling \"drop\"; did you mean \"dropped\"?"}},
        {R"({"suites": [{"suite": "quickbench", "sync": ["none"]}]})",
         {"/suites/0/sync: must be the name of a known sync level, is a list"}},
        {R"({"suites": [{"suite": "quickbench", "payload": "zeros"}]})",
         {"/suites/0/payload: must be an object, is \"zeros\""}},
        {R"({"suites": [{"suite": "quickbench", "payload": {"kind": "zero"}}]})",
         {"/suites/0/payload/kind: unknown payload \"zero\"; did you mean \"zeros\"?"}},
        {R"({"suites": [{"suite": "quickbench", "payload": {"kind": "given"}}]})",
         {"/suites/0/payload/given: is missing; add the bytes to write as \"hex:…\" or \"base64:…\""}},
        {R"({"suites": [{"suite": "quickbench", "payload": {"kind": "given", "given": "deadbeef"}}]})",
         {"/suites/0/payload/given: must be \"hex:\" or \"base64:\" followed by 1 byte to 1 MiB in that encoding"}},
        {R"({"suites": [{"suite": "quickbench", "payload": {"kind": "given", "given": "hex:abc"}}]})",
         {"/suites/0/payload/given: must be \"hex:\" or \"base64:\" followed by 1 byte to 1 MiB in that encoding"}},
        {R"({"suites": [{"suite": "quickbench", "payload": {"kind": "given", "given": "hex:"}}]})",
         {"/suites/0/payload/given: must be \"hex:\" or \"base64:\" followed by 1 byte to 1 MiB in that encoding"}},
        {R"({"suites": [{"suite": "quickbench", "payload": {"kind": "given", "given": "base64:AP8"}}]})",
         {"/suites/0/payload/given: must be \"hex:\" or \"base64:\" followed by 1 byte to 1 MiB in that encoding"}},
        {R"({"suites": [{"suite": "quickbench", "payload": {"kind": "zeros", "given": "hex:00"}}]})",
         {"/suites/0/payload/given: belongs to the payload kind \"given\" only"}},
        {R"({"suites": [{"suite": "verify", "volume": "1MiB"}]})",
         {"/suites/0: suite verify takes a span, one block size and a payload; it has no tables, accesses, volumes, "
          "time limits or queues"}},
        {R"({"formats": null})",
         {"/media/0/path: /suites/0 needs a file system, but the plan creates none; add \"formats\" (\"keep\" for the "
          "existing file system), or \"where\": \"raw\" to the suite"}},
        {R"({"media": [{"directory": "/media/x"}], "formats": null, "suites": [{"suite": "verify", "where": "raw"}]})",
         {"/media/0/directory: /suites/0 works on the bare device, which a directory does not have; remove its "
          "\"where\": \"raw\", or name a device or an image"}},

        // Limits
        {R"({"limits": [{"metric": "seq_write.1024KB.mb_per_s"}]})",
         {"/limits/0: limits nothing; add \"min\", \"max\" or both"}},
        {R"({"limits": [{"min": 3}]})",
         {"/limits/0/metric: is missing; name the limited metric, for example \"seq_write.1024KB.mb_per_s\""}},
        {R"({"limits": [{"metric": "", "min": 3}]})", {"/limits/0/metric: must not be empty"}},
        {R"({"limits": [{"metric": "seq_write.1024KB.mbps", "min": 3}]})",
         {"/limits/0/metric: unknown metric \"seq_write.1024KB.mbps\"; docs/guide/plan.md lists them"}},
        {R"({"limits": [{"metric": "seq_write.1024KB.mb_per_s", "min": 9, "max": 3}]})",
         {"/limits/0: can never be met: \"min\" 9 is larger than \"max\" 3"},
         beyond},
        {R"({"limits": [{"metric": "seq_write.1024KB.mb_per_s", "min": "3"}]})",
         {"/limits/0/min: must be a number, is \"3\""}},
        {R"({"limits": [{"metric": "seq_write.1024KB.mb_per_s", "min": 3, "guard_percent": 101}]})",
         {"/limits/0/guard_percent: must be a number from 0 to 100, is 101"}},
        {R"({"limits": [{"metric": "seq_write.1024KB.mb_per_s", "minimum": 3, "max": 4}]})",
         {"/limits/0/minimum: unknown member; expected one of \"suite\", \"metric\", \"format\", \"min\", \"max\", "
          "\"guard_percent\""}},
        {R"({"limits": [{"suite": "disktester", "metric": "seq_write.1024KB.mb_per_s", "min": 3}]})",
         {"/limits/0/suite: \"disktester\" is not a suite of this plan, so the limit would never apply; it has "
          "\"quickbench\""},
         beyond},
        {R"({"limits": [{"format": "apfs", "metric": "seq_write.1024KB.mb_per_s", "min": 3}]})",
         {"/limits/0/format: \"apfs\" is not a format of this plan, so the limit would never apply; it has \"exfat\""},
         beyond},
        {R"({"suites": [{"suite": "quickbench", "blocks": ["1MiB"], "tables": ["standard"]}], "limits": [{"metric": "seq_write.4KB.mb_per_s", "min": 3}]})",
         {"/limits/0/metric: \"seq_write.4KB.mb_per_s\" is not among the tables, accesses and blocks that the plan "
          "measures, so the limit would never apply; add it to them, or leave the limit out"},
         beyond},
        {R"({"suites": [{"suite": "quickbench", "accesses": ["seq_read"]}], "limits": [{"suite": "quickbench", "metric": "seq_write.4KB.mb_per_s", "min": 3}]})",
         {"/limits/0/metric: \"seq_write.4KB.mb_per_s\" is not among the tables, accesses and blocks that the plan "
          "measures, so the limit would never apply; add it to them, or leave the limit out"},
         beyond},

        // Several faults at once, in the order of the plan
        {R"({"repeats": "many", "formats": ["exfta"], "media": [{"path": "sdb"}], "suites": [{"suite": "verify", "sapn": "1GiB"}]})",
         {"/media/0/path: must be an absolute path, is \"sdb\"",
          "/formats/0: unknown file system \"exfta\"; did you mean \"exfat\"?",
          "/suites/0/sapn: unknown member; did you mean \"span\"?",
          "/repeats: must be a whole number from 1 to 1000, is \"many\""}},
    });
    return rows;
}

// clang-format on

} // namespace mediarig::plan
