// SPDX-License-Identifier: GPL-3.0-or-later
/// Comparison of the schema and our parser on generated plans.
#include <algorithm>
#include <random>
#include <regex>

#include "host/plan/parse_plan.hpp"
#include "host/workload/suites/suite.hpp"
#include "tests/catch.hpp"
#include "tests/json.hpp"
#include "tests/plan/schema_check.hpp"

using namespace mediarig;
using namespace mediarig::plan;
using nlohmann::json;

namespace {

/// Faults that a schema cannot express, with the reason.
struct Exception {
    const char* fault;
    const char* reason;
};
constexpr Exception exceptions[] = {
    {"is the medium of .* already", "compares two entries, and paths as the kernel reads them"},
    {"is already the name of", "compares two entries, one of them by default"},
    {"is already the slot of", "compares two entries by one of their members"},
    {"defines no medium in that slot", "compares \"media\" with \"lab\""},
    {"must be the image's path", "compares two members"},
    {"can never be met", "compares two numbers"},
    {"is (no|not a) (suite|format) of this plan", "compares \"limits\" with the rest of the plan"},
    {"is not among the tables, accesses and blocks", "compares \"limits\" with the rest of the plan"},
    {"results in .* steps", "multiplies several members"},
    {"(does not differ|is named already)", "compares formats after they were merged"},
    {"/compare/deviations/[0-9]+/(partition/table|fs): is missing",
     "the parser finds the missing member after merging"},
    {"/compare/deviations/[0-9]+/profile: cannot be combined with", "the parser finds the conflict after merging"},
    {"must be a multiple of 512 bytes, is \"", "divisibility of a decimal number would need a huge regular expression"},
    {"verify needs a block of whole 512-byte sectors",
     "divisibility of a decimal number would need a huge regular expression"},
    {"suite [a-z-]+ needs [0-9]+ bytes", "compares \"span\" with the protocol"},
    {"define .* blocks|must name each compared format once", "compares orders with formats and blocks"},
    {"not measured by a suite of this plan|this plan has no such suite",
     "a schema does not contain the operations of suites"},
    {"is named twice", "4096 and \"4KiB\" are the same size"},
    {"a span of .* (is smaller than one block|does not fit)", "compares \"span\" with \"blocks\""},
    {"bytes long; at most", "counts bytes; a schema counts characters"},
    {"unknown metric .*[0-9]B\\.", "the conversion of B to KB needs a division"},
};

bool is_beyond_a_schema(const std::string& fault) {
    static const auto patterns = [] {
        std::vector<std::regex> made;
        for (const Exception& exception : exceptions) made.emplace_back(exception.fault);
        return made;
    }();
    return std::any_of(patterns.begin(), patterns.end(),
                       [&](const std::regex& pattern) { return std::regex_search(fault, pattern); });
}

const json& sizes() {
    static const json values = json::parse(R"([512, 4096, 3000, 0, -1, 1.5, 4096.0, 511, 33554432, 33554433, 67108864,
        1073741824, 1073741825, 17179869184, 17179869185, 1125899906842624, 1125899906842625, "4KiB", "5KiB", "4 MiB",
        "0KiB", "01KiB", "32MiB", "64MiB", "65 MiB", "1GiB", "2GiB", "1 TiB", "1024TiB", "1025TiB", "2048GiB", "16GiB",
        "17GiB", "512B", "513 B", "512 B", "511", "33554432", "1125899906842625", "1 KB", "4kib", " 4KiB", "4KiB ",
        "4  KiB", "", true, null, [], {}])");
    return values;
}

const json& lines() {
    static const json values = json::parse(R"(["x", "", "two\nlines", "tab\t", "\u007f", "\u009b", "\u202e", "\u2066x",
        "\ufeff", "\u061c", "Prüfung", 5, null, "\u200b", "end\n"])");
    return values;
}

/// Places of changes in a plan, with their new values.
const std::vector<std::pair<std::string, json>>& changes() {
    static const std::vector<std::pair<std::string, json>> table = [] {
        std::vector<std::pair<std::string, json>> made;
        const auto add = [&](const char* place, const char* values) { made.emplace_back(place, json::parse(values)); };
        for (const char* place :
             {"/formats/0/cluster_size", "/formats/0/boundary", "/formats/0/journal_size", "/formats/0/fat_length",
              "/formats/0/partition/start", "/formats/0/partition/length", "/suites/0/blocks/0", "/suites/0/span",
              "/suites/0/volume", "/suites/0/assumed_cache", "/suites/1/assumed_cache", "/lab/0/size",
              "/compare/deviations/0/cluster_size", "/compare/deviations/0/boundary", "/compare/baseline/cluster_size"})
            made.emplace_back(place, sizes());
        for (const char* place : {"/name", "/media/0/name", "/media/0/lot", "/media/0/label", "/formats/0/label",
                                  "/media/0/confirm", "/lab/0/card", "/slots/lot", "/limits/0/suite"})
            made.emplace_back(place, lines());
        add("/media/0/path",
            R"(["/dev/sdb", "/dev/../etc/passwd", "/dev/disk/../../etc/passwd", "/dev/x/..", "/dev/..x",
                                 "/dev/...", "/dev/disk/by-id/usb-1", "/etc/passwd", "dev/sdb", "/dev", "/dev/s\u0007", "/dev/s\u202e", 1])");
        add("/media/0/image",
            R"(["/a.img", "a.img", "/a\n.img", "/\u202e.img", "/dev/loop0", "/dev/shm/a.img", "/dev"])");
        add("/media/0/directory", R"(["/media/x", "x"])");
        add("/media/0/slot", R"([1, 0, 255, 256, "1"])");
        add("/media/0/partition", R"([1, 0, 1024, 1025, "1"])");
        add("/media/0/contents_unknown", R"([true, false, "yes", 1])");
        add("/media/0/use_unknown", R"([true, false, "yes", 1])");
        add("/media/1",
            R"([{"path": "/dev/sdc", "confirm": "S2"}, {"path": "/dev/sdb", "confirm": "S1", "name": "b"}, {"slot": 2}, {}])");
        add("/formats",
            R"([[], ["keep"], ["exfat", "keep"], [{"fs": "keep", "suites": []}], ["exfat", "apfs"], "exfat", null])");
        add("/formats/0/fs", R"(["exfat", "fat32", "hfs+j", "keep", "zfs", 1])");
        add("/formats/0/profile", R"(["sd", "windows", "nikon"])");
        add("/formats/0/reserved_sectors", R"([1, 0, 65535, 65536, "8"])");
        add("/formats/0/partition/table", R"(["mbr", "gpt", "none", null])");
        add("/formats/0/suites", R"([[], ["verify"], [{"suite": "verify", "where": "raw"}], ["capacity"]])");
        add("/formats/0/other", R"([1])");
        for (const char* suite : {"/suites/0", "/suites/1"}) {
            const std::string at = suite;
            const auto add_to = [&](const char* member, const char* values) {
                made.emplace_back(at + member, json::parse(values));
            };
            json names = json::parse(R"(["fio", null])");
            for (const std::string_view name : suites::suite_names()) names.push_back(name);
            made.emplace_back(at + "/suite", std::move(names));
            add_to("/where", R"(["raw", "file_system", "both"])");
            add_to(
                "/tables",
                R"([["standard"], ["large"], ["large", "extended"], ["iops"], ["sequential"], ["iops", "sequential"], [], ["standard", "iops"], ["large", "large"], ["xbench"], ["stream"], ["dd"], ["dd_direct"], ["seq1m_q8t1"], ["rnd4k_q1t1"], ["seq1m_q1t1", "rnd4k_q32t1"], ["rnd4k_q1t1", "seq1m_q1t1"], ["fill"], ["ioping"], ["ioping_rate"], ["ioping_rate", "ioping_linear"], ["seqwr", "rndrw"], ["recording"], ["playback"], ["recording", "playback"], ["application"]])");
            add_to("/accesses", R"([["seq_read"], ["random_write"], ["random_read", "seq_write"], [], ["read"]])");
            add_to(
                "/blocks",
                R"([["4KiB"], [4096, 8192], [4096, 4096], [4096, "4KiB"], [], ["64MiB"], ["65MiB"], ["1GiB"], ["2GiB"], [1000]])");
            add_to("/span", R"(["1GiB", 1, "64MiB"])");
            add_to("/volume", R"(["1GiB", 1])");
            add_to("/time_limit_s", R"([1, 0.001, 0.0001, 1000000, 1000001, "1"])");
            add_to("/engine", R"(["psync", "uring", "aio"])");
            add_to("/queue_depth", R"([1, 2, 1024, 1025, 0])");
            add_to("/cache", R"(["direct", "dropped", "cached", "none"])");
            add_to("/sync", R"(["none", "at_end", "each_io", "x"])");
            add_to(
                "/payload",
                R"([{"kind": "zeros"}, {"kind": "incompressible", "seed": 3}, {"kind": "given", "given": "hex:00ff"}, {"kind": "given", "given": "hex:0"}, {"kind": "given"}, {"kind": "given", "given": "base64:AA=="}, {"kind": "given", "given": "base64:AB=="}, {"kind": "given", "given": "base64:AAE="}, {"kind": "given", "given": "base64:AAF="}, {"kind": "given", "given": "base64:AA="}, {"kind": "zeros", "given": "hex:00"}, {}])");
            add_to("/on_io_error", R"(["stop", "go_on", "x"])");
            add_to("/order_seed", R"([0, 18446744073709551615, -1])");
            add_to("/sapn", R"([1])");
        }
        add("/suites",
            R"([[], ["quickbench"], ["capacity"], [{"suite": "capacity", "where": "raw"}], [{"suite": "verify", "where": "raw"}], "verify", null])");
        add("/repeats", R"([1, 2, 3, 4, 5, 0, 1000, 1001, 2.0, "2"])");
        add("/order",
            R"(["listed", "reversed", "random", "random_pairs", "counterbalanced", {"kind": "random_pairs", "seed": 3}, {"seed": 3}, {"kind": "listed", "seed": -1}, "x"])");
        add("/time_budget_s", R"([1, 0, 31622400, 31622401, 1.5])");
        add("/on_failure", R"(["next_step", "next_medium", "stop", "x"])");
        add("/limits", R"([[], [{"metric": "seq_write.1024KB.mb_per_s", "min": 3}], [3], {}])");
        add("/limits/0/metric",
            R"(["seq_write.1024KB.mb_per_s", "standard.seq_read.average_mb_per_s", "standard.seq_read.4KB.mb_per_s", "large.seq_read.2048KB.p99_us", "verify.read.mb_per_s", "iops.random_read.ops_per_s", "xbench.seq_write.4KB.mb_per_s", "blogs.random_write.operations", "stibium.seq_read.2000000B.mb_per_s", "steady_4k.random_write.iops", "ioping.random_read.mean_us", "walk.seq_read.operations", "standard.seq_read.operations", "xbench.seq_write.mb_per_s", "crystal.random_read.iops", "rnd4k_q32t1.random_read.iops", "dd.seq_write.seconds", "stream.seq_read.average_mb_per_s", "seq_write.0KB.mb_per_s", "seq_write.1024B.mb_per_s", "seq_write.512B.iops", "seq_write.4KB", "write.4KB.iops", ""])");
        add("/limits/0/suite", R"(["quickbench", "verify", "fio"])");
        add("/limits/0/format", R"(["exfat", "raw", "exfat-2", "sd", "sd-exfat", "keep", "ntfs", "exfat-0"])");
        add("/limits/0/guard_percent", R"([0, 100, 101, -1])");
        add("/limits/0/min", R"([0, 5, "5"])");
        add("/limits/0/max", R"([0, 5])");
        add("/lab/0/kind", R"(["sd", "usb", "reader", "nvme", "floppy"])");
        add("/lab/0/seed", R"([0, -1])");
        add("/lab/1",
            R"([{"slot": 2, "kind": "sd", "card": "a", "size": "1GiB"}, {"slot": 2, "kind": "sd", "card": "a", "size": "3GiB"}, {"slot": 1, "kind": "usb", "card": "a"}])");
        add("/slots", R"(["all", [1, 2], [1, 1], [], [0], {"numbers": "all"}, {"lot": "L"}, 3])");
        add("/compare/baseline",
            R"(["exfat", {"fs": "exfat"}, {"profile": "sd"}, "keep", "zfs", 3, {"fs": "exfat", "suites": []}])");
        add("/compare/deviations/0",
            R"(["misaligned", "cluster_size:4KiB", "cluster_size:5KiB", "boundary:512", "boundary:2GiB", "fs:hfs+", "fs:keep", "fs:zfs", "profile:windows", "label:X", "label:", "journal_size:8MiB", "partition.table:gpt", "partition.table:none", "partition.start:32256", "partition.start:1MiB", "4KiB", {"label": null}, {"fs": null}, {"clustersize": 1}, {"partition": {"table": "gpt", "start": 512}}, {"partition": {"x": 1}}, {"reserved_sectors": 70000}, {"fat_length": "8MiB"}, {}, 7])");
        add("/compare/blocks", R"([4, 60, 3, 61, 4.5, "endless", "x", "12", null])");
        add("/compare/margin_percent", R"([0.1, 5, 100, 0, 101, -1, "5"])");
        add("/compare/rest_s", R"([0, 86400, 86401, -1, 1.5])");
        add("/compare/rest_at_most_s", R"([0, 86400, 86401, -1])");
        add("/compare/fill", R"([0, 1, "1GiB", "0", "", -1, "4MB"])");
        add("/compare/discard", R"([true, false, 1, "no", null])");
        add("/compare/headlines",
            R"([["seq_write"], ["random_read", "seq_read"], [], ["write"], ["seq_write", "seq_write"], "seq_write"])");
        add("/compare/formats", R"([["exfat", "hfs+j"], ["exfat"], [], "exfat"])");
        add("/compare/self_test", R"(["exfat", "zfs"])");
        add("/compare/deviations", R"([[], ["misaligned", {"cluster_size": 4096}], ["fs:hfs+", "fs:hfs+"], 3])");
        add("/mediarig_plan", R"([2, "1", null])");
        add("/x", R"([1])");
        return made;
    }();
    return table;
}

const std::vector<json>& beginnings() {
    static const std::vector<json> plans{
        json::parse(R"({"mediarig_plan": 1, "media": [{"path": "/dev/sdb", "confirm": "S1"}],
            "formats": [{"fs": "exfat", "partition": {"table": "mbr"}}],
            "suites": [{"suite": "quickbench", "blocks": ["4KiB"], "tables": ["standard"]}, {"suite": "capacity", "where": "raw"}],
            "limits": [{"metric": "seq_write.4KB.mb_per_s", "min": 3}]})"),
        json::parse(R"({"mediarig_plan": 1, "media": [{"slot": 1}], "formats": [{"profile": "sd"}],
            "suites": [{"suite": "verify", "blocks": ["1MiB"]}, {"suite": "disktester", "tables": ["iops"]}],
            "lab": [{"slot": 1, "kind": "sd", "card": "good"}]})"),
        json::parse(R"({"mediarig_plan": 1, "media": [{"path": "/dev/sdb", "confirm": "S1"}],
            "compare": {"baseline": {"fs": "exfat"}, "deviations": [{"cluster_size": "64KiB"}]}})"),
        json::parse(
            R"({"mediarig_plan": 1, "slots": {"numbers": [1, 2]}, "formats": ["exfat"], "suites": ["quickbench"]})"),
        json::parse(
            R"({"mediarig_plan": 1, "media": [{"path": "/dev/sdb"}], "formats": ["keep"], "suites": ["quickbench"]})"),
        json::parse(R"({"mediarig_plan": 1, "media": [{"image": "/a.img", "confirm": "/a.img"}],
            "suites": [{"suite": "verify", "where": "raw"}]})"),
    };
    return plans;
}

/// Returns false if this plan has no such place.
bool change(json& plan, const std::string& place, const json& value) {
    const json::json_pointer pointer(place);
    if (!plan.contains(pointer.parent_pointer())) return false;
    json& parent = plan.at(pointer.parent_pointer());
    if (parent.is_array()) {
        if (pointer.back().find_first_not_of("0123456789") != std::string::npos) return false;
        const auto index = static_cast<std::size_t>(std::stoul(pointer.back()));
        if (index > parent.size()) return false;
        if (index == parent.size())
            parent.push_back(value);
        else
            parent[index] = value;
        return true;
    }
    if (!parent.is_object()) return false;
    if (value.is_null())
        parent.erase(pointer.back());
    else
        parent[pointer.back()] = value;
    return true;
}

} // namespace

TEST_CASE("schema and parser refuse and accept the same generated plans") {
    // A constant seed, so that a failure is reproducible.
    std::mt19937_64 random(20261122);
    const auto below = [&](std::size_t count) { return static_cast<std::size_t>(random() % count); };
    std::vector<std::string> texts;
    // Each value alone in each plan that has the place, then two changes at once.
    for (const json& beginning : beginnings())
        for (const auto& [place, values] : changes())
            for (const json& value : values) {
                json plan = beginning;
                if (change(plan, place, value)) texts.push_back(plan.dump());
            }
    const std::size_t single = texts.size();
    while (texts.size() < single + 1500) {
        json plan = beginnings()[below(beginnings().size())];
        std::size_t changed = 0;
        for (int i = 0; i < 2; ++i) {
            const auto& [place, values] = changes()[below(changes().size())];
            if (change(plan, place, values[below(values.size())])) ++changed;
        }
        if (changed == 2) texts.push_back(plan.dump());
    }

    const auto verdicts = checked_by_schema(texts);
    if (!verdicts) MEDIARIG_SKIP("python3-jsonschema is not installed");
    std::size_t taken = 0, refused = 0, beyond = 0;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const auto plan = parse_plan(texts[i]);
        std::string told;
        bool for_its_shape = false;
        if (!plan)
            for (const std::string& fault : plan.error().lines) {
                told += fault + "\n";
                for_its_shape = for_its_shape || !is_beyond_a_schema(fault);
            }
        CAPTURE(texts[i], told);
        if (plan) {
            CHECK((*verdicts)[i] == "good");
            ++taken;
        } else if (for_its_shape) {
            CHECK((*verdicts)[i] == "bad");
            ++refused;
        } else {
            ++beyond;
        }
    }
    // The generator must produce enough plans of all three kinds.
    CHECK(taken > 300);
    CHECK(refused > 1000);
    CHECK(beyond > 20);
}
