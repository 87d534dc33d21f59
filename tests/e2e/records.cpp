// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/e2e/records.hpp"

#include <algorithm>
#include <regex>
#include <set>
#include <string>

#include "tests/catch.hpp"

namespace mediarig::e2e {

using nlohmann::json;

namespace {

/// Members with times, random values of the run, and kernel counters.
const std::set<std::string> of_one_run{"series",      "speeds",        "device_read", "device_written", "generation",
                                       "mount_point", "disk_sequence", "sysfs_path",  "uplinks",        "lun",
                                       "minor",       "smart",         "health",      "host_load",      "written_at"};
/// Kinds of findings that depend on rates and times.
const std::set<std::string> of_times{"too_short",   "slow_region",        "not_monotone",   "rate_unstable",
                                     "throttled",   "position_dependent", "latency_spikes", "first_pass",
                                     "state_drift", "processor_bound",    "host_busy",      "data_dependent"};
/// Parameters that a formatter chooses at random or takes from the clock, and checksums over them.
const std::set<std::string> drawn_parameters{"serial_number", "boot_checksum", "created",        "modified",
                                             "checked",       "volume_uuid",   "container_uuid", "volume_formatted"};

bool is_time(const std::string& name, const json& value) {
    return name.ends_with("_ns") && (value.is_number() || value.is_null());
}

bool is_drawn(const json& element) {
    return element.is_object() && drawn_parameters.contains(element.value("name", ""));
}

bool is_of_times(const json& element) {
    return element.is_object() && element.contains("kind") && element.at("kind").is_string() &&
           of_times.contains(element.at("kind").get<std::string>());
}

/// Returns the record of one device without values that differ between any two runs.
json but_for_times(const json& record) {
    static const std::regex device("/dev/(loop[0-9]+|sd[a-z])"), drawn("[0-9a-f]{16}");
    if (record.is_string()) {
        const auto text = record.get<std::string>();
        return std::regex_match(text, drawn) ? "drawn" : std::regex_replace(text, device, "/dev/any");
    }
    if (record.is_array()) {
        json out = json::array();
        for (const json& element : record)
            if (!is_drawn(element) && !is_of_times(element)) out.push_back(but_for_times(element));
        return out;
    }
    if (!record.is_object()) return record;
    json out = json::object();
    for (const auto& [name, value] : record.items()) {
        if (is_time(name, value) || of_one_run.contains(name)) continue;
        out[name] = name == "latency" ? json{{"count", value.at("count")}} : but_for_times(value);
    }
    return out;
}

} // namespace

json results(const Folder& folder) {
    const ProgramOutput output =
        call_mediarig({"results", "--json", "--store", (folder / "r.db").string()}, folder.path());
    CAPTURE(output.err);
    REQUIRE(output.status == 0);
    return json::parse(output.out);
}

Tested test_with_lanes(const Folder& folder, const json& plan, unsigned lanes) {
    write_file(folder / "plan.json", plan.dump());
    const std::string store = (folder / ("lanes-" + std::to_string(lanes) + ".db")).string();
    Tested tested;
    const auto begun = std::chrono::steady_clock::now();
    tested.output = call_mediarig(
        {"run", (folder / "plan.json").string(), "--store", store, "--lanes", std::to_string(lanes)}, folder.path());
    tested.wall = std::chrono::steady_clock::now() - begun;
    const ProgramOutput results = call_mediarig({"results", "--json", "--store", store}, folder.path());
    REQUIRE(results.status == 0);
    tested.devices = json::parse(results.out).at("devices");
    std::sort(tested.devices.begin(), tested.devices.end(),
              [](const json& a, const json& b) { return a.at("name") < b.at("name"); });
    return tested;
}

void check_same_records(const Tested& alone, const Tested& beside, std::size_t devices, std::size_t passes) {
    {
        CAPTURE(alone.output.err, beside.output.err);
        REQUIRE(alone.output.status == 0);
        REQUIRE(beside.output.status == 0);
    }
    REQUIRE(alone.devices.size() == devices);
    REQUIRE(beside.devices.size() == devices);
    for (std::size_t i = 0; i < devices; ++i) {
        const json expected = but_for_times(alone.devices[i]), found = but_for_times(beside.devices[i]);
        REQUIRE(expected.at("passes").size() == passes);
        for (const json& pass : expected.at("passes")) CHECK_FALSE(pass.at("cells").empty());
        CAPTURE(json::diff(expected, found).dump(1));
        CHECK(found == expected);
    }
}

} // namespace mediarig::e2e
