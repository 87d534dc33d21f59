// SPDX-License-Identifier: GPL-3.0-or-later
/// Campaigns in virtual time, with the real program and real drivers: figures equal those of the card model on any
/// computer, and two runs are equal.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
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

constexpr double request_latency_ns = 300'000, stall_ns = 100'000'000, rate_behind_cliff = 10e6;
constexpr std::uint64_t bytes_between_stalls = 4 << 20, bytes_before_cliff = 8 << 20;

/// A card model with one property, whose times have a closed form.
struct ClosedForm {
    std::string name;
    json card;
    double request_ns{}; ///< time per request
    double read_ns_per_byte{}, write_ns_per_byte{};
    bool stalls{};
    double saved_at_first_ns{}; ///< time that the first writes of a blank medium need less
};

std::vector<ClosedForm> closed_forms() {
    const json size = {{"claimed_bytes", "64MiB"}};
    const json rates = {{"read", {{"bytes_per_second", read_rate}}}, {"write", {{"bytes_per_second", write_rate}}}};
    std::vector<ClosedForm> forms{
        {.name = "rate", .card = rates, .read_ns_per_byte = 1e9 / read_rate, .write_ns_per_byte = 1e9 / write_rate},
        {.name = "latency",
         .card = {{"read", {{"latency_ns", request_latency_ns}}}, {"write", {{"latency_ns", request_latency_ns}}}},
         .request_ns = request_latency_ns},
        {.name = "stall",
         .card = rates,
         .read_ns_per_byte = 1e9 / read_rate,
         .write_ns_per_byte = 1e9 / write_rate,
         .stalls = true},
        // The first writes of a blank medium are fast. The cache does not recover, so all later writes are slow.
        {.name = "cliff",
         .card = rates,
         .read_ns_per_byte = 1e9 / read_rate,
         .write_ns_per_byte = 1e9 / rate_behind_cliff,
         .saved_at_first_ns = double{bytes_before_cliff} * (1e9 / rate_behind_cliff - 1e9 / write_rate)}};
    forms[2].card["garbage_collection"] = {{"every_bytes", bytes_between_stalls}, {"stall_ns", stall_ns}};
    forms[3].card["slc_cache"] = {{"bytes", bytes_before_cliff},
                                  {"direct_bytes_per_second", rate_behind_cliff},
                                  {"recovery_bytes_per_second", 1},
                                  {"recovery_after_idle_ns", 1'000'000'000'000}};
    for (ClosedForm& form : forms) form.card.update(size);
    return forms;
}

/// Time of a cell of direct requests at depth 1.
double model_ns(const ClosedForm& form, const json& cell) {
    const bool reads = cell.at("cell").at("access").get<std::string>().ends_with("read");
    const double bytes = cell.at("moved").get<double>();
    const double requests = bytes / std::min(cell.at("cell").at("block").get<double>(), largest_request);
    const double stalls = form.stalls && !reads ? bytes / double{bytes_between_stalls} * stall_ns : 0;
    const double saved = cell.at("cell").at("id") == "verify.write" ? form.saved_at_first_ns : 0;
    return requests * form.request_ns + bytes * (reads ? form.read_ns_per_byte : form.write_ns_per_byte) + stalls -
           saved;
}

/// Bytes that a cell moved in addition to its data, according to the block layer.
double extra_bytes(const json& cell) {
    const bool reads = cell.at("cell").at("access").get<std::string>().ends_with("read");
    return cell.at("evidence").at(reads ? "device_read" : "device_written").get<double>() -
           cell.at("moved").get<double>();
}

} // namespace

TEST_CASE("in virtual time, rate, latency, stalls and a cliff have the times of the model, raw and on file systems") {
    NEEDS_VIRTUAL_LAB();
    const Folder folder;
    json plan = json::parse(R"({"mediarig_plan": 1, "formats": ["exfat", "hfs+j"], "suites": [
        {"suite": "verify", "where": "raw"},
        {"suite": "quickbench", "where": "raw", "blocks": ["64KiB", "1MiB"], "span": "16MiB", "volume": "16MiB"},
        {"suite": "quickbench", "blocks": ["64KiB", "1MiB"], "span": "16MiB", "volume": "16MiB"}]})");
    const std::vector<ClosedForm> forms = closed_forms();
    for (std::size_t i = 0; i < forms.size(); ++i) {
        const auto card = folder / (forms[i].name + ".json");
        write_file(card, forms[i].card.dump());
        plan["media"].push_back({{"slot", i + 1}, {"name", forms[i].name}});
        plan["lab"].push_back({{"slot", i + 1}, {"card", card.string()}});
    }
    write_file(folder / "plan.json", plan.dump());
    const json record = record_of(folder);
    std::size_t compared = 0;
    for (std::size_t i = 0; i < forms.size(); ++i) {
        for (const json& pass : record.at("devices").at(i).at("passes")) {
            for (const json& cell : pass.at("cells")) {
                CAPTURE(forms[i].name, pass.at("format"), cell.at("cell").dump(), cell.at("elapsed_ns"));
                const double model = model_ns(forms[i], cell), measured = cell.at("elapsed_ns").get<double>();
                const double requests = cell.at("moved").get<double>() /
                                        std::min(cell.at("cell").at("block").get<double>(), largest_request);
                // HFS+ writes its volume header with each sync. A request of metadata has at least one sector.
                const double extra = extra_bytes(cell);
                CHECK(extra >= 0);
                CHECK(extra <= 16 * 1024);
                if (pass.at("format") == "raw") CHECK(extra == 0);
                const double metadata = extra * std::max(forms[i].read_ns_per_byte, forms[i].write_ns_per_byte) +
                                        std::ceil(extra / 4096) * forms[i].request_ns;
                CHECK(measured >= model);
                CHECK(measured - model <= std::max(model * 1e-3, requests * 2000) + metadata);
                ++compared;
            }
        }
    }
    CHECK(compared == forms.size() * (2 + 3 * 8));
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

/// Returns the record without random values and dates: ids, dates and checksums of volumes, names of mount points.
json but_for_ids(json record) {
    static const std::regex drawn(
        "[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8}|[0-9A-F]{4}-[0-9A-F]{4}|(0x)?[0-9a-f]{8}|[0-9a-f]{16}|[0-9a-f]{32}|"
        "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
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

TEST_CASE("in virtual time, two runs of one plan under exFAT have equal records, also on busy processors") {
    NEEDS_VIRTUAL_LAB();
    const json plan = json::parse(R"({"formats": ["exfat"], "suites": [
        {"suite": "quickbench", "quick": true, "blocks": ["4KiB", "64KiB"], "span": "16MiB", "volume": "2MiB"}]})");
    const Folder folder;
    write_plan(folder, constant_card("256MiB"), plan);
    const json first = but_for_ids(record_of(folder));
    const BusyProcessors busy;
    const json second = but_for_ids(record_of(folder));
    CAPTURE(json::diff(first, second).dump(1));
    CHECK(first == second);
}
