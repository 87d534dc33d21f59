// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <string>
#include <vector>

#include "host/workload/jobs/probe_search.hpp"
#include "host/workload/jobs/restore.hpp"
#include "host/workload/jobs/restoring_medium.hpp"
#include "host/workload/jobs/undo_log.hpp"
#include "host/workload/payload/pattern.hpp"
#include "tests/catch.hpp"
#include "tests/workload/cut_disk.hpp"
#include "tests/workload/fake_card.hpp"

using namespace mediarig;
using namespace mediarig::tests;
using namespace mediarig::workload;

namespace {

const UndoHeader header{
    .medium = "usb-0781-5581-AB12-1048576", .size = 1_MiB, .seed = 7, .generation = 40, .started = 1};
constexpr std::size_t sector_bytes = 512;

std::vector<std::byte> sectors(std::size_t count, int content) {
    return std::vector<std::byte>(count * sector_bytes, static_cast<std::byte>(content));
}

/// Two batches: entries 0 and 1, then entry 2. Entry 0 begins at byte 512, entry 1 at 2048, entry 2 at 3072.
std::vector<std::byte> sample_log() {
    UndoEncoder encoder(header);
    std::vector<std::byte> file = encoder.header();
    encoder.add(file, 4096, sectors(2, 1));
    encoder.add(file, 0, sectors(1, 2));
    encoder.end_batch();
    encoder.add(file, 8192, sectors(1, 3));
    encoder.end_batch();
    return file;
}

std::string offsets_in(const Result<UndoLog>& log) {
    if (!log) return log.error().detail;
    std::string text;
    for (const UndoEntry& entry : log->entries) text += std::to_string(entry.offset) + " ";
    return text;
}

constexpr Bytes claimed = 1_MiB;

/// Writes two rounds of stamps: single blocks, of which some are aliases on a medium that wraps after some 256 KiB, and
/// a run that covers further aliases. Returns false after a failed write.
bool write_stamps(RestoringMedium& medium, Bytes real) {
    constexpr std::uint64_t block = 4096, piece = 65536, run = 524288;
    const std::uint64_t near = std::min(real, 256_KiB).count / block * block;
    const std::vector<std::uint64_t> rounds[] = {
        {0, 8192, near, near + 8192, (claimed - 4_KiB).count, 4096, 20480},
        {near + 4096, 0, 12288, near * 3, 24576},
    };
    std::vector<std::byte> bytes(piece);
    for (std::uint32_t round = 0; round < 2; ++round) {
        const Pattern pattern(header.seed, header.generation + round);
        std::vector<Extent> places;
        for (const std::uint64_t offset : rounds[round]) places.push_back({offset, offset + block});
        if (!medium.prepare(places)) return false;
        for (const std::uint64_t offset : rounds[round]) {
            const auto part = std::span(bytes).first(block);
            pattern.fill(part, offset);
            if (medium.write(part, offset) != 0) return false;
        }
        if (medium.flush() != 0) return false;
        for (std::uint64_t offset = run; offset < run + 2 * piece; offset += piece) {
            pattern.fill(bytes, offset);
            if (medium.write(bytes, offset) != 0) return false;
        }
        if (medium.flush() != 0) return false;
    }
    return true;
}

RestoringMedium restoring(ProbedMedium& disk, MemoryUndo& undo) {
    auto medium = RestoringMedium::create(disk, undo, header);
    REQUIRE(reason(medium) == "success");
    return std::move(*medium);
}

Result<RestoreReport> restored_from(CutDisk& disk, const MemoryUndo& undo, RestoreMode mode = RestoreMode::unchanged) {
    const auto log = parse_undo_log(undo.file);
    if (!log) return fail(log.error());
    return restore(disk, *log, {.mode = mode, .memory_end = {}, .permit = nullptr, .cancel = nullptr});
}

struct DiskKind {
    Bytes real;
    CutDisk::Caches caches;
};
/// Genuine; wrapping in whole blocks; wrapping within a block, so that aliases overlap in part.
constexpr DiskKind disk_kinds[] = {
    {claimed, CutDisk::Caches::no},     {256_KiB, CutDisk::Caches::no},     {256_KiB - 1536_B, CutDisk::Caches::no},
    {claimed, CutDisk::Caches::writes}, {256_KiB, CutDisk::Caches::writes}, {256_KiB - 1536_B, CutDisk::Caches::writes},
};

} // namespace

TEST_CASE("an undo log contains its header and its entries in order") {
    const std::vector<std::byte> file = sample_log();
    const auto log = parse_undo_log(file);
    REQUIRE(reason(log) == "success");
    CHECK(log->header == header);
    REQUIRE(log->entries.size() == 3);
    CHECK(offsets_in(log) == "4096 0 8192 ");
    CHECK(std::ranges::equal(log->entries[0].data, sectors(2, 1)));
    CHECK(std::ranges::equal(log->entries[2].data, sectors(1, 3)));
    CHECK(file.size() == 512 + 3 * 512 + 4 * 512);
}

TEST_CASE("an undo log of any length contains its complete entries") {
    const std::vector<std::byte> file = sample_log();
    for (std::size_t size = 0; size <= file.size(); ++size) {
        CAPTURE(size);
        const std::string found = offsets_in(parse_undo_log(std::span(file).first(size)));
        const std::string expected = size < 512    ? "the file does not begin with the header of an undo file"
                                     : size < 2048 ? ""
                                     : size < 3072 ? "4096 "
                                     : size < 4096 ? "4096 0 "
                                                   : "4096 0 8192 ";
        if (found != expected) CHECK(found == expected);
    }
}

TEST_CASE("an undo log distinguishes an incomplete last batch from damage before it") {
    const auto damaged_at = [](std::size_t byte) {
        std::vector<std::byte> file = sample_log();
        file[byte] ^= std::byte{1};
        return offsets_in(parse_undo_log(file));
    };
    CHECK(damaged_at(0) == "the file does not begin with the header of an undo file");
    CHECK(damaged_at(20) == "the header of the undo file is damaged");
    CHECK(damaged_at(511) == "the header of the undo file is damaged");
    CHECK(damaged_at(520) == "entry 0 of the undo file, at byte 512, is damaged");
    CHECK(damaged_at(1024) == "entry 0 of the undo file, at byte 512, is damaged"); // its data
    CHECK(damaged_at(2048) == "entry 1 of the undo file, at byte 2048, is damaged");
    CHECK(damaged_at(3072) == "4096 0 "); // the last batch
    CHECK(damaged_at(3584) == "4096 0 ");
    CHECK(damaged_at(560) == "4096 0 8192 "); // padding
}

TEST_CASE("a lost entry of the last batch ends the log, also if the rest of the batch is complete") {
    UndoEncoder encoder(header);
    std::vector<std::byte> file = encoder.header();
    encoder.add(file, 0, sectors(1, 1));
    encoder.end_batch();
    const std::size_t begin = file.size();
    encoder.add(file, 4096, sectors(1, 2));
    encoder.add(file, 8192, sectors(1, 3));
    std::fill_n(file.begin() + static_cast<std::ptrdiff_t>(begin), 1024, std::byte{0});
    CHECK(offsets_in(parse_undo_log(file)) == "0 ");
}

TEST_CASE("an undo log accepts no entry of another log, and none outside of the medium") {
    UndoHeader other = header;
    other.seed = 8;
    std::vector<std::byte> file = UndoEncoder(other).header();
    const std::vector<std::byte> entries = sample_log();
    file.insert(file.end(), entries.begin() + 512, entries.end());
    CHECK(offsets_in(parse_undo_log(file)) == "");

    UndoEncoder encoder(header);
    std::vector<std::byte> beyond = encoder.header();
    encoder.add(beyond, header.size.count - sector_bytes, sectors(1, 1));
    encoder.add(beyond, header.size.count, sectors(1, 1));
    CHECK(offsets_in(parse_undo_log(beyond)) == "1048064 ");
}

TEST_CASE("the name of a medium in an undo log is cut to its longest length") {
    UndoHeader longer = header;
    longer.medium = std::string(1000, 'x');
    const std::vector<std::byte> file = UndoEncoder(longer).header();
    const auto log = parse_undo_log(file);
    REQUIRE(reason(log) == "success");
    CHECK(log->header.medium == std::string(UndoEncoder::longest_name, 'x'));
}

TEST_CASE("a finished test restores the medium bit for bit and removes the undo file") {
    for (const DiskKind& kind : disk_kinds) {
        CAPTURE(kind.real.count, static_cast<int>(kind.caches));
        CutDisk disk(claimed, kind.real, kind.caches);
        const auto before = disk.memory;
        MemoryUndo undo;
        RestoringMedium medium = restoring(disk, undo);
        REQUIRE(write_stamps(medium, kind.real));
        CHECK(disk.memory != before);
        const auto report = medium.restore_all({.mode = RestoreMode::all});
        REQUIRE(reason(report) == "success");
        CHECK(report->lost == 0);
        CHECK(report->written == report->bytes);
        CHECK(disk.memory == before);
        CHECK(undo.removals == 1);
    }
}

TEST_CASE("a loss of power at any write of the test leaves a medium that is restored bit for bit") {
    for (const DiskKind& kind : disk_kinds) {
        CAPTURE(kind.real.count, static_cast<int>(kind.caches));
        std::uint64_t cuts = 0;
        for (bool finished = false; !finished; ++cuts) {
            CutDisk disk(claimed, kind.real, kind.caches);
            const auto before = disk.memory;
            disk.cut_at = cuts;
            MemoryUndo undo;
            RestoringMedium medium = restoring(disk, undo);
            finished = write_stamps(medium, kind.real);
            if (finished) break;
            disk.power_on();
            const auto report = restored_from(disk, undo);
            if (!report || report->lost != 0 || disk.memory != before) {
                CAPTURE(cuts);
                CHECK(reason(report) == "success");
                CHECK(disk.memory == before);
            }
        }
        CHECK(cuts == 16); // 12 blocks and 4 pieces of the runs
    }
}

TEST_CASE("a loss of power at any write of a restore is repaired by the next restore") {
    for (const DiskKind& kind : disk_kinds)
        for (const std::uint64_t first_cut : {5u, 9u, 15u}) {
            CAPTURE(kind.real.count, static_cast<int>(kind.caches), first_cut);
            std::uint64_t cuts = 0;
            for (bool finished = false; !finished; ++cuts) {
                CutDisk disk(claimed, kind.real, kind.caches);
                const auto before = disk.memory;
                disk.cut_at = first_cut;
                MemoryUndo undo;
                RestoringMedium medium = restoring(disk, undo);
                REQUIRE_FALSE(write_stamps(medium, kind.real));
                disk.power_on();
                disk.writes = 0;
                disk.cut_at = cuts;
                const auto interrupted = restored_from(disk, undo);
                finished = interrupted.has_value();
                if (!finished && interrupted.error().code != Errc::no_medium)
                    CHECK(reason(interrupted) == "the medium vanished or stopped answering during the restore");
                disk.power_on();
                const auto report = restored_from(disk, undo);
                if (!report || disk.memory != before) {
                    CAPTURE(cuts);
                    CHECK(reason(report) == "success");
                    CHECK(disk.memory == before);
                }
            }
            CHECK(cuts > first_cut / 2);
        }
}

TEST_CASE("a host that fails at any batch of the undo file leaves a medium that is restored bit for bit") {
    for (const DiskKind& kind : disk_kinds)
        for (std::uint64_t appends = 1; appends < 4; ++appends) {
            CAPTURE(kind.real.count, static_cast<int>(kind.caches), appends);
            CutDisk disk(claimed, kind.real, kind.caches);
            const auto before = disk.memory;
            MemoryUndo undo;
            undo.appends_at_most = appends;
            RestoringMedium medium = restoring(disk, undo);
            REQUIRE_FALSE(write_stamps(medium, kind.real));
            REQUIRE(medium.host_fault());
            CHECK(medium.host_fault()->detail == "the disk of this machine is full");
            REQUIRE(disk.flush() == 0);
            REQUIRE(reason(restored_from(disk, undo)) == "success");
            CHECK(disk.memory == before);
        }
}

TEST_CASE("without a durable copy nothing is written") {
    CutDisk disk(claimed, claimed);
    MemoryUndo undo;
    undo.appends_at_most = 0;
    RestoringMedium medium = restoring(disk, undo);
    CHECK_FALSE(write_stamps(medium, claimed));
    const auto bytes = sectors(8, 1);
    CHECK(medium.write(bytes, 0) == EIO);
    CHECK(disk.writes == 0);
    CHECK(reason(medium.restore_all({.mode = RestoreMode::all})) == "success");
    CHECK(undo.removals == 0);
}

TEST_CASE("each place is saved once, before its first write") {
    CutDisk disk(claimed, claimed);
    const auto before = disk.memory;
    MemoryUndo undo;
    RestoringMedium medium = restoring(disk, undo);
    const auto bytes = sectors(16, 9);
    CHECK(medium.write(bytes, 8192) == 0);
    CHECK(medium.write(bytes, 8192) == 0);
    CHECK(medium.write(bytes, 4096) == 0);  // overlaps the first half
    CHECK(medium.write(bytes, 12288) == 0); // overlaps the second half
    const auto log = parse_undo_log(undo.file);
    CHECK(offsets_in(log) == "8192 4096 16384 ");
    REQUIRE(log);
    CHECK(std::ranges::equal(log->entries[0].data, std::span(before).subspan(8192, 8192)));
    CHECK(log->entries[1].data.size() == 4096);
    CHECK(log->entries[2].data.size() == 4096);
}

TEST_CASE("a block that cannot be read is not written, and its neighbours are") {
    CutDisk disk(claimed, claimed);
    const auto before = disk.memory;
    disk.unreadable = {8192 + 512};
    MemoryUndo undo;
    RestoringMedium medium = restoring(disk, undo);
    const Extent all{0, 65536};
    REQUIRE(reason(medium.prepare({&all, 1})) == "success");
    const auto block = sectors(8, 9);
    CHECK(medium.write(sectors(128, 9), 0) == EIO);
    CHECK(medium.write(block, 8192) == EIO);
    CHECK(disk.memory == before);
    CHECK(medium.write(block, 4096) == 0);
    CHECK(medium.write(block, 12288) == 0);
    CHECK(disk.writes == 2);
    REQUIRE(reason(medium.restore_all({.mode = RestoreMode::all})) == "success");
    CHECK(disk.memory == before);
}

TEST_CASE("a restore refuses a medium that was changed after the test, and keeps the undo file") {
    CutDisk disk(claimed, claimed);
    const auto before = disk.memory;
    disk.cut_at = 10;
    MemoryUndo undo;
    RestoringMedium medium = restoring(disk, undo);
    REQUIRE_FALSE(write_stamps(medium, claimed));
    disk.power_on();
    std::fill_n(disk.memory.begin() + 8192, sector_bytes, std::byte{0x55});
    const auto changed = disk.memory;
    const auto refused = restored_from(disk, undo);
    CHECK(reason(refused) ==
          "1 of 13 places contain data that were written after the test, the first at byte 8192, or this is another "
          "medium: nothing was written");
    CHECK(refused.error().code == Errc::refused);
    CHECK(disk.memory == changed);
    CHECK_FALSE(undo.file.empty());
    CHECK(reason(restored_from(disk, undo, RestoreMode::all)) == "success");
    CHECK(disk.memory == before);
}

TEST_CASE("a restore writes nothing if the medium already has its content") {
    CutDisk disk(claimed, claimed);
    disk.cut_at = 10;
    MemoryUndo undo;
    RestoringMedium medium = restoring(disk, undo);
    REQUIRE_FALSE(write_stamps(medium, claimed));
    disk.power_on();
    REQUIRE(reason(restored_from(disk, undo)) == "success");
    const std::uint64_t writes = disk.writes;
    const auto again = restored_from(disk, undo);
    REQUIRE(reason(again) == "success");
    CHECK(again->written == 0_B);
    CHECK(disk.writes == writes);
}

TEST_CASE("a restore replaces sectors that a loss of power made unreadable") {
    // This disk reports the error until the test removes it; a card accepts the write.
    CutDisk disk(claimed, claimed);
    const auto before = disk.memory;
    disk.cut_at = 3;
    MemoryUndo undo;
    RestoringMedium medium = restoring(disk, undo);
    REQUIRE_FALSE(write_stamps(medium, claimed));
    disk.power_on();
    disk.unreadable = {8192};
    const auto report = restored_from(disk, undo);
    REQUIRE(reason(report) == "success");
    CHECK(report->lost == 1); // it stays unreadable
    CHECK(report->first_lost == 8192_B);
    disk.unreadable.clear();
    CHECK(disk.memory == before);
}

TEST_CASE("a restore reports sectors that do not accept their content, and the undo file stays") {
    CutDisk disk(claimed, claimed);
    const auto before = disk.memory;
    MemoryUndo undo;
    RestoringMedium medium = restoring(disk, undo);
    REQUIRE(write_stamps(medium, claimed));
    disk.refuses = {4096 + 512, 4096 + 1024};
    const auto report = medium.restore_all({.mode = RestoreMode::all});
    REQUIRE(reason(report) == "success");
    CHECK(report->lost == 2);
    CHECK(report->first_lost == Bytes{4096 + 512});
    CHECK(undo.removals == 0);
    disk.refuses.clear();
    REQUIRE(reason(restored_from(disk, undo)) == "success");
    CHECK(disk.memory == before);
}

TEST_CASE("a restore refuses a blank medium of the same size in the same reader, and does not forget the data") {
    CutDisk disk(claimed, claimed);
    std::ranges::fill(disk.memory, std::byte{0});
    std::fill_n(disk.memory.begin() + 8192, sector_bytes, std::byte{0x55});
    disk.cut_at = 10;
    MemoryUndo undo;
    RestoringMedium medium = restoring(disk, undo);
    REQUIRE_FALSE(write_stamps(medium, claimed));
    CutDisk blank(claimed, claimed);
    std::ranges::fill(blank.memory, std::byte{0});
    const auto refused = restored_from(blank, undo);
    CHECK(reason(refused) ==
          "the medium contains no test data, and 1 of 13 places differ from the saved content: this is another medium, "
          "or it was changed after the test; nothing was written");
    CHECK(blank.writes == 0);
    const auto log = parse_undo_log(undo.file);
    REQUIRE(log);
    const auto on_blank = match_of(blank, *log, nullptr);
    REQUIRE(on_blank);
    CHECK_FALSE(on_blank->test_data);
    CHECK_FALSE(on_blank->saved_content);
    disk.power_on();
    const auto on_disk = match_of(disk, *log, nullptr);
    REQUIRE(on_disk);
    CHECK(on_disk->test_data);
    CHECK_FALSE(on_disk->saved_content);
    REQUIRE(reason(restored_from(disk, undo)) == "success");
    const auto restored = match_of(disk, *log, nullptr);
    REQUIRE(restored);
    CHECK_FALSE(restored->test_data);
    CHECK(restored->saved_content);
}

TEST_CASE("a restore does not mistake the test data of another check for its own") {
    CutDisk disk(claimed, claimed);
    MemoryUndo undo;
    RestoringMedium medium = restoring(disk, undo);
    REQUIRE(write_stamps(medium, claimed));
    auto log = parse_undo_log(undo.file);
    REQUIRE(log);
    log->header.seed = 8;
    const auto found = match_of(disk, *log, nullptr);
    REQUIRE(found);
    CHECK_FALSE(found->test_data);
    CHECK(restore(disk, *log, {}).error().code == Errc::refused);
}

TEST_CASE("a restore fails if the medium refuses to flush its cache, and a repetition finds the content") {
    CutDisk disk(claimed, claimed);
    const auto before = disk.memory;
    MemoryUndo undo;
    RestoringMedium medium = restoring(disk, undo);
    REQUIRE(write_stamps(medium, claimed));
    disk.refuses_flush = true;
    const auto refused = medium.restore_all({.mode = RestoreMode::all});
    CHECK(refused.error().code == Errc::io_failed);
    CHECK_THAT(reason(refused),
               ContainsSubstring("refuses to flush its cache") && ContainsSubstring("card.undo keeps"));
    CHECK(undo.removals == 0);
    CHECK(disk.memory == before);
    const auto again = restored_from(disk, undo);
    REQUIRE(reason(again) == "success");
    CHECK(again->written == 0_B);
}

TEST_CASE("a refresh writes nothing without its permit") {
    CutDisk disk(claimed, claimed);
    const TickClock clock = TickClock::monotonic();
    WritePermit permit(clock, [] { return Result<void>(fail(Errc::refused, "it is another device now")); });
    MemoryUndo undo;
    auto medium = RestoringMedium::create(disk, undo, header, &permit);
    REQUIRE(medium);
    REQUIRE(medium->write(sectors(8, 1), 0) == 0);
    CHECK(reason(medium->refresh({65536, 131072})) == "it is another device now");
    CHECK(disk.writes == 1);
}

TEST_CASE("a restore refuses a medium of another size") {
    CutDisk disk(claimed, claimed);
    MemoryUndo undo;
    RestoringMedium medium = restoring(disk, undo);
    REQUIRE(write_stamps(medium, claimed));
    CutDisk other(2_MiB, 2_MiB);
    const auto refused = restored_from(other, undo, RestoreMode::all);
    CHECK(reason(refused) == "the medium has 2.10 MB, and the saved data belong to one of 1.05 MB");
    CHECK(other.writes == 0);
}

TEST_CASE("a restore checks its permit before each write and ends between two places on cancel") {
    CutDisk disk(claimed, claimed);
    MemoryUndo undo;
    RestoringMedium medium = restoring(disk, undo);
    REQUIRE(write_stamps(medium, claimed));
    const std::uint64_t writes = disk.writes;
    const auto log = parse_undo_log(undo.file);
    REQUIRE(log);
    const TickClock clock = TickClock::monotonic();
    WritePermit permit(clock, [] { return Result<void>(fail(Errc::refused, "it is another device now")); });
    CHECK(reason(restore(disk, *log, {.mode = RestoreMode::all, .permit = &permit})) == "it is another device now");
    const std::atomic<bool> cancel{true};
    CHECK(reason(restore(disk, *log, {.mode = RestoreMode::all, .cancel = &cancel})) ==
          "cancelled during the restore: start it again, it continues");
    CHECK(disk.writes == writes);
}

TEST_CASE("a probe that restores finds a wrapping fake, and a loss of power at any of its writes is repaired") {
    constexpr Bytes size = 8_MiB;
    const ProbeRequest request{.assumed_cache = 1_MiB,
                               .run_time = {},
                               .seed = header.seed,
                               .generation = header.generation,
                               .order_seed = 3};
    for (const Bytes real : {size, 2_MiB, 3_MiB - 512_B}) {
        CAPTURE(real.count);
        CutDisk whole(size, real);
        const auto before = whole.memory;
        MemoryUndo undo;
        JobControl control;
        RestoringMedium medium = restoring(whole, undo);
        const auto found = probe(medium, request, control);
        REQUIRE(reason(found) == "success");
        CHECK(found->outcome.verdict == (real == size ? CapacityVerdict::good : CapacityVerdict::fake));
        if (real != size) CHECK(found->outcome.true_capacity == real);
        CHECK(whole.memory != before);
        const auto report = medium.restore_all({.mode = RestoreMode::all, .memory_end = found->outcome.true_capacity});
        REQUIRE(reason(report) == "success");
        CHECK(report->lost == 0);
        CHECK(whole.memory == before);

        const std::uint64_t writes = whole.writes - report->places;
        constexpr std::uint64_t step = 11; // every write of a test is covered above
        for (std::uint64_t cut = 0; cut < writes; cut += step) {
            CutDisk disk(size, real);
            disk.cut_at = cut;
            MemoryUndo file;
            JobControl other;
            RestoringMedium interrupted = restoring(disk, file);
            const auto lost = probe(interrupted, request, other);
            if (lost || lost.error().code != Errc::no_medium) CHECK(reason(lost) == "no medium");
            disk.power_on();
            const auto repaired = restored_from(disk, file);
            if (!repaired || repaired->lost != 0 || disk.memory != before) {
                CAPTURE(cut);
                CHECK(reason(repaired) == "success");
                CHECK(disk.memory == before);
            }
        }
    }
}

TEST_CASE("a refresh keeps the content, also after a loss of power at any of its writes, and needs no space") {
    for (const DiskKind& kind : disk_kinds) {
        CAPTURE(kind.real.count, static_cast<int>(kind.caches));
        std::uint64_t cuts = 16; // the writes of the test
        for (bool finished = false; !finished; ++cuts) {
            CutDisk disk(claimed, kind.real, kind.caches);
            const auto before = disk.memory;
            disk.cut_at = cuts;
            MemoryUndo undo;
            RestoringMedium medium = restoring(disk, undo);
            REQUIRE(write_stamps(medium, kind.real));
            const std::size_t size = undo.file.size();
            const auto refreshed = medium.refresh({0, claimed.count});
            finished = refreshed.has_value();
            if (finished)
                CHECK(undo.file.size() == size);
            else
                CHECK(refreshed.error().code == Errc::no_medium);
            disk.power_on();
            const auto report = restored_from(disk, undo);
            if (!report || report->lost != 0 || disk.memory != before) {
                CAPTURE(cuts);
                CHECK(reason(report) == "success");
                CHECK(disk.memory == before);
            }
        }
        CHECK(cuts > 20);
    }
}

TEST_CASE("a widened check detects a fake whose cache is larger than its run, and names the bound of a good medium") {
    constexpr Bytes size = 64_MiB;
    const ProbeRequest request{.assumed_cache = 4_MiB,
                               .run_time = {},
                               .seed = header.seed,
                               .generation = header.generation,
                               .order_seed = 3,
                               .widen_time = std::chrono::hours(1)};
    for (const bool fake : {false, true}) {
        CAPTURE(fake);
        FakeCard card(
            {.claimed = size,
             .real = fake ? 16_MiB : size,
             .beyond = fake ? FakeCardSpec::OverflowBehaviour::drop_zeros : FakeCardSpec::OverflowBehaviour::nothing,
             .cache = fake ? 20_MiB : 0_B,
             .caches = FakeCardSpec::Caches::only_what_it_cannot_keep});
        card.old = [](std::uint64_t offset) { return static_cast<std::byte>(offset / 4096 * 31); };
        MemoryUndo undo;
        JobControl control;
        RestoringMedium medium = restoring(card, undo);
        const auto found = probe(medium, request, control);
        REQUIRE(reason(found) == "success");
        if (!fake) {
            CHECK(found->outcome.verdict == CapacityVerdict::good);
            CHECK(found->outcome.probe->assumed_cache == size);
        } else {
            CHECK(found->outcome.verdict == CapacityVerdict::inconclusive);
            CHECK_THAT(found->doubt,
                       ContainsSubstring("places lost their data after 67.1 MB of other data were written"));
        }
        REQUIRE(reason(medium.restore_all({.mode = RestoreMode::all, .memory_end = 16_MiB})) == "success");
        std::vector<std::byte> block(4096);
        for (std::uint64_t at = 0; at < (fake ? 16_MiB : size).count; at += 4096) {
            REQUIRE(card.read(block, at) == 0);
            if (block != std::vector<std::byte>(4096, card.old(at))) CHECK(at == size.count);
        }
    }
}

TEST_CASE("the places at boundaries are on both sides of each capacity at which fakes wrap") {
    constexpr std::uint64_t mib = 1 << 20, block = 4096;
    CHECK(boundary_places(8_MiB, 4_KiB) ==
          std::vector<std::uint64_t>{block, 2 * block, 4 * block, 8 * block, 16 * block, 32 * block, 64 * block,
                                     128 * block, mib - block, mib, 2 * mib - block, 2 * mib, 3 * mib - block, 3 * mib,
                                     4 * mib - block, 4 * mib, 6 * mib - block, 6 * mib, 8 * mib - block});
    const auto places = boundary_places(Bytes{1'000'000'000'000}, 4_KiB);
    CHECK(places.size() == 86);
    CHECK(std::ranges::is_sorted(places));
    CHECK(std::ranges::count(places, std::uint64_t{64} << 30) == 1);
}

TEST_CASE("a probe at the boundaries detects a wrap at a power of two by a single pair of places") {
    FakeCard card({.claimed = 64_GiB, .real = 8_GiB, .beyond = FakeCardSpec::OverflowBehaviour::wrap});
    JobControl control;
    const auto found = probe(card, {.assumed_cache = 1_MiB}, control);
    REQUIRE(reason(found) == "success");
    CHECK(found->outcome.true_capacity == 8_GiB);
    const auto& places = found->outcome.places;
    CHECK(std::ranges::is_sorted(places, {}, &CheckedPlace::offset));
    for (const CheckedPlace& place : places)
        if ((place.state == PlaceState::good) != (place.offset < 8_GiB)) CHECK(place.offset == 0_B);
    CHECK(std::ranges::count(places, PlaceState::not_kept, &CheckedPlace::state) > 100);
}

TEST_CASE("a place is slow if its read took ten times the median and at least 10 ms") {
    using namespace std::chrono_literals;
    const auto marked = [](std::vector<std::chrono::nanoseconds> times) {
        std::vector<CheckedPlace> places;
        for (const auto took : times)
            places.push_back({.offset = {}, .length = 4_KiB, .state = PlaceState::good, .took = took});
        places.push_back({.offset = {}, .length = 4_KiB, .state = PlaceState::unreadable, .took = 5s});
        mark_slow(places);
        std::string text;
        for (const CheckedPlace& place : places) text += name_of(place.state).front();
        return text;
    };
    CHECK(marked({1ms, 1ms, 1ms, 1ms, 1ms, 11ms, 10ms}) == "gggggsgu");
    CHECK(marked({100us, 100us, 100us, 100us, 9ms}) == "gggggu"); // below 10 ms
    CHECK(marked({50ms, 50ms, 50ms, 50ms, 400ms}) == "gggggu");   // a slow reader
    CHECK(marked({0ns, 0ns}) == "ggu");                           // not measured
}
