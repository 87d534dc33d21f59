// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/jobs/scan.hpp"

#include <cerrno>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::workload;
using namespace std::chrono_literals;
using std::chrono::nanoseconds;

namespace {

/// A medium of 20 MB/s in virtual time.
class TimedDisk final : public ReadableMedium {
public:
    explicit TimedDisk(Bytes size) : size_(size) {}
    Bytes size() const override { return size_; }
    Bytes sector() const override { return 512_B; }
    int read(std::span<std::byte> bytes, std::uint64_t offset) override {
        ++reads;
        if (vanished) return ENODEV;
        now += 50ns * static_cast<std::int64_t>(bytes.size());
        for (auto [place, delay] : slow)
            if (place >= offset && place < offset + bytes.size()) now += delay;
        for (auto& [place, delay] : slow_once)
            if (place >= offset && place < offset + bytes.size()) now += std::exchange(delay, 0ns);
        for (auto& [place, failures] : bad)
            if (place >= offset && place < offset + bytes.size() && failures != 0) {
                now += time_of_failure;
                if (bytes.size() <= 4096) --failures;
                return EIO;
            }
        places.insert(offset);
        return 0;
    }
    bool gone(int error) override { return error == ENODEV; }

    std::map<std::uint64_t, nanoseconds> slow, slow_once;
    std::map<std::uint64_t, int> bad; ///< number of failing reads of a block; negative: all
    nanoseconds now{}, time_of_failure{100ms};
    std::set<std::uint64_t> places;
    std::uint64_t reads{};
    bool vanished{};

private:
    Bytes size_;
};

Result<ScanReport> scanned(TimedDisk& disk, nanoseconds limit = {}) {
    JobControl control;
    return scan(
        disk, {.time_limit = limit}, [&] { return disk.now; }, control);
}

std::string places_in(const ScanReport& report) {
    std::string text;
    for (const WeakPlace& place : report.places)
        text += std::to_string(place.offset.count) + "+" + std::to_string(place.length.count) + " " +
                std::string(name_of(place.state)) + " " + std::to_string(place.failed) + "/" +
                std::to_string(place.took.size()) + ";";
    return text;
}

} // namespace

TEST_CASE("a scan reads every byte once and reports the rate of each region") {
    TimedDisk disk(64_MiB + 512_B);
    const auto report = scanned(disk);
    REQUIRE(reason(report) == "success");
    CHECK(report->whole);
    CHECK(report->size == 64_MiB + 512_B);
    CHECK(report->read == 64_MiB + 512_B);
    CHECK(disk.reads == 65);
    CHECK(report->median == 50ns * (1 << 20));
    CHECK(report->places.empty());
    CHECK(report->stopped.empty());
    // 65 transfers in regions of whole transfers
    REQUIRE(report->regions.size() == 33);
    CHECK(report->regions[0].length == 2_MiB);
    CHECK(report->regions[32].offset == 64_MiB);
    CHECK(report->regions[32].length == 512_B);
    Bytes all;
    for (const ScanRegion& region : report->regions) {
        CHECK(region.read == region.length);
        CHECK(region.elapsed == 50ns * static_cast<std::int64_t>(region.length.count));
        all += region.length;
    }
    CHECK(all == report->size);
    CHECK(report->elapsed == disk.now);
}

TEST_CASE("a scan reports a place that is slow in most of five repetitions, but no single delay") {
    TimedDisk disk(32_MiB);
    disk.slow = {{5 << 20, 300ms}};
    disk.slow_once = {{9 << 20, 2s}};
    const auto report = scanned(disk);
    REQUIRE(reason(report) == "success");
    CHECK(places_in(*report) == "5242880+1048576 slow 0/5;");
    CHECK(report->places[0].took == std::vector<nanoseconds>(5, 50ns * (1 << 20) + 300ms));
    CHECK(report->regions[9].worst == 50ns * (1 << 20) + 2s);
    CHECK(disk.reads == 32 + 2 * 5);
}

TEST_CASE("a scan finds the unreadable blocks of a failed transfer, and those that are readable at times") {
    TimedDisk disk(32_MiB);
    disk.bad = {{(3 << 20) + 8192, -1}, {(7 << 20) + 4096, 3}};
    const auto report = scanned(disk);
    REQUIRE(reason(report) == "success");
    CHECK(report->whole);
    // The second block fails when it is found and in two repetitions.
    CHECK(places_in(*report) == "3153920+4096 unreadable 5/0;7344128+4096 slow 2/3;");
    CHECK(report->read == 32_MiB - 8_KiB);
}

TEST_CASE("a scan for a limited time reads evenly distributed samples") {
    TimedDisk disk(512_MiB);
    const auto report = scanned(disk, 4s); // 76 transfers
    REQUIRE(reason(report) == "success");
    CHECK_FALSE(report->whole);
    CHECK(report->read >= 70_MiB);
    CHECK(report->read <= 80_MiB);
    std::map<std::uint64_t, int> parts;
    for (const std::uint64_t at : disk.places) ++parts[at / (32 << 20)];
    CHECK(parts.size() == 16);
    for (const auto& [part, count] : parts) {
        CHECK(count >= 4);
        CHECK(count <= 5);
    }
}

TEST_CASE("a scan ends when failing reads have taken five minutes") {
    TimedDisk disk(32_MiB);
    disk.time_of_failure = 30s;
    for (std::uint64_t block = 0; block < 100; ++block) disk.bad[(4_MiB).count + block * 4096] = -1;
    const auto report = scanned(disk);
    REQUIRE(reason(report) == "success");
    CHECK(report->stopped == "failed reads took five minutes");
    CHECK_FALSE(report->whole);
    REQUIRE_FALSE(report->places.empty());
    CHECK(report->places[0].state == PlaceState::unreadable);
    CHECK(disk.now < 6min);
}

TEST_CASE("a scan ends at once on cancel, without its medium and on an empty device") {
    TimedDisk disk(32_MiB);
    JobControl control;
    control.cancel = true;
    const auto now = [&] { return disk.now; };
    CHECK(reason(scan(disk, {}, now, control)) == "cancelled during the scan");
    CHECK(disk.reads == 0);
    disk.vanished = true;
    const auto lost = scanned(disk);
    CHECK(reason(lost) == "the medium vanished or stopped answering during the scan");
    CHECK(lost.error().code == Errc::no_medium);
    TimedDisk empty(0_B);
    CHECK(scanned(empty, 1s).error().code == Errc::no_medium);
}
