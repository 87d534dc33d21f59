// SPDX-License-Identifier: GPL-3.0-or-later
/// Campaigns in virtual time, with the real program and real drivers: figures equal those of the card model on any
/// computer, and two runs are equal.
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/catch.hpp"
#include "tests/e2e/records.hpp"
#include "tests/e2e/require_lab.hpp"
#include "tests/json.hpp"

using namespace mediarig;
using namespace mediarig::e2e;
using nlohmann::json;

namespace {

constexpr double read_latency_ns = 100'000, write_latency_ns = 200'000;
constexpr double read_rate = 90e6, write_rate = 60e6; // bytes per second

json constant_card(const char* size) {
    return {{"claimed_bytes", size},
            {"read", {{"bytes_per_second", read_rate}, {"latency_ns", read_latency_ns}}},
            {"write", {{"bytes_per_second", write_rate}, {"latency_ns", write_latency_ns}}}};
}

void write_plan(const Folder& folder, const json& card, json plan) {
    write_file(folder / "card.json", card.dump());
    plan["mediarig_plan"] = 1;
    plan["media"] = {{{"slot", 1}, {"name", "card"}}};
    plan["lab"] = {{{"slot", 1}, {"kind", "sd"}, {"card", (folder / "card.json").string()}}};
    plan["lab_machine"] = "virtual";
    write_file(folder / "plan.json", plan.dump());
}

/// Runs the plan on blank media with a new store.
json record_of(const Folder& folder) {
    for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
        if (entry.path().extension() != ".json") std::filesystem::remove_all(entry.path());
    const ProgramOutput output =
        call_mediarig({"run", (folder / "plan.json").string(), "--store", (folder / "r.db").string()}, folder.path());
    CAPTURE(output.err, output.out);
    REQUIRE(output.status == 0);
    return results(folder);
}

/// Largest request of the guest's block device.
constexpr double largest_request = 512.0 * 1024;

} // namespace

TEST_CASE("in virtual time, direct requests at depth 1 take the time of the model within 0.1 % or 2 us") {
    NEEDS_VIRTUAL_LAB();
    const Folder folder;
    write_plan(folder, constant_card("256MiB"),
               json::parse(R"({"suites": [{"suite": "quickbench", "where": "raw", "quick": true,
                   "blocks": ["4KiB", "256KiB"], "span": "64MiB", "volume": "8MiB", "queue_depth": 1}]})"));
    const json record = record_of(folder);
    std::size_t compared = 0;
    for (const json& pass : record.at("devices").at(0).at("passes")) {
        for (const json& cell : pass.at("cells")) {
            if (cell.at("cell").at("queue_depth") != 1) continue;
            CAPTURE(cell.at("cell").dump(), cell.at("elapsed_ns"), cell.at("operations"));
            const bool reads = cell.at("cell").at("access").get<std::string>().ends_with("read");
            const double bytes = cell.at("moved").get<double>(), operations = cell.at("operations").get<double>();
            REQUIRE(cell.at("cell").at("block").get<double>() <= largest_request);
            const double model = operations * (reads ? read_latency_ns : write_latency_ns) +
                                 bytes / (reads ? read_rate : write_rate) * 1e9;
            const double measured = cell.at("elapsed_ns").get<double>();
            CHECK(measured >= model);
            CHECK(measured - model <= std::max(model * 1e-3, operations * 2000));
            ++compared;
        }
    }
    CHECK(compared >= 4);
}

TEST_CASE("in virtual time, three formats are made, mounted, measured and checked with their real drivers") {
    NEEDS_VIRTUAL_LAB();
    const Folder folder;
    write_plan(folder, constant_card("256MiB"), json::parse(R"({"formats": ["exfat", "hfs+j", "apfs"], "suites": [
        {"suite": "quickbench", "quick": true, "blocks": ["64KiB"], "span": "16MiB", "volume": "4MiB"}]})"));
    const json record = record_of(folder);
    const json& device = record.at("devices").at(0);
    CHECK(device.at("identity").at("sd").at("csd_capacity") == 256 * 1024 * 1024);
    std::set<std::string> drivers;
    for (const json& pass : device.at("passes")) drivers.insert(pass.at("mounted").at("driver").get<std::string>());
    CHECK(drivers.size() == 3);
    for (const json& check : device.at("checks")) CHECK(check.at("clean") == true);
    for (const json& pass : device.at("passes"))
        for (const json& cell : pass.at("cells")) {
            // No file system is faster than its medium.
            const bool reads = cell.at("cell").at("access").get<std::string>().ends_with("read");
            const double rate = cell.at("moved").get<double>() / cell.at("elapsed_ns").get<double>() * 1e9;
            CAPTURE(pass.at("format"), cell.at("cell").dump(), rate);
            CHECK(rate <= (reads ? read_rate : write_rate));
        }
}

namespace {

/// Threads that keep the processors busy until the destructor.
class BusyProcessors {
public:
    BusyProcessors() {
        for (unsigned i = 0; i < 4 * std::max(1U, std::thread::hardware_concurrency()); ++i)
            threads_.emplace_back([this] {
                while (!ended_) {
                }
            });
    }
    BusyProcessors(const BusyProcessors&) = delete;
    BusyProcessors& operator=(const BusyProcessors&) = delete;
    ~BusyProcessors() {
        ended_ = true;
        for (std::thread& thread : threads_) thread.join();
    }

private:
    std::atomic<bool> ended_{false};
    std::vector<std::thread> threads_;
};

/// Returns the record without random values and dates: ids and dates of volumes, names of mount points.
json but_for_ids(json record) {
    static const std::regex drawn("[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8}|[0-9a-f]{16}|[0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
    if (record.is_string() && std::regex_match(record.get<std::string>(), drawn)) return "drawn";
    if (record.contains("campaign") && record["campaign"].is_object()) record["campaign"].erase("id");
    static const std::set<std::string> ids{"resume_with", "started_ns", "ended_ns", "mount_point"};
    if (record.is_array()) {
        json out = json::array();
        for (const json& element : record) out.push_back(but_for_ids(element));
        return out;
    }
    if (!record.is_object()) return record;
    json out = json::object();
    for (const auto& [name, value] : record.items())
        if (!ids.contains(name)) out[name] = but_for_ids(value);
    return out;
}

} // namespace

TEST_CASE("in virtual time, two runs of one plan have equal records, also on busy processors") {
    NEEDS_VIRTUAL_LAB();
    const json plan = json::parse(R"({"formats": ["exfat", "hfs+j", "apfs"], "suites": [
        {"suite": "quickbench", "quick": true, "blocks": ["4KiB", "64KiB"], "span": "16MiB", "volume": "2MiB"}]})");
    const Folder folder;
    write_plan(folder, constant_card("256MiB"), plan);
    const json first = but_for_ids(record_of(folder));
    const BusyProcessors busy;
    const json second = but_for_ids(record_of(folder));
    CAPTURE(json::diff(first, second).dump(1));
    CHECK(first == second);
}
