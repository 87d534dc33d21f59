// SPDX-License-Identifier: GPL-3.0-or-later
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "host/workload/jobs/verify_passes.hpp"
#include "host/workload/payload/pattern.hpp"
#include "tests/catch.hpp"
#include "tests/workload/fake_disk.hpp"
#include "tests/workload/machine.hpp"

using namespace mediarig;
using namespace mediarig::tests;
using namespace mediarig::workload;
using measure::FindingKind;

namespace {

struct Disk {
    explicit Disk(Bytes size) {
        make_file(file(), size);
        loop = Loop::over(file());
    }
    std::string file() const { return folder.path("disk"); }
    void copy(Bytes from, Bytes to, Bytes length) {
        write_part(file(), to.count, read_part(file(), from.count, static_cast<std::size_t>(length.count)));
    }
    void flip_bit(Bytes at) {
        auto byte = read_part(file(), at.count, 1);
        byte[0] ^= std::byte{0x20};
        write_part(file(), at.count, byte);
    }
    void fill(Bytes at, Bytes length, std::byte value) {
        write_part(file(), at.count, std::vector<std::byte>(static_cast<std::size_t>(length.count), value));
    }
    Folder folder;
    std::optional<Loop> loop;
};

/// Writes the pattern, lets `spoil` change the medium, and reads the pattern back.
VerifyOutcome verified(Disk& disk, const JobSpec& job, Watcher& watcher, std::function<void()> spoil = {}) {
    watcher.when_phase = [&](const std::string& name) {
        if (name == "verify.read" && spoil) spoil();
    };
    JobControl control;
    auto outcome = run_job(job, device(*disk.loop), {}, control, watcher);
    REQUIRE(reason(outcome) == "success");
    REQUIRE(outcome->verify);
    CHECK(control.bytes_done == control.bytes_total);
    return *outcome->verify;
}

#define NEED_DISK(disk)                                       \
    if (!are_root()) MEDIARIG_SKIP("loop devices need root"); \
    if (!(disk).loop) MEDIARIG_SKIP("no loop device is available")

} // namespace

TEST_CASE("verify writes the pattern to the last byte of a good device and finds no fault") {
    Disk disk(8_MiB + 512_B); // the last chunk is shorter
    NEED_DISK(disk);
    Watcher watcher;
    const VerifyOutcome outcome = verified(disk, verify_of(0_B), watcher);
    CHECK(outcome.claimed == 8_MiB + 512_B);
    CHECK(outcome.written == outcome.claimed);
    CHECK(outcome.good == outcome.claimed);
    CHECK(outcome.damaged.empty());
    CHECK_FALSE(outcome.true_capacity);
    CHECK(watcher.findings.empty());

    REQUIRE(watcher.cells.size() == 2);
    CHECK(watcher.cells[0].cell.id == "verify.write");
    CHECK(watcher.cells[1].cell.id == "verify.read");
    for (const CellResult& cell : watcher.cells) {
        CHECK(cell.moved == outcome.claimed);
        CHECK(cell.operations == 8);
        CHECK(cell.evidence.used == CachePolicy::direct);
        CHECK(cell.end == CellEnd::volume);
    }
    CHECK(watcher.cells[0].evidence.device_written >= outcome.claimed);
    CHECK(watcher.cells[1].evidence.device_read >= outcome.claimed);
    CHECK(watcher.cells[1].evidence.page_cache_dropped);

    // Read independently: the device contains the pattern of its offset.
    const auto bytes = read_part(disk.file(), 0, static_cast<std::size_t>(outcome.claimed.count));
    CHECK(Pattern(1, 1, Pattern::Code::portable).matches(bytes, 0));
}

TEST_CASE("verify finds injected damage with its exact offset and kind") {
    Disk disk(16_MiB);
    NEED_DISK(disk);
    JobSpec job = verify_of(0_B);
    job.as<VerifyJob>()->generation = 2;
    Watcher watcher;
    const VerifyOutcome outcome = verified(disk, job, watcher, [&] {
        disk.flip_bit(1_MiB + 100_B);
        disk.flip_bit(3_MiB - 1_B);
        disk.copy(9_MiB, 5_MiB, 8_KiB);
        std::vector<std::byte> old(1024);
        Pattern(1, 1).fill(old, (6_MiB).count);
        write_part(disk.file(), (6_MiB).count, old);
        disk.fill(7_MiB + 512_B, 512_B, std::byte{0});
    });
    CHECK(outcome.damaged == std::vector<DamagedRange>{{1_MiB, 512_B, DamageKind::flipped, {}},
                                                       {3_MiB - 512_B, 512_B, DamageKind::flipped, {}},
                                                       {5_MiB, 8_KiB, DamageKind::misplaced, 9_MiB},
                                                       {6_MiB, 1_KiB, DamageKind::stale, {}},
                                                       {7_MiB + 512_B, 512_B, DamageKind::foreign, {}}});
    CHECK(outcome.damaged_bytes == 8_KiB + 1_KiB + Bytes{3 * 512});
    CHECK(outcome.good + outcome.damaged_bytes == outcome.written);
    CHECK_FALSE(outcome.true_capacity);
    REQUIRE(watcher.found(FindingKind::data_damaged));
    CHECK(watcher.found(FindingKind::data_damaged)->offset == 1_MiB);
    CHECK_FALSE(watcher.found(FindingKind::capacity_missing));
}

TEST_CASE("verify finds the exact unreadable blocks and checks the other blocks") {
    Disk disk(4_MiB);
    NEED_DISK(disk);
    Watcher watcher;
    const VerifyOutcome outcome = verified(disk, verify_of(0_B), watcher, [&] {
        disk.flip_bit(3_MiB + 600_B);
        ::sync();
        std::filesystem::resize_file(disk.file(), (3_MiB + 300_KiB).count); // reads beyond return EIO
    });
    CHECK(outcome.damaged == std::vector<DamagedRange>{{3_MiB + 512_B, 512_B, DamageKind::flipped, {}},
                                                       {3_MiB + 300_KiB, 1_MiB - 300_KiB, DamageKind::unreadable, {}}});
    CHECK(outcome.good == 3_MiB + 300_KiB - 512_B);
    CHECK_FALSE(outcome.true_capacity);
    REQUIRE(watcher.found(FindingKind::io_error));
    CHECK(watcher.found(FindingKind::io_error)->offset == 3_MiB + 300_KiB);
    CHECK(watcher.found(FindingKind::io_error)->length == 1_MiB - 300_KiB);
}

TEST_CASE("verify with stop-on-error ends at the first unreadable block") {
    Disk disk(4_MiB);
    NEED_DISK(disk);
    JobSpec job = verify_of(0_B);
    job.on_io_error = OnIoError::stop;
    Watcher watcher;
    watcher.when_phase = [&](const std::string& name) {
        if (name != "verify.read") return;
        ::sync();
        std::filesystem::resize_file(disk.file(), (2_MiB).count);
    };
    JobControl control;
    const auto outcome = run_job(job, device(*disk.loop), {}, control, watcher);
    CHECK(reason(outcome) == "verify stopped at the first I/O error: Input/output error");
    CHECK(watcher.cells.size() == 1);
}

TEST_CASE("a medium removed during verify is reported as an error, not as damage") {
    Disk disk(4_MiB);
    NEED_DISK(disk);
    Watcher watcher;
    watcher.when_phase = [&](const std::string& name) {
        if (name != "verify.read") return;
        ::sync();
        std::filesystem::resize_file(disk.file(), 0);
        disk.loop->refresh_size();
    };
    JobControl control;
    const auto outcome = run_job(verify_of(0_B), device(*disk.loop), {}, control, watcher);
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().code == Errc::no_medium);
    CHECK_FALSE(watcher.found(FindingKind::data_damaged));
}

TEST_CASE("a medium that stops responding during read-back is reported as lost, not as damaged or fake") {
    constexpr Bytes readable_first = VerifyPasses::checkpoint_every;
    Disk disk(readable_first + 16_MiB);
    NEED_DISK(disk);
    Watcher watcher;
    watcher.when_cell = [&](const CellResult& cell) {
        if (cell.cell.id == "verify.read" && cell.end == CellEnd::cancelled)
            std::filesystem::resize_file(disk.file(), 0); // every later transfer returns EIO
    };
    JobControl control;
    const auto outcome = run_job(verify_of(0_B), device(*disk.loop), {}, control, watcher);
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().code == Errc::no_medium);
    CHECK(watcher.found(FindingKind::medium_lost));
    CHECK_FALSE(watcher.found(FindingKind::data_damaged));
    CHECK_FALSE(watcher.found(FindingKind::capacity_missing));
}

TEST_CASE("a medium that returns only its first part and then fails is reported as damaged, not as a fake") {
    Disk disk(64_MiB);
    NEED_DISK(disk);
    Watcher watcher;
    const VerifyOutcome outcome = verified(disk, verify_of(0_B), watcher, [&] {
        ::sync();
        std::filesystem::resize_file(disk.file(), (16_MiB).count); // reads beyond return EIO
    });
    CHECK(outcome.verdict == CapacityVerdict::damaged);
    CHECK_FALSE(outcome.fake);
    CHECK_FALSE(outcome.true_capacity);
    CHECK(outcome.good == 16_MiB);
    CHECK(outcome.damaged_bytes == 48_MiB);
}

TEST_CASE("verify reports dropped writes as stale data and derives the real capacity") {
    Disk disk(16_MiB);
    NEED_DISK(disk);
    JobSpec job = verify_of(0_B);
    Watcher first;
    CHECK(verified(disk, job, first).good == 16_MiB);
    const auto before = read_part(disk.file(), (10_MiB).count, 6 << 20);
    job.as<VerifyJob>()->generation = 2;
    Watcher watcher;
    const VerifyOutcome outcome =
        verified(disk, job, watcher, [&] { write_part(disk.file(), (10_MiB).count, before); });
    CHECK(outcome.damaged == std::vector<DamagedRange>{{10_MiB, 6_MiB, DamageKind::stale, {}}});
    CHECK(outcome.true_capacity == 10_MiB);
    CHECK(outcome.fake == FakeKind::drop);
    CHECK(watcher.found(FindingKind::capacity_missing));
}

TEST_CASE("verify detects a fake with wrapping addresses and its real capacity") {
    if (!are_root()) MEDIARIG_SKIP("FUSE and loop devices need root");
    FakeDisk fake(24_MiB, 64_MiB, 1_GiB);
    if (!fake.there()) MEDIARIG_SKIP("needs nbdkit, nbdfuse, /dev/fuse and a C compiler");
    auto loop = Loop::directly_over(fake.path());
    REQUIRE(loop);
    Watcher watcher;
    JobControl control;
    const auto outcome = run_job(verify_of(0_B), device(*loop), {}, control, watcher);
    loop.reset();
    REQUIRE(reason(outcome) == "success");
    const VerifyOutcome& verify = *outcome->verify;
    CHECK(verify.claimed == 64_MiB);
    CHECK(verify.true_capacity == 24_MiB);
    CHECK(verify.verdict == CapacityVerdict::fake);
    CHECK(verify.fake == FakeKind::wrap);
    CHECK(verify.good == 24_MiB);
    CHECK(verify.damaged_bytes == 40_MiB);
    REQUIRE_FALSE(verify.damaged.empty());
    CHECK(verify.damaged[0] == DamagedRange{0_B, 16_MiB, DamageKind::misplaced, 48_MiB});
    REQUIRE(watcher.found(FindingKind::capacity_missing));
    CHECK_FALSE(watcher.found(FindingKind::data_damaged));
}

TEST_CASE("verify finds the exact blocks of a bad region in the middle of a disk") {
    if (!are_root()) MEDIARIG_SKIP("FUSE and loop devices need root");
    FakeDisk fake(8_MiB, 8_MiB, 3_MiB + 20_KiB);
    if (!fake.there()) MEDIARIG_SKIP("needs nbdkit, nbdfuse, /dev/fuse and a C compiler");
    Watcher watcher;
    JobControl control;
    const auto outcome = run_job(verify_of(0_B), fake.target(), {}, control, watcher);
    REQUIRE(reason(outcome) == "success");
    CHECK(outcome->verify->damaged == std::vector<DamagedRange>{{3_MiB + 20_KiB, 8_KiB, DamageKind::unreadable, {}}});
    CHECK(outcome->verify->good == 8_MiB - 8_KiB);
}

TEST_CASE("verify fills a file system up to a reserve and removes its files afterwards") {
    if (!are_root()) MEDIARIG_SKIP("mounting needs root");
    Disk disk(32_MiB);
    NEED_DISK(disk);
    if (run("mkfs.ext4 -q -F " + disk.loop->node() + " 2>&1").status != 0) MEDIARIG_SKIP("no ext4 can be made");
    auto mount = Mount::of(disk.loop->node(), disk.folder.path("mnt"), "ext4");
    if (!mount) MEDIARIG_SKIP("ext4 cannot be mounted");
    Watcher watcher;
    JobControl control;
    const auto outcome = run_job(verify_of(0_B), directory(disk.folder.path("mnt"), &*disk.loop), {}, control, watcher);
    REQUIRE(reason(outcome) == "success");
    CHECK(outcome->verify->written > 16_MiB);
    CHECK(outcome->verify->written <= outcome->verify->claimed - 1_MiB);
    CHECK(outcome->verify->good == outcome->verify->written);
    for (const auto& entry : std::filesystem::directory_iterator(disk.folder.path("mnt")))
        CHECK(entry.path().filename() == "lost+found");
}

TEST_CASE("a span over several files is verified across their boundaries") {
    Folder folder;
    JobSpec job = verify_of(1_GiB + 3_MiB);
    job.as<VerifyJob>()->chunk = 3_MiB; // so a file of 1 GiB has 341 chunks
    Watcher watcher;
    std::size_t files = 0;
    watcher.when_phase = [&](const std::string& name) {
        if (name != "verify.read") return;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path()))
            if (entry.is_regular_file()) ++files;
    };
    JobControl control;
    const auto outcome = run_job(job, directory(folder.path()), {}, control, watcher);
    REQUIRE(reason(outcome) == "success");
    CHECK(files == 2);
    CHECK(outcome->verify->good == 1_GiB + 3_MiB);
    CHECK(watcher.cells.at(0).evidence.sync_calls == 2);
    CHECK(folder.empty());
}

TEST_CASE("a finished verify pass is not repeated") {
    Folder folder;
    JobControl control;
    Watcher watcher;
    const auto outcome = run_job(verify_of(1_MiB), directory(folder.path()),
                                 {{.id = verify_write_id}, {.id = verify_read_id}}, control, watcher);
    REQUIRE(outcome);
    CHECK_FALSE(outcome->verify);
    CHECK(watcher.phases.empty());
}

TEST_CASE("verify of a part writes only there, and reports damage at its place on the medium") {
    Disk disk(16_MiB);
    NEED_DISK(disk);
    JobSpec job = verify_of(6_MiB);
    job.from = 4_MiB;
    Watcher watcher;
    const VerifyOutcome outcome = verified(disk, job, watcher, [&] { disk.flip_bit(5_MiB + 4_KiB); });
    CHECK(outcome.claimed == 16_MiB);
    CHECK(outcome.written == 6_MiB);
    CHECK(outcome.good == 6_MiB - 512_B);
    REQUIRE(outcome.damaged.size() == 1);
    CHECK(outcome.damaged[0].offset == 5_MiB + 4_KiB);
    CHECK(outcome.damaged[0].kind == DamageKind::flipped);
    const auto bytes = read_part(disk.file(), 0, static_cast<std::size_t>((16_MiB).count));
    const std::span<const std::byte> all(bytes);
    const auto is_zero = [](std::byte byte) { return byte == std::byte{0}; };
    CHECK(std::ranges::all_of(all.first(4 << 20), is_zero));
    CHECK(std::ranges::all_of(all.subspan(10 << 20), is_zero));
    CHECK(Pattern(1, 1).matches(all.subspan(4 << 20, 1 << 20), 0));
}

TEST_CASE("verify from a position to the end of the medium uses the rest") {
    Disk disk(8_MiB);
    NEED_DISK(disk);
    JobSpec job = verify_of(0_B);
    job.from = 5_MiB;
    Watcher watcher;
    CHECK(verified(disk, job, watcher).written == 3_MiB);
    job.from = 8_MiB;
    JobControl control;
    const auto refused = run_job(job, device(*disk.loop), {}, control, watcher);
    CHECK(refused.error().code == Errc::bad_request);
    CHECK_THAT(reason(refused), ContainsSubstring("cannot start at byte 8388608 of 8388608"));
}

TEST_CASE("the data of a dated verify are labelled with the medium") {
    Disk disk(4_MiB);
    NEED_DISK(disk);
    JobSpec job = verify_of(0_B);
    job.from = 1_MiB;
    job.as<VerifyJob>()->written_at = 1'764'230'400;
    JobTarget target = device(*disk.loop);
    target.medium_name = "usb-1";
    Watcher watcher;
    JobControl control;
    const auto outcome = run_job(job, target, {}, control, watcher);
    REQUIRE(reason(outcome) == "success");
    CHECK(outcome->verify->good == 3_MiB);
    for (const Bytes at : {1_MiB, 2_MiB, 3_MiB}) {
        const auto sector = read_part(disk.file(), at.count, Pattern::sector_size);
        const auto found = label_in(std::span<const std::byte>(sector).first<Pattern::sector_size>());
        REQUIRE(found);
        CHECK(found->label == DataLabel{.medium = "usb-1",
                                        .start = 1_MiB,
                                        .end = 4_MiB,
                                        .size = 4_MiB,
                                        .seed = 1,
                                        .written = 1'764'230'400,
                                        .generation = 1});
        CHECK(found->position == (at - 1_MiB).count);
    }
}

TEST_CASE("a rate limit adds pauses outside of the measured time") {
    Disk disk(4_MiB);
    NEED_DISK(disk);
    JobSpec job = verify_of(0_B);
    job.rate_limit = 16_MiB;
    Watcher watcher;
    const auto begin = std::chrono::steady_clock::now();
    const VerifyOutcome outcome = verified(disk, job, watcher);
    const auto took = std::chrono::steady_clock::now() - begin;
    CHECK(outcome.good == 4_MiB);
    CHECK(took >= std::chrono::milliseconds(2 * 3 * 62)); // three pauses of 1/16 s in each pass
    std::chrono::nanoseconds measured{};
    for (const CellResult& cell : watcher.cells) measured += cell.elapsed;
    CHECK(measured < took);
}
