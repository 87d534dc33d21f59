// SPDX-License-Identifier: GPL-3.0-or-later
/// Media side by side on the real agent: the record is the one that media one after another give, but for times.
#include <algorithm>
#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "tests/catch.hpp"
#include "tests/e2e/program.hpp"

using namespace mediarig;
using namespace mediarig::e2e;
using nlohmann::json;

namespace {

/// What takes time, was drawn for the run, or is counted by the kernel for whatever else the machine does.
const std::set<std::string> of_one_run{"series",         "speeds",     "device_read",
                                       "device_written", "generation", "mount_point"};
/// Parameters that mkfs.exfat draws, and what it computes over them.
const std::set<std::string> drawn_parameters{"serial_number", "boot_checksum"};

bool is_time(const std::string& name, const json& value) {
    return name.ends_with("_ns") && (value.is_number() || value.is_null());
}

/// The record of one device without what no two runs have in common.
json but_for_times(const json& record) {
    static const std::regex loop_device("/dev/loop[0-9]+");
    if (record.is_string()) return std::regex_replace(record.get<std::string>(), loop_device, "/dev/loop");
    if (record.is_array()) {
        json out = json::array();
        for (const json& element : record)
            if (!element.is_object() || !drawn_parameters.contains(element.value("name", "")))
                out.push_back(but_for_times(element));
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

std::multiset<std::string> lines_of(const std::string& text) {
    std::istringstream in(text);
    std::multiset<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.insert(line);
    return lines;
}

struct Tested {
    Said said;
    json devices;
    std::chrono::duration<double> wall{};
};

/// Four images under two suites, one of them verified whole, with so many of them at once. The folder is the caller's:
/// paths are part of the record.
Tested test_with_lanes(const Folder& folder, unsigned lanes) {
    json media = json::array();
    for (const char* name : {"one", "two", "three", "four"}) {
        const std::string image = (folder / (std::string(name) + ".img")).string();
        // The same file each time, emptied: its inode is part of the record.
        make_image(image, 64 << 20);
        media.push_back({{"name", name}, {"image", image}, {"confirm", image}});
    }
    const json plan = {{"mediarig_plan", 1},
                       {"name", "lanes"},
                       {"media", media},
                       {"formats", {"exfat"}},
                       {"repeats", 2},
                       {"suites",
                        {{{"suite", "verify"}, {"where", "raw"}},
                         {{"suite", "quickbench"}, {"blocks", {"64KiB"}}, {"span", "8MiB"}, {"volume", "4MiB"}}}}};
    write_file(folder / "plan.json", plan.dump());
    const std::string store = (folder / ("lanes-" + std::to_string(lanes) + ".db")).string();
    Tested tested;
    const auto begun = std::chrono::steady_clock::now();
    tested.said = call_mediarig(
        {"run", (folder / "plan.json").string(), "--store", store, "--lanes", std::to_string(lanes)}, folder.path());
    tested.wall = std::chrono::steady_clock::now() - begun;
    const Said results = call_mediarig({"results", "--json", "--store", store}, folder.path());
    REQUIRE(results.status == 0);
    tested.devices = json::parse(results.out).at("devices");
    std::sort(tested.devices.begin(), tested.devices.end(),
              [](const json& a, const json& b) { return a.at("name") < b.at("name"); });
    return tested;
}

} // namespace

TEST_CASE("four loop devices tested in four lanes have the records that one lane gives, but for times") {
    if (!is_root()) MEDIARIG_SKIP("needs root for loop devices and mounting");
    const Folder folder;
    const Tested alone = test_with_lanes(folder, 1);
    const Tested beside = test_with_lanes(folder, 4);
    {
        CAPTURE(alone.said.err, beside.said.err);
        REQUIRE(alone.said.status == 0);
        REQUIRE(beside.said.status == 0);
    }
    // Verdicts are told as they are reached.
    CHECK(lines_of(beside.said.out) == lines_of(alone.said.out));
    REQUIRE(alone.devices.size() == 4);
    REQUIRE(beside.devices.size() == 4);
    for (std::size_t i = 0; i < 4; ++i) {
        const json expected = but_for_times(alone.devices[i]), found = but_for_times(beside.devices[i]);
        // Two repeats of two suites, none of them empty: there is something to be the same.
        REQUIRE(expected.at("passes").size() == 4);
        for (const json& pass : expected.at("passes")) CHECK_FALSE(pass.at("cells").empty());
        CAPTURE(json::diff(expected, found).dump(1));
        CHECK(found == expected);
    }
    CHECK(left_behind_at_last(folder.path()) == std::vector<std::string>{});
    std::cout << "four loop devices: " << alone.wall.count() << " s with one lane, " << beside.wall.count()
              << " s with four\n";
}
