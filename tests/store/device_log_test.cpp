// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/store/device_log.hpp"

#include <fstream>
#include <nlohmann/json.hpp>

#include "host/store/device_log_reader.hpp"
#include "host/store/log_lines.hpp"
#include "tests/catch.hpp"
#include "tests/store/child.hpp"
#include "tests/store/machine.hpp"
#include "tests/store/scratch.hpp"
#include "tests/store/scripted_campaign.hpp"

using namespace mediarig;
using namespace mediarig::store;

namespace {

struct LogFixture {
    Scratch scratch;
    std::filesystem::path file = scratch / "usb-1.jsonl";

    void write(const std::string& bytes) const { std::ofstream(file, std::ios::binary) << bytes; }
    std::string bytes() const {
        std::ifstream in(file, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    void append(const std::vector<std::string>& lines) const {
        auto log = DeviceLog::open(file);
        REQUIRE(reason(log) == "success");
        REQUIRE(reason((*log)->append(lines)) == "success");
    }
    DeviceHistory read() const {
        auto history = read_device_log(file);
        REQUIRE(reason(history) == "success");
        return *history;
    }
    std::string why_unreadable() const { return reason(read_device_log(file)); }
    std::string damage(int line, const std::string& why) const {
        return "the device log " + file.string() + ": line " + std::to_string(line) + why;
    }
};

std::string campaign_line() {
    return log_line::campaign({.id = "c", .name = "lot"});
}
std::string device_line() {
    DeviceRecord device{.key = "usb-1"};
    device.identity.node = "/dev/sdx";
    return log_line::device("c", device);
}
std::string pass_line() {
    PassRecord pass{.id = "p", .device = "usb-1", .format = "raw"};
    pass.job.suite = "verify";
    pass.job.verify = workload::VerifyJob{.span = 1_GiB};
    return log_line::pass("c", pass);
}
const std::string torn_line = R"({"v":1,"type":"torn"})";

} // namespace

TEST_CASE_METHOD(LogFixture, "a log is made when it is missing, and grows line by line") {
    append({campaign_line(), device_line()});
    append({log_line::untested("c", "apfs: no driver")});
    CHECK(bytes() == campaign_line() + "\n" + device_line() + "\n" + log_line::untested("c", "apfs: no driver") + "\n");
    const DeviceHistory history = read();
    REQUIRE(history.campaigns.size() == 1);
    CHECK(history.campaigns[0].campaign.name == "lot");
    CHECK(history.campaigns[0].devices[0].untested == std::vector<std::string>{"apfs: no driver"});
}

TEST_CASE_METHOD(LogFixture, "the first line that tells what was on a device is believed, whatever later ones say") {
    const auto told = [](const char* scheme) {
        DeviceRecord device{.key = "usb-1", .label = scheme};
        device.identity.node = "/dev/sdx";
        if (*scheme != '\0') device.found = media::InspectReport{.size = 1_GiB, .scheme = scheme, .volumes = {}};
        return log_line::device("c", device);
    };
    append({campaign_line(), told(""), told("mbr"), told("none"), told("")});
    const DeviceRecord device = read().campaigns.at(0).devices.at(0).device;
    REQUIRE(device.found);
    CHECK(device.found->scheme == "mbr");
    CHECK(device.label.empty());
}

TEST_CASE("each line is one JSON object that says what it is first") {
    const std::string lines[] = {campaign_line(),
                                 log_line::campaign_end("c\n\"", CampaignState::failed, {}),
                                 device_line(),
                                 pass_line(),
                                 log_line::untested("c", "a\nb"),
                                 log_line::torn()};
    for (const std::string& line : lines) {
        CAPTURE(line);
        CHECK(line.rfind(R"({"v":1,"type":")", 0) == 0);
        CHECK(line.find('\n') == std::string::npos);
        CHECK(nlohmann::json::parse(line, nullptr, false).is_object());
    }
}

TEST_CASE_METHOD(
    LogFixture, "a log that a crash cut off at any byte reads well up to there, and is closed off by the next append") {
    const std::string whole = campaign_line() + "\n" + device_line() + "\n";
    const std::string next = log_line::untested("c", "one") + "\n";
    const std::string later = log_line::untested("c", "two");
    for (std::size_t length = 1; length < next.size(); ++length) {
        CAPTURE(length);
        const std::string cut = next.substr(0, length);
        // Only the line's end is missing: the record is there, although its call had not returned.
        const bool record_is_whole = length == next.size() - 1;
        write(whole + cut);
        const DeviceHistory before = read();
        REQUIRE(before.torn_lines == (record_is_whole ? 0 : 1));
        REQUIRE(before.campaigns[0].devices[0].untested.size() == (record_is_whole ? 1 : 0));

        append({later});
        REQUIRE(bytes() == whole + cut + "\n" + torn_line + "\n" + later + "\n");
        const DeviceHistory after = read();
        REQUIRE(after.torn_lines == before.torn_lines);
        REQUIRE(after.campaigns[0].devices[0].untested.back() == "two");
    }
}

TEST_CASE_METHOD(LogFixture, "a crash in the middle of closing off is closed off as well") {
    const std::string whole = campaign_line() + "\n" + device_line() + "\n";
    write(whole + "{\"v\":1,\"ty\n{\"v\":1,\"t");
    CHECK(read().torn_lines == 2);
    append({log_line::untested("c", "two")});
    CHECK(read().torn_lines == 2);
    CHECK(read().campaigns[0].devices[0].untested.size() == 1);
}

TEST_CASE_METHOD(LogFixture, "what a power failure leaves of a line, zeros, is closed off too") {
    write(campaign_line() + "\n" + device_line() + "\n" + std::string(100, '\0'));
    CHECK(read().torn_lines == 1);
    append({log_line::untested("c", "two")});
    CHECK(read().torn_lines == 1);
}

TEST_CASE_METHOD(LogFixture, "a line that is damaged otherwise than by a crash is named") {
    const std::string good = campaign_line() + "\n" + device_line() + "\n";
    const std::string not_by_crash = " is damaged, and not by a crash: everything before it reads well";
    struct Row {
        std::string text, why;
    };
    const Row rows[] = {
        {good + "{\"v\":1,\n" + pass_line() + "\n", damage(3, not_by_crash)},
        {good + "{\"v\":1,\n", damage(3, not_by_crash)},
        {good + "[1]\n" + pass_line() + "\n", damage(3, not_by_crash)},
        {good + "x\n\n" + pass_line(), damage(3, not_by_crash)},
        {good + "{}\n", damage(3, ": member 'v' is missing")},
        {good + R"({"v":1,"type":"pass","campaign":"c","data":{}})" + "\n",
         damage(3, ": pass: member 'id' is missing or no text")},
        {good + R"({"v":1,"type":"untested","campaign":"c"})" + "\n", damage(3, ": untested: no text")},
        {good + pass_line() + "\n" + R"({"v":1,"type":"samples","campaign":"c","pass":"p"})" + "\n",
         damage(4, ": samples: not a JSON object")},
        {R"({"v":1,"type":"campaign"})", damage(1, ": campaign: not a JSON object")},
    };
    for (const Row& row : rows) {
        CAPTURE(row.text);
        write(row.text);
        CHECK(why_unreadable() == row.why);
        CHECK(read_device_log(file).error().code == Errc::bad_format);
    }
}

TEST_CASE_METHOD(LogFixture, "every kind of line is checked member by member") {
    const std::string good = campaign_line() + "\n" + device_line() + "\n" + pass_line() + "\n";
    for (const char* type : {"campaign", "campaign_end", "device", "format", "pass", "samples", "cell", "end",
                             "finding", "check", "untested", "verdict"}) {
        CAPTURE(type);
        write(good + R"({"v":1,"type":")" + type + R"(","campaign":"c","pass":"p","data":7})" + "\n");
        CHECK_THAT(why_unreadable(), ContainsSubstring("line 4: "));
        CHECK(read_device_log(file).error().code == Errc::bad_format);
    }
}

TEST_CASE_METHOD(LogFixture,
                 "lines of kinds and members that came later are passed over, but a log of a newer version is not") {
    write(campaign_line() + "\n" + device_line() + "\n" + R"({"v":1,"type":"temperature","campaign":"c","data":[1]})" +
          "\n" + R"({"v":1,"type":7})" + "\n");
    CHECK(read().campaigns.size() == 1);
    write(campaign_line() + "\n" + R"({"v":2,"type":"campaign"})" + "\n");
    CHECK(why_unreadable() ==
          damage(2, ": was written by a newer mediarig (log version 2, this one knows 1): upgrade"));
    CHECK(read_device_log(file).error().code == Errc::store_failed);
}

TEST_CASE_METHOD(LogFixture, "lines about what no earlier line tells of are counted and passed over") {
    write(device_line() + "\n" + campaign_line() + "\n" + pass_line() + "\n" + device_line() + "\n" +
          log_line::pass_end("c", "p", {}) + "\n" +
          log_line::format("c", {.step = "m0.r1.exfat.format", .device = "usb-1", .format = "exfat", .repeat = 1}) +
          "\n" + log_line::cell("c", "p", scripted_cell("x", 10, 1))[0] + "\n" +
          log_line::finding("c", {.pass = "p", .cell = {}, .finding = {}}) + "\n");
    const DeviceHistory history = read();
    CHECK(history.stray_lines == 5);
    CHECK(history.campaigns.size() == 1);
    CHECK(history.campaigns[0].devices[0].passes.empty());
}

TEST_CASE_METHOD(LogFixture, "a raw log comes back from its chunks") {
    append({campaign_line(), device_line(), pass_line()});
    for (const std::size_t samples : {1u, 8192u, 20'000u}) {
        const auto cell = scripted_cell("x" + std::to_string(samples), samples, 1);
        append(log_line::cell("c", "p", cell));
    }
    append(log_line::cell("c", "p", scripted_cell("none", 0, 1)));
    for (const std::size_t samples : {1u, 8192u, 20'000u})
        CHECK(read_raw_log(file, "c", "p", "x" + std::to_string(samples)) == scripted_cell("", samples, 1).raw_log);
    CHECK(read_raw_log(file, "c", "p", "none")->empty());
    const auto absent = read_raw_log(file, "c", "p", "absent");
    CHECK(reason(absent) == "the device log " + file.string() + " holds no cell 'absent' of pass 'p' of campaign 'c'");
    CHECK(absent.error().code == Errc::bad_request);
}

TEST_CASE_METHOD(LogFixture, "chunks of an attempt that a crash cut off do not count") {
    append({campaign_line(), device_line(), pass_line()});
    auto first = log_line::cell("c", "p", scripted_cell("x", 20'000, 1));
    first.pop_back();
    append(first);
    CHECK(read().campaigns[0].devices[0].passes[0].cells.empty());
    CHECK_FALSE(read_raw_log(file, "c", "p", "x"));
    const auto again = scripted_cell("x", 9'000, 2);
    append(log_line::cell("c", "p", again));
    CHECK(read_raw_log(file, "c", "p", "x") == again.raw_log);
    const auto without = scripted_cell("x", 0, 3);
    append(log_line::cell("c", "p", without));
    CHECK(read_raw_log(file, "c", "p", "x")->empty());
    CHECK(read().campaigns[0].devices[0].passes[0].cells.size() == 1);
}

TEST_CASE_METHOD(LogFixture, "a raw log whose chunks do not fit together is refused") {
    const std::string good = campaign_line() + "\n" + device_line() + "\n" + pass_line() + "\n";
    const auto samples = [](const std::string& data) {
        return R"({"v":1,"type":"samples","campaign":"c","pass":"p","data":{"cell":"x",)" + data + "}}\n";
    };
    const std::pair<std::string, std::string> rows[] = {
        {samples(R"("first":8192,"encoding":"varint-base64","samples":"AQ==")"), "a chunk before this one is missing"},
        {samples(R"("first":0,"encoding":"zip","samples":"AQ==")"), "encoding 'zip' is unknown"},
        {samples(R"("first":0,"encoding":"varint-base64","samples":"A")"), "the chunk does not read back"},
        {samples(R"("first":0,"encoding":"varint-base64","samples":"gA==")"), "the chunk does not read back"},
        {samples(R"("first":-1,"encoding":"varint-base64","samples":"AQ==")"),
         "member 'first' is missing or no count below 2^32"},
    };
    for (const auto& [line, why] : rows) {
        write(good + line);
        CHECK(reason(read_raw_log(file, "c", "p", "x")) == damage(4, ": samples: " + why));
    }
}

TEST_CASE_METHOD(LogFixture, "processes that append to one log at once do not mix their lines") {
    append({campaign_line(), device_line(), pass_line()});
    constexpr int processes = 4, records = 40;
    std::vector<std::unique_ptr<Child>> children;
    for (int process = 0; process < processes; ++process)
        children.push_back(std::make_unique<Child>([&, process](const Child::Acknowledge&) {
            auto log = DeviceLog::open(file);
            for (int record = 0; log && record < records; ++record) {
                const auto cell = scripted_cell(std::to_string(process) + "." + std::to_string(record), 9'000, 1);
                if (!(*log)->append(log_line::cell("c", "p", cell))) return 1;
            }
            return log ? 0 : 1;
        }));
    for (auto& child : children) CHECK(child->join() == 0);
    const DeviceHistory history = read();
    CHECK(history.torn_lines == 0);
    CHECK(history.campaigns[0].devices[0].passes[0].cells.size() == processes * records);
    CHECK(read_raw_log(file, "c", "p", "3.39") == scripted_cell("", 9'000, 1).raw_log);
}

TEST_CASE_METHOD(LogFixture, "a log that is missing or cannot be opened is an error that names it") {
    CHECK(reason(read_device_log(file)) == "cannot read the device log " + file.string() + ": does it exist?");
    std::filesystem::create_directory(file);
    CHECK(reason(DeviceLog::open(file)) ==
          "cannot open the device log " + file.string() +
              " (Is a directory): make it and its directory writable, or choose another "
              "store with --store");
    CHECK(reason(read_device_log(file)) == "the device log " + file.string() + ": reading failed after line 0");
}
