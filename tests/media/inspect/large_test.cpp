// SPDX-License-Identifier: GPL-3.0-or-later
/// Reads that only count must not use up the read limit of an inspection.
#include "host/media/inspect/exfat.hpp"
#include "tests/media/inspect/damaged.hpp"

using namespace mediarig;
using namespace mediarig::media;
using namespace mediarig::test;

namespace {

constexpr std::uint64_t cluster_size = 4096, fat_offset = 1 << 20;

/// Writes an exFAT with clusters of 4 KiB in a partition from 1 MiB on. Only the parts that an inspection reads are
/// written: boot regions, the head of the FAT, bitmap, up-case table and root directory. All other parts are a hole.
class LargeExfat {
public:
    LargeExfat(Bytes at, Bytes length) : at_(at.count), length_(length.count) {
        const std::uint64_t before_heap = fat_offset + length_ / 1000 / 4096 * 4096; // 4 bytes of FAT in 4096 and more
        clusters_ = (length_ - before_heap) / cluster_size;
        heap_ = before_heap;
        bitmap_clusters_ = (clusters_ / 8 + cluster_size) / cluster_size;
    }

    void put(Image& image) const {
        const Image golden = image_from_hex("exfat_1gib.hex", 1_GiB);
        std::vector<std::byte> region = golden.read(0, 12 * 512);
        const auto set = [&region](std::size_t at, const std::vector<int>& bytes) {
            for (std::size_t i = 0; i < bytes.size(); ++i) region[at + i] = static_cast<std::byte>(bytes[i]);
        };
        set(64, le64(at_ / 512));
        set(72, le64(length_ / 512));
        set(80, le32(fat_offset / 512));
        set(84, le32(static_cast<std::uint32_t>((heap_ - fat_offset) / 512)));
        set(88, le32(static_cast<std::uint32_t>(heap_ / 512)));
        set(92, le32(static_cast<std::uint32_t>(clusters_)));
        set(96, le32(root_cluster()));
        set(109, {3});
        // Section 3.4: the checksum covers the first eleven sectors without flags and percentage.
        std::uint32_t sum = 0;
        for (std::size_t i = 0; i < std::size_t{11} * 512; ++i)
            if (i != 106 && i != 107 && i != 112)
                sum = (sum << 31 | sum >> 1) + std::to_integer<std::uint32_t>(region[i]);
        for (std::size_t i = 0; i < 128; ++i) set(11 * 512 + 4 * i, le32(sum));
        image.write(at_, region);
        image.write(at_ + 12 * 512, region);

        image.write(at_ + fat_offset, le32(0xFFFFFFF8));
        image.write(at_ + fat_offset + 4, le32(0xFFFFFFFF));
        image.write(at_ + fat_offset + 4 * root_cluster(), le32(0xFFFFFFFF));
        std::vector<std::byte> root = golden.read(0x210000, 4096);
        const auto put_extent = [&root](std::size_t entry, std::uint64_t cluster, std::uint64_t length) {
            const auto first = le32(static_cast<std::uint32_t>(cluster)), size = le64(length);
            for (std::size_t i = 0; i < 4; ++i) root[entry + 20 + i] = static_cast<std::byte>(first[i]);
            for (std::size_t i = 0; i < 8; ++i) root[entry + 24 + i] = static_cast<std::byte>(size[i]);
        };
        put_extent(32, 2, (clusters_ + 7) / 8);
        put_extent(64, 2 + bitmap_clusters_, 5836);
        image.write(offset_of(root_cluster()), root);
        image.write(offset_of(root_cluster() - 2), golden.read(0x208000, 5836));
        image.write(offset_of(2), std::vector<std::byte>((root_cluster() - 1) / 8, std::byte{0xFF}));
        for (std::uint64_t cluster = 2 + (root_cluster() - 1) / 8 * 8; cluster <= root_cluster(); ++cluster)
            mark(cluster, image);
    }
    [[nodiscard]] std::uint32_t root_cluster() const { return static_cast<std::uint32_t>(bitmap_clusters_ + 4); }
    [[nodiscard]] std::uint64_t offset_of(std::uint64_t cluster) const {
        return at_ + heap_ + (cluster - 2) * cluster_size;
    }
    [[nodiscard]] std::uint64_t bitmap_byte_of(std::uint64_t cluster) const { return offset_of(2) + (cluster - 2) / 8; }

private:
    void mark(std::uint64_t cluster, Image& image) const {
        const auto byte = image.read(bitmap_byte_of(cluster), 1);
        image.write(bitmap_byte_of(cluster), std::vector<int>{std::to_integer<int>(byte[0]) | 1 << (cluster - 2) % 8});
    }
    std::uint64_t at_, length_, heap_{}, clusters_{}, bitmap_clusters_{};
};

void put_partitions(Image& image, const std::vector<std::pair<Bytes, Bytes>>& partitions) {
    for (std::size_t i = 0; i < partitions.size(); ++i) {
        image.write(446 + 16 * i, {0x00, 0x20, 0x21, 0x00, 0x07, 0xFE, 0xFF, 0xFF});
        image.write(446 + 16 * i + 8, le32(static_cast<std::uint32_t>(partitions[i].first.count / 512)));
        image.write(446 + 16 * i + 12, le32(static_cast<std::uint32_t>(partitions[i].second.count / 512)));
    }
    image.write(510, std::vector<int>{0x55, 0xAA});
}

InspectReport look_into(const Image& image) {
    auto report = inspect(image.descriptor(), image.size(), 512);
    REQUIRE(reason(report) == "success");
    return *report;
}

/// Checks that every value with an offset also has its bytes.
void all_bytes_are_shown(const InspectReport& report) {
    for (const InspectedVolume& volume : report.volumes)
        for (const FieldLocation& place : volume.places)
            if (place.length != 0_B) {
                INFO(place.name);
                CHECK_FALSE(place.hex.empty());
            }
}

} // namespace

TEST_CASE("2 TiB of exFAT in clusters of 4 KiB is valid although the bitmap is not counted") {
    Image image(2048_GiB);
    const Bytes length = 2048_GiB - 2_MiB;
    const LargeExfat exfat(1_MiB, length);
    exfat.put(image);
    put_partitions(image, {{1_MiB, length}});
    const InspectReport report = look_into(image);
    REQUIRE(report.volumes.size() == 1);
    CHECK(report.problem.empty());
    CHECK(report.volumes[0].file_system == "exfat");
    CHECK(report.volumes[0].problem.empty());
    CHECK(report.unread.empty());
    CHECK(report.volumes[0].usable == 0_B);
    CHECK_FALSE(parameter(report.volumes[0], "free_clusters"));
    all_bytes_are_shown(report);
    CHECK(report.read < 1_MiB);

    SECTION("the system structures are looked up in the bitmap") {
        image.write(exfat.bitmap_byte_of(exfat.root_cluster()), std::vector<int>{0});
        CHECK_THAT(look_into(image).volumes[0].problem,
                   ContainsSubstring(fmt::format("allocation bitmap at byte {}: cluster {} of the root directory is "
                                                 "marked free",
                                                 exfat.bitmap_byte_of(exfat.root_cluster()), exfat.root_cluster())));
    }
}

TEST_CASE("counting a large bitmap leaves enough of the read limit for the next volume") {
    Image image(Bytes{2'000'000'000'000 / 512 * 512});
    const Bytes length{980'000'000'000 / 1'048'576 * 1'048'576};
    const LargeExfat first(1_MiB, length), second(2_MiB + length, length);
    first.put(image);
    second.put(image);
    put_partitions(image, {{1_MiB, length}, {2_MiB + length, length}});
    const InspectReport report = look_into(image);
    REQUIRE(report.volumes.size() == 2);
    for (const InspectedVolume& volume : report.volumes) CHECK(volume.problem.empty());
    CHECK(report.unread.empty());
    CHECK(parameter(report.volumes[0], "free_clusters"));
    CHECK_FALSE(parameter(report.volumes[1], "free_clusters")); // the bitmap of 29 MiB exceeds the remaining read limit
    all_bytes_are_shown(report);
}
