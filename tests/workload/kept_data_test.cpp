// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/jobs/kept_data.hpp"

#include <cerrno>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "host/workload/payload/h2w.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::workload;

namespace {

DataLabel sample_label() {
    return {.medium = "sd-035344534331364780c0ffee",
            .start = 1_MiB,
            .end = 7_MiB,
            .size = 8_MiB,
            .seed = 5,
            .written = 1'764'230'400,
            .generation = 77};
}

PayloadSource source_of(const DataLabel& label) {
    return {{.kind = PayloadKind::incompressible, .seed = label.seed, .given = {}}, label.generation, label};
}

class MemoryMedium final : public ReadableMedium {
public:
    explicit MemoryMedium(Bytes size) : bytes(static_cast<std::size_t>(size.count)) {}
    /// A medium with the data of the label.
    explicit MemoryMedium(const DataLabel& label) : MemoryMedium(label.size) { write(label); }
    void write(const DataLabel& label) {
        source_of(label).fill(std::span(bytes).subspan(static_cast<std::size_t>(label.start.count),
                                                       static_cast<std::size_t>((label.end - label.start).count)),
                              0);
    }
    Bytes size() const override { return {bytes.size()}; }
    Bytes sector() const override { return 512_B; }
    int read(std::span<std::byte> into, std::uint64_t offset) override {
        if (vanished) return ENODEV;
        for (const std::uint64_t sector : unreadable)
            if (sector >= offset && sector < offset + into.size()) return EIO;
        std::memcpy(into.data(), bytes.data() + offset, into.size());
        return 0;
    }
    bool gone(int error) override { return error == ENODEV; }
    std::span<std::byte> sector_at(Bytes offset) {
        return std::span(bytes).subspan(static_cast<std::size_t>(offset.count), Pattern::sector_size);
    }

    std::vector<std::byte> bytes;
    std::set<std::uint64_t> unreadable;
    bool vanished{};
};

KeptData checked(MemoryMedium& medium, std::size_t piece = 3 * 4096) {
    auto label = find_label(medium);
    REQUIRE(label);
    REQUIRE(*label);
    KeptDataCheck check(**label, medium.size());
    for (std::size_t at = 0; at < medium.bytes.size(); at += piece)
        check.add(std::span(medium.bytes).subspan(at, std::min(piece, medium.bytes.size() - at)), {at});
    return check.take();
}

std::string places_in(const KeptData& kept) {
    std::string text;
    for (const DamagedRange& range : kept.damaged)
        text += std::to_string(range.offset.count) + "+" + std::to_string(range.length.count) + " " +
                std::string(name_of(range.kind)) + ";";
    return text;
}

} // namespace

TEST_CASE("a label contains medium, date, position and a checksum") {
    const LabelSector sector = label_sector(sample_label(), 3 << 20);
    const auto found = label_in(sector);
    REQUIRE(found);
    CHECK(found->label == sample_label());
    CHECK(found->position == 3 << 20);
    for (std::size_t byte = 0; byte < sector.size(); ++byte) {
        LabelSector damaged = sector;
        damaged[byte] ^= std::byte{4};
        if (label_in(damaged)) CHECK(byte == sector.size());
    }
}

TEST_CASE("a label cuts a name that is longer than its field") {
    DataLabel label = sample_label();
    label.medium = std::string(1000, 'x');
    const auto found = label_in(label_sector(label, 0));
    REQUIRE(found);
    CHECK(found->label.medium == std::string(DataLabel::longest_name, 'x'));
}

TEST_CASE("the first sector of each MiB of labelled data is a label, and the others are the pattern") {
    const DataLabel label = sample_label();
    const PayloadSource labelled = source_of(label);
    const PayloadSource plain({.kind = PayloadKind::incompressible, .seed = 5, .given = {}}, 77);
    constexpr std::uint64_t begin = (1 << 20) - 1024;
    std::vector<std::byte> data(2048), pattern(2048);
    labelled.fill(data, begin);
    plain.fill(pattern, begin);
    CHECK(std::memcmp(data.data(), pattern.data(), 1024) == 0);
    CHECK(std::memcmp(data.data() + 1024, label_sector(label, 1 << 20).data(), 512) == 0);
    CHECK(std::memcmp(data.data() + 1536, pattern.data() + 1536, 512) == 0);
    CHECK(labelled.matches(data, begin));
    CHECK_FALSE(labelled.matches(pattern, begin));
    for (const std::size_t byte : {0u, 1023u, 1024u, 1535u, 1536u, 2047u}) {
        CAPTURE(byte);
        std::vector<std::byte> damaged = data;
        damaged[byte] ^= std::byte{1};
        CHECK_FALSE(labelled.matches(damaged, begin));
    }
}

TEST_CASE("a label sector is diagnosed like other sectors") {
    const DataLabel label = sample_label();
    const PayloadSource source = source_of(label);
    LabelSector flipped = label_sector(label, 0);
    flipped[80] ^= std::byte{1};
    CHECK(source.diagnose(flipped, 0).kind == DamageKind::flipped);
    const LabelSector elsewhere = label_sector(label, 2 << 20);
    CHECK(source.diagnose(elsewhere, 0).kind == DamageKind::misplaced);
    CHECK(source.diagnose(elsewhere, 0).belongs_at == 2_MiB);
    CHECK(source.diagnose(elsewhere, 512).kind == DamageKind::misplaced);
    DataLabel older = label;
    older.written -= 1;
    CHECK(source.diagnose(label_sector(older, 0), 0).kind == DamageKind::stale);
    const LabelSector zeros{};
    CHECK(source.diagnose(zeros, 0).kind == DamageKind::foreign);
}

TEST_CASE("kept data are found and compared without their record") {
    MemoryMedium medium(sample_label());
    for (const std::size_t piece : {std::size_t{512}, std::size_t{12288}, std::size_t{1} << 20, std::size_t{8} << 20}) {
        CAPTURE(piece);
        const KeptData kept = checked(medium, piece);
        CHECK(kept.medium == sample_label().medium);
        CHECK(kept.written_at == 1'764'230'400);
        CHECK(kept.start == 1_MiB);
        CHECK(kept.end == 7_MiB);
        CHECK(kept.good == 6_MiB);
        CHECK(kept.damaged.empty());
    }
}

TEST_CASE("damage of kept data is reported with its kind, at its place on the medium") {
    MemoryMedium medium(sample_label());
    medium.sector_at(3_MiB + 512_B)[7] ^= std::byte{0x10};
    std::ranges::fill(medium.sector_at(4_MiB), std::byte{0}); // a label
    std::ranges::copy(medium.sector_at(2_MiB + 4_KiB), medium.sector_at(5_MiB + 4_KiB).begin());
    std::ranges::fill(medium.sector_at(7_MiB), std::byte{1}); // beyond the data
    const KeptData kept = checked(medium);
    CHECK(places_in(kept) == "3146240+512 flipped;4194304+512 foreign;5246976+512 misplaced;");
    CHECK(kept.damaged.back().belongs_at == 2_MiB + 4_KiB);
    CHECK(kept.damaged_bytes == 1536_B);
    CHECK(kept.foreign_bytes == 512_B);
    CHECK(kept.good == 6_MiB - 1536_B);
}

TEST_CASE("an unreadable part counts only inside of the data") {
    KeptDataCheck check(sample_label(), 8_MiB);
    check.add_unreadable(0_B, 1_MiB + 4_KiB);
    check.add_unreadable(7_MiB, 4_KiB);
    CHECK(places_in(check.take()) == "1048576+4096 unreadable;");
}

TEST_CASE("the label of most places is used, also if some labels are unreadable, damaged or of another test") {
    MemoryMedium medium(sample_label());
    DataLabel newer = sample_label();
    newer.written += 1000;
    newer.end = 2_MiB;
    medium.write(newer);
    medium.unreadable = {2 << 20};
    medium.sector_at(3_MiB)[0] ^= std::byte{1};
    const auto found = find_label(medium);
    REQUIRE(found);
    CHECK(*found == sample_label());
}

TEST_CASE("a medium without labels contains no kept data, and a vanished medium is an error") {
    MemoryMedium medium(8_MiB);
    const auto found = find_label(medium);
    REQUIRE(found);
    CHECK_FALSE(*found);
    medium.vanished = true;
    CHECK(reason(find_label(medium)) == "the medium vanished or stopped answering during the search for data");
}

TEST_CASE("data on a smaller copy are compared up to its end") {
    MemoryMedium medium(sample_label());
    medium.bytes.resize(std::size_t{4} << 20);
    const KeptData kept = checked(medium);
    CHECK(kept.good == 3_MiB);
    CHECK(kept.damaged.empty());
}

TEST_CASE("the classes of h2w sectors are those of f3read") {
    // The first numbers of sector 0 of a file of f3write 8.0; the rest follows from the recurrence.
    std::vector<std::byte> sector(h2w_sector_size);
    const auto make = [&](std::uint64_t position) {
        std::uint64_t number = position;
        for (std::size_t at = 0; at < sector.size(); at += 8) {
            std::memcpy(sector.data() + at, &number, 8);
            number = number * 4294967311U + 17;
        }
        return std::span<const std::byte, h2w_sector_size>(sector.data(), h2w_sector_size);
    };
    auto bytes = make(0);
    std::uint64_t number{};
    std::memcpy(&number, sector.data() + 16, 8);
    CHECK(number == 0x1100000110);
    std::memcpy(&number, sector.data() + 63 * 8, 8);
    CHECK(number == 0x38dee6792986c021);
    CHECK(h2w_state(bytes, 0) == H2wState::good);
    CHECK(h2w_state(bytes, 512) == H2wState::overwritten);
    for (const int changed : {1, 2, 3}) {
        make(1 << 30);
        for (int i = 0; i < changed; ++i) sector[static_cast<std::size_t>(100 + 8 * i)] ^= std::byte{1};
        CHECK(h2w_state(bytes, 1 << 30) == (changed <= 2 ? H2wState::changed : H2wState::corrupted));
        CHECK(h2w_state(bytes, 0) == (changed <= 2 ? H2wState::overwritten : H2wState::corrupted));
    }
}

TEST_CASE("an h2w file has a number without leading zeros") {
    CHECK(h2w_number("1.h2w") == 1);
    CHECK(h2w_number("1024.h2w") == 1024);
    for (const char* name :
         {".h2w", "0.h2w", "01.h2w", "a.h2w", "1.h2", "-1.h2w", "1x.h2w", "99999999999999999999.h2w"})
        CHECK_FALSE(h2w_number(name));
}

TEST_CASE("h2w counts contain the first lost position") {
    H2wCounts counts;
    counts.add(H2wState::good, 0);
    counts.add(H2wState::changed, 512);
    counts.add(H2wState::corrupted, 1024);
    counts.add(H2wState::overwritten, 1536);
    counts.add_unreadable(4_KiB, 4096);
    CHECK(counts.good == 512_B);
    CHECK(counts.lost() == 1536_B + 4_KiB);
    CHECK(counts.first_lost == 512_B);
}
