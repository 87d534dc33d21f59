// SPDX-License-Identifier: GPL-3.0-or-later

#include <bit>
#include <set>

#include "host/lab/card/catalogue.hpp"
#include "host/lab/card/config.hpp"
#include "tests/catch.hpp"
#include "tests/json.hpp"
#include "tests/scratch.hpp"

using namespace mediarig;
using namespace mediarig::lab;
using namespace std::chrono_literals;

namespace {

/// A valid configuration with these additional members.
std::string with(const std::string& members) {
    return R"({"claimed_bytes": "1GiB")" + (members.empty() ? "" : ", " + members) + "}";
}

/// Returns the error of parsing a configuration, without the prefix that all errors have.
std::string refusal(const std::string& text, const CardOverrides& overrides = {}) {
    const auto config = parse_card_config(text, overrides);
    if (config) return "success";
    CHECK(config.error().code == Errc::bad_request);
    const std::string begin = "card model: ";
    REQUIRE(config.error().detail.starts_with(begin));
    return config.error().detail.substr(begin.size());
}

/// Every existing member.
std::string all_members() {
    return with(R"(
        "description": "all of it", "figures": "made up", "real_bytes": "512MiB", "beyond_real": "garbage",
        "can_trim": true, "command_overhead_ns": 1, "joins_within_ns": 25, "flush_ns": 2, "smart_critical_warning": 4,
        "read": {"bytes_per_second": 3, "latency_ns": 4, "random_latency_ns": 5,
                 "by_size": [{"from_bytes": 512, "latency_ns": 0}, {"from_bytes": 4096, "bytes_per_second": 6}]},
        "write": {"latency_ns": 7},
        "slc_cache": {"bytes": "1MiB", "direct_bytes_per_second": 8, "recovery_bytes_per_second": 9,
                      "recovery_after_idle_ns": 10},
        "thermal": {"ambient_celsius": 20.5, "degrees_per_gigabyte": 0.125, "cooling_time_ns": 11,
                    "throttle_at_celsius": 70, "resume_at_celsius": 60, "throttled_bytes_per_second": 12},
        "garbage_collection": {"every_bytes": 13, "stall_ns": 14, "jitter_percent": 15},
        "disk": {"outer_bytes_per_second": 17, "inner_bytes_per_second": 16, "track_to_track_ns": 18,
                 "full_stroke_ns": 19, "revolutions_per_minute": 20},
        "volatile_cache": {"bytes": "1MiB", "loss_unit": "sector"},
        "erase_unit": {"bytes": "4MiB", "partial_ns": 21, "open_units": 22},
        "program_unit": {"bytes": "32KiB", "offset_bytes": 512, "partial_ns": 23},
        "bad_sectors": [{"first_sector": 1, "sector_count": 2, "fails": "write"}, {"first_sector": 9, "fails": "read"}],
        "slow_regions": [{"first_sector": 3, "sector_count": 4, "bytes_per_second": 23, "extra_ns": 24}],
        "corrupt_regions": [{"first_sector": 5, "sector_count": 6, "bits_per_sector": 7}],
        "corrupt_one_sector_in": 1000000, "start_value": 18446744073709551615)");
}

void gather_names(const nlohmann::json& from, std::set<std::string>& names) {
    for (const auto& [name, value] : from.items()) {
        if (from.is_object()) names.insert(name);
        if (value.is_structured()) gather_names(value, names);
    }
}

} // namespace

TEST_CASE("card config: a configuration with only a size describes a genuine medium without limits") {
    const auto config = parse_card_config(with(""));
    REQUIRE(config);
    CHECK(config->claimed == 1_GiB);
    CHECK(config->real == 1_GiB);
    CHECK(*config == CardConfig{.claimed = 1_GiB, .real = 1_GiB});
}

TEST_CASE("card config: a fault is reported with its position") {
    struct Row {
        std::string text, reason;
    };
    const std::string slc = R"("bytes": "1MiB", "direct_bytes_per_second": 1, "recovery_bytes_per_second": 1)";
    const std::string heat = R"("degrees_per_gigabyte": 1, "cooling_time_ns": 1, "throttled_bytes_per_second": 1)";
    const std::vector<Row> rows{
        {"", "/: line 1, column 1: is empty"},
        {"[]", "/: must be an object, is an empty list"},
        {"{}", "/claimed_bytes: is missing; give the capacity that the medium claims"},
        {R"({"claimed_bytes": 1000})", "/claimed_bytes: must be a multiple of 512 and not 0"},
        {R"({"claimed_bytes": "1GB"})", "*"},
        {with(R"("real_bytes": "2GiB")"),
         "/real_bytes: is 2147483648, more than the 1073741824 bytes that the medium claims"},
        {with(R"("real_bytes": 513)"), "/real_bytes: must be a multiple of 512 and not 0"},
        {with(R"("beyond_real": "wrapp")"),
         "/beyond_real: unknown end of a fake medium \"wrapp\"; did you mean \"wrap\"?"},
        {with(R"("comand_overhead_ns": 1)"),
         "/comand_overhead_ns: unknown member; did you mean \"command_overhead_ns\"?"},
        {with(R"("can_trim": 1)"), "/can_trim: must be true or false, is 1"},
        {with(R"("read": {"bytes_per_second": 0})"),
         "/read/bytes_per_second: must be a whole number from 1 to 1000000000000, is 0"},
        {with(R"("write": {"latency_ns": -1})"),
         "/write/latency_ns: must be a whole number from 0 to 1000000000000, is -1"},
        {with(R"("read": {"by_size": [{"from_bytes": 4096}, {"from_bytes": 4096}]})"),
         "/read/by_size/1: must begin at a larger size than the entry before it"},
        {with(R"("read": {"by_size": [{}]})"),
         "/read/by_size/0/from_bytes: is missing; give the smallest request size of this entry"},
        {with(R"("slc_cache": {"bytes": 1})"),
         "/slc_cache/direct_bytes_per_second: is missing; give the rate of writes when the cache is full (and 1 more)"},
        {with(R"("slc_cache": {)" + slc + R"(, "speed": 1})"), "*"},
        {with(R"("thermal": {"throttle_at_celsius": 50, "resume_at_celsius": 60, )" + heat + "}"),
         "/thermal: \"resume_at_celsius\" must not be above \"throttle_at_celsius\""},
        {with(R"("thermal": {"throttle_at_celsius": 5000, "resume_at_celsius": 60, )" + heat + "}"),
         "/thermal/throttle_at_celsius: must be a temperature from -100 to 1000 degrees Celsius, is 5000"},
        {with(R"("garbage_collection": {"every_bytes": 1, "stall_ns": 1, "jitter_percent": 101})"),
         "/garbage_collection/jitter_percent: must be a whole number from 0 to 100, is 101"},
        {with(R"("disk": {"outer_bytes_per_second": 1, "inner_bytes_per_second": 2, "track_to_track_ns": 1,
                 "full_stroke_ns": 1, "revolutions_per_minute": 5400})"),
         "/disk: \"inner_bytes_per_second\" must not be above \"outer_bytes_per_second\""},
        {with(R"("disk": {"outer_bytes_per_second": 2, "inner_bytes_per_second": 2, "track_to_track_ns": 2,
                 "full_stroke_ns": 1, "revolutions_per_minute": 5400})"),
         "/disk: \"track_to_track_ns\" must not be above \"full_stroke_ns\""},
        {with(R"("volatile_cache": {"bytes": 4095})"), "/volatile_cache: \"bytes\" must be from 4 KiB to 4 GiB"},
        {with(R"("volatile_cache": {"bytes": 4096, "loss_unit": "page"})"), "*"},
        {with(R"("program_unit": {"bytes": 4096, "offset_bytes": 100, "partial_ns": 1})"),
         "/program_unit: \"bytes\" and \"offset_bytes\" must be multiples of 512"},
        {with(R"("program_unit": {"bytes": 4096, "offset_bytes": 4096, "partial_ns": 1})"),
         "/program_unit: \"offset_bytes\" must be below \"bytes\""},
        {with(R"("program_unit": {"bytes": 4096})"),
         "/program_unit/partial_ns: is missing; give the extra time of a partly written unit"},
        {with(R"("erase_unit": {"bytes": 1000, "partial_ns": 1})"), "/erase_unit: \"bytes\" must be a multiple of 512"},
        {with(R"("bad_sectors": [{"first_sector": 2097152}])"),
         "/bad_sectors/0: ends at sector 2097153, but the medium has 2097152 sectors"},
        {with(R"("bad_sectors": [{"first_sector": 1, "fails": "never"}])"),
         "/bad_sectors/0/fails: unknown way to fail \"never\"; expected one of \"read\", \"write\", \"both\""},
        {with(R"("slow_regions": [{"sector_count": 1}])"),
         "/slow_regions/0/first_sector: is missing; give the first sector"},
        {with(R"("corrupt_regions": [{"first_sector": 1, "bits_per_sector": 5000}])"),
         "/corrupt_regions/0/bits_per_sector: must be a whole number from 1 to 4096, is 5000"},
        {R"({"claimed_bytes": 512, "claimed_bytes": 512})", "/claimed_bytes: occurs twice; keep one"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.text);
        if (row.reason == "*") {
            CHECK(refusal(row.text) != "success");
        } else {
            CHECK(refusal(row.text) == row.reason);
        }
    }
}

TEST_CASE("card config: an override replaces a member and is checked like that member") {
    const std::string fake = R"({"claimed_bytes": "1GiB", "real_bytes": "64MiB"})";
    const auto sizes = [](const std::string& text, const CardOverrides& overrides) {
        const auto config = parse_card_config(text, overrides);
        REQUIRE(config);
        return std::pair(config->claimed, config->real);
    };
    CHECK(sizes(with(""), {.claimed = 2_GiB}) == std::pair(2_GiB, 2_GiB));
    CHECK(sizes(fake, {.claimed = 2_GiB}) == std::pair(2_GiB, 64_MiB));
    CHECK(sizes(fake, {.claimed = 2_GiB, .real = 1_GiB}) == std::pair(2_GiB, 1_GiB));
    CHECK(sizes(with(""), {.real = 1_MiB}) == std::pair(1_GiB, 1_MiB));
    CHECK(refusal(fake, {.claimed = 32_MiB}) ==
          "/real_bytes: is 67108864, more than the 33554432 bytes that the medium claims");
    CHECK(parse_card_config(with(R"("start_value": 7)"))->start_value == 7);
    CHECK(parse_card_config(with(R"("start_value": 7)"), {.start_value = 8})->start_value == 8);
}

TEST_CASE("card config: every member is parsed into its field") {
    const auto config = parse_card_config(all_members());
    REQUIRE(reason(config) == "success");
    CHECK(*config == CardConfig{
                         .description = "all of it",
                         .figures = "made up",
                         .claimed = 1_GiB,
                         .real = 512_MiB,
                         .beyond = OverflowBehaviour::garbage,
                         .can_trim = true,
                         .command_overhead = 1ns,
                         .joins_within = 25ns,
                         .read = {.rate = Rate{3},
                                  .latency = 4ns,
                                  .random_latency = 5ns,
                                  .by_size = {{.from = {512}, .latency = 0ns}, {.from = 4_KiB, .rate = Rate{6}}}},
                         .write = {.latency = 7ns},
                         .flush_latency = 2ns,
                         .slc_cache = SlcCache{1_MiB, Rate{8}, Rate{9}, 10ns},
                         .thermal = Thermal{20.5, 0.125, 11ns, 70, 60, Rate{12}},
                         .garbage_collection = GarbageCollection{{13}, 14ns, 15},
                         .disk = Disk{Rate{17}, Rate{16}, 18ns, 19ns, 20},
                         .volatile_cache = VolatileCache{1_MiB, LossUnit::sector},
                         .erase_unit = EraseUnit{4_MiB, 21ns, 22},
                         .program_unit = ProgramUnit{32_KiB, {512}, 23ns},
                         .bad_sectors = {{.sectors = {{1}, 2}, .fail_reads = false, .fail_writes = true},
                                         {.sectors = {{9}, 1}, .fail_reads = true, .fail_writes = false}},
                         .slow_regions = {{.sectors = {{3}, 4}, .rate = Rate{23}, .extra = 24ns}},
                         .corrupt_regions = {{.sectors = {{5}, 6}, .bits_per_sector = 7}},
                         .corrupt_one_sector_in = 1'000'000,
                         .smart_critical_warning = 4,
                         .start_value = 18446744073709551615U,
                     });
}

TEST_CASE("card catalogue: every entry is a valid configuration with description and source of its figures") {
    CHECK(catalogue().size() == 7);
    for (const CatalogueEntry& entry : catalogue()) {
        CAPTURE(entry.name);
        const auto config = parse_card_config(entry.text);
        REQUIRE(reason(config) == "success");
        CHECK_FALSE(config->description.empty());
        CHECK_THAT(config->figures, ContainsSubstring("Typical") && ContainsSubstring("no product"));
        CHECK(find_card_config(std::string(entry.name)) == std::string(entry.text));
    }
    const auto config_of = [](const char* name) { return *parse_card_config(*find_card_config(name)); };
    const CardConfig fake = config_of("fake-1tb");
    CHECK(fake.claimed == 1024_GiB);
    CHECK(fake.real == 32_GiB);
    CHECK(config_of("hard-disk-2tb").disk);
    // An SD slot takes powers of two only.
    for (const char* name : {"aligned-32k", "good-uhs1", "slow-card", "tired-card", "fake-1tb"})
        CHECK(std::has_single_bit(config_of(name).claimed.count));
    // A copy small enough for a test, with all of its faults.
    CHECK(parse_card_config(*find_card_config("tired-card"), {.claimed = 512_MiB}));
}

TEST_CASE("card catalogue: an unknown name is read as a file or refused as a typing error") {
    CHECK(reason(find_card_config("good-uhs2")) == "no card model is named \"good-uhs2\"; did you mean \"good-uhs1\"?");
    CHECK(reason(find_card_config("/nowhere/card.json")) ==
          "/nowhere/card.json cannot be read: No such file or directory: name the file of a card model");
    CHECK(find_card_config("card.json").error().code == Errc::bad_request);
    // Endless files are not read without a limit.
    for (const char* endless : {"/dev/zero", "/dev/tty", "/tmp/"})
        CHECK(reason(find_card_config(endless)) ==
              std::string(endless) + " is not a regular file: name the file of a card model");
}

TEST_CASE("card config: every member, enumerator and catalogue entry is documented") {
    const std::string page = tests::text_of(MEDIARIG_DOCS_DIR "/guide/lab.md");
    std::set<std::string> names{"wrap", "drop", "garbage", "block", "sector", "read", "write", "both", "stats"};
    gather_names(nlohmann::json::parse(all_members()), names);
    for (const CatalogueEntry& entry : catalogue()) names.insert(std::string(entry.name));
    CHECK(names.size() > 50);
    for (const std::string& name : names) {
        CAPTURE(name);
        CHECK(page.find('`' + name + '`') != std::string::npos);
    }
}
