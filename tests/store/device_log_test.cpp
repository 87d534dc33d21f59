// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/store/device_log.hpp"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <fstream>

#include "host/measure/encoding.hpp"
#include "host/store/log_lines.hpp"
#include "tests/catch.hpp"
#include "tests/json.hpp"
#include "tests/scratch.hpp"
#include "tests/store/child.hpp"
#include "tests/store/logged_lines.hpp"
#include "tests/store/machine.hpp"
#include "tests/store/scripted_campaign.hpp"

using namespace mediarig;
using namespace mediarig::store;

namespace {

struct LogFixture {
    tests::Scratch scratch;
    std::filesystem::path file = scratch / "usb-1.jsonl";

    void write(const std::string& bytes) const { tests::write(file, bytes); }
    std::string bytes() const { return tests::text_of(file); }
    void append(const std::vector<std::string>& lines) const {
        auto log = DeviceLog::open(file);
        REQUIRE(reason(log) == "success");
        REQUIRE(reason((*log)->append(lines)) == "success");
    }
    std::vector<std::string> lines() const { return logged_lines(file); }
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
    pass.job.kind = workload::VerifyJob{.span = 1_GiB};
    return log_line::pass("c", pass);
}
const std::string torn_line = R"({"v":1,"type":"torn"})";

} // namespace

TEST_CASE_METHOD(LogFixture, "a missing log is created and grows line by line") {
    append({campaign_line(), device_line()});
    append({log_line::entry("c", measure::Untested{"apfs", "no driver"})});
    CHECK(bytes() == campaign_line() + "\n" + device_line() + "\n" +
                         log_line::entry("c", measure::Untested{"apfs", "no driver"}) + "\n");
}

TEST_CASE("each line is one JSON object that begins with its type") {
    const std::string lines[] = {
        campaign_line(), log_line::campaign_end("c\n\"", CampaignState::failed, {}), device_line(),
        pass_line(),     log_line::entry("c", measure::Untested{"a\nb", "no"}),      log_line::torn()};
    for (const std::string& line : lines) {
        CAPTURE(line);
        CHECK(line.rfind(R"({"v":1,"type":")", 0) == 0);
        CHECK(line.find('\n') == std::string::npos);
        CHECK(nlohmann::json::parse(line, nullptr, false).is_object());
    }
}

TEST_CASE_METHOD(LogFixture,
                 "a log truncated by a crash is readable up to that point, and the next append repairs it") {
    const std::string whole = campaign_line() + "\n" + device_line() + "\n";
    const std::string next = log_line::entry("c", measure::Untested{"one", "no"}) + "\n";
    const std::string later = log_line::entry("c", measure::Untested{"two", "no"});
    for (std::size_t length = 1; length < next.size(); ++length) {
        CAPTURE(length);
        const std::string cut = next.substr(0, length);
        write(whole + cut);
        append({later});
        REQUIRE(bytes() == whole + cut + "\n" + torn_line + "\n" + later + "\n");
    }
}

TEST_CASE_METHOD(LogFixture, "the next append repairs a log after a crash during an earlier repair") {
    const std::string whole = campaign_line() + "\n" + device_line() + "\n";
    const std::string cut = "{\"v\":1,\"ty\n{\"v\":1,\"t", later = log_line::entry("c", measure::Untested{"two", "no"});
    write(whole + cut);
    append({later});
    CHECK(bytes() == whole + cut + "\n" + torn_line + "\n" + later + "\n");
}

TEST_CASE_METHOD(LogFixture, "the next append repairs a log with zeros after a power failure") {
    const std::string zeros(100, '\0'), later = log_line::entry("c", measure::Untested{"two", "no"});
    write(device_line() + "\n" + zeros);
    append({later});
    CHECK(bytes() == device_line() + "\n" + zeros + "\n" + torn_line + "\n" + later + "\n");
}

TEST_CASE("a raw log is restored from the chunks that precede their cell") {
    for (const std::size_t samples : {0u, 1u, 8192u, 20'000u}) {
        const auto cell = scripted_cell("x", samples, 1);
        std::vector<std::uint32_t> latencies;
        const auto lines = log_line::cell("c", "p", cell);
        for (const std::string& line : lines) {
            const auto json = nlohmann::json::parse(line);
            CHECK(json["pass"] == "p");
            if (&line == &lines.back()) {
                CHECK(json["type"] == "cell");
                CHECK(json["data"]["cell"]["id"] == "x");
                continue;
            }
            CHECK(json["type"] == "samples");
            CHECK(json["data"]["cell"] == "x");
            CHECK(json["data"]["first"] == latencies.size());
            CHECK(json["data"]["encoding"] == "varint-base64");
            const auto bytes = measure::decode_base64(json["data"]["samples"].get<std::string>());
            REQUIRE(bytes);
            const auto chunk = measure::decode_varints(*bytes);
            REQUIRE(chunk);
            latencies.insert(latencies.end(), chunk->begin(), chunk->end());
        }
        CHECK(latencies == cell.raw_log);
    }
}

TEST_CASE_METHOD(LogFixture, "lines that several processes append concurrently are not mixed") {
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
    const auto whole = lines();
    const std::string all = bytes();
    CHECK(whole.size() == static_cast<std::size_t>(std::count(all.begin(), all.end(), '\n')));
    for (int process = 0; process < processes; ++process)
        for (int record = 0; record < records; ++record) {
            const auto cell = scripted_cell(std::to_string(process) + "." + std::to_string(record), 9'000, 1);
            const auto record_lines = log_line::cell("c", "p", cell);
            // The lines of one record are contiguous.
            CHECK(std::search(whole.begin(), whole.end(), record_lines.begin(), record_lines.end()) != whole.end());
        }
}

TEST_CASE_METHOD(LogFixture, "open() refuses a log that is a link, a hard link or a device") {
    const auto elsewhere = scratch / "elsewhere";
    std::ofstream(elsewhere) << "precious";
    SECTION("a link") {
        std::filesystem::create_symlink(elsewhere, file);
    }
    SECTION("a hard link") {
        std::filesystem::create_hard_link(elsewhere, file);
    }
    SECTION("a device") {
        // Any device node is suitable: /dev/null accepts all writes.
        if (::mknod(file.c_str(), S_IFCHR | 0600, ::makedev(1, 3)) != 0) MEDIARIG_SKIP("making a node needs root");
    }
    const auto log = DeviceLog::open(file);
    REQUIRE_FALSE(log);
    CHECK(log.error().code == Errc::store_failed);
    CHECK_THAT(log.error().detail, ContainsSubstring(file.string() + " is not a log of mediarig"));
    CHECK(std::filesystem::file_size(elsewhere) == 8);
}

TEST_CASE_METHOD(LogFixture, "append() fails for a log that was removed or replaced during use") {
    auto log = DeviceLog::open(file);
    REQUIRE(log);
    const std::vector<std::string> line{"{}"};
    REQUIRE((*log)->append(line));
    std::filesystem::remove(file);
    CHECK_THAT(reason((*log)->append(line)), ContainsSubstring("was removed, renamed or replaced while it was in use"));
    std::ofstream(file) << "another\n";
    CHECK_FALSE((*log)->append(line));
}

TEST_CASE_METHOD(LogFixture, "the error for a log that cannot be opened names the log") {
    std::filesystem::create_directory(file);
    CHECK(reason(DeviceLog::open(file)) ==
          "cannot open the device log " + file.string() +
              " (Is a directory): make it and its directory writable, or choose another "
              "store with --store");
}
