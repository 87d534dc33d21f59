// SPDX-License-Identifier: GPL-3.0-or-later
/// Samples of the free clusters of volumes with and without data there.
#include "host/media/inspect/free_space.hpp"

#include <algorithm>

#include "tests/json.hpp"
#include "tests/media/inspect/damaged.hpp"

using namespace mediarig;
using namespace mediarig::media;
using namespace mediarig::test;

namespace {

InspectedVolume volume_on(const Image& image) {
    const auto report = inspect(image.descriptor(), image.size(), 512);
    REQUIRE(reason(report) == "success");
    REQUIRE(report->volumes.size() == 1);
    REQUIRE(report->volumes[0].free_space);
    return report->volumes[0];
}

std::uint64_t number(const InspectedVolume& volume, const char* name) {
    return std::stoull(parameter(volume, name).value_or("0"));
}

void write_data(Image& image, Bytes from, Bytes to) {
    std::vector<std::byte> text(std::size_t{1} << 20);
    for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<std::byte>(i % 251);
    for (Bytes at = from; at < to; at = at + 1_MiB) image.write(at.count, text);
}

} // namespace

TEST_CASE("free space of a volume without files contains no data") {
    const Image image = image_from_hex("exfat_1gib.hex", 1_GiB);
    CHECK(*volume_on(image).free_space ==
          FreeSpaceSample{.sampled = free_space_places, .with_data = 0, .unreadable = 0, .first = {}});
}

TEST_CASE("data in free clusters is found at the sampled places") {
    Image image = image_from_hex("exfat_1gib.hex", 1_GiB);
    const InspectedVolume empty = volume_on(image);
    write_data(image, 512_MiB, 592_MiB);
    const FreeSpaceSample sample = *volume_on(image).free_space;
    // The places are evenly spread over the clusters, and all clusters there are free.
    std::uint32_t expected = 0;
    Bytes first{};
    for (std::uint64_t i = 0; i < free_space_places; ++i) {
        const std::uint64_t cluster = number(empty, "cluster_count") * (2 * i + 1) / (2 * free_space_places);
        const Bytes at{number(empty, "cluster_heap_offset") + cluster * number(empty, "cluster_size")};
        if (at < 512_MiB || at >= 592_MiB) continue;
        if (expected++ == 0) first = at;
    }
    CHECK(expected >= 4);
    CHECK(sample ==
          FreeSpaceSample{.sampled = free_space_places, .with_data = expected, .unreadable = 0, .first = first});
}

TEST_CASE("constant bytes are erased space, not data") {
    Image image = image_from_hex("exfat_1gib.hex", 1_GiB);
    const std::vector<std::byte> erased(std::size_t{1} << 20, std::byte{0xFF});
    for (Bytes at = 512_MiB; at < 592_MiB; at = at + 1_MiB) image.write(at.count, erased);
    CHECK(volume_on(image).free_space->with_data == 0);
}

TEST_CASE("clusters in use are not sampled") {
    Image image = image_from_hex("exfat_1gib.hex", 1_GiB);
    const InspectedVolume empty = volume_on(image);
    write_data(image, 512_MiB, 592_MiB);
    const std::uint64_t bitmap =
        number(empty, "cluster_heap_offset") + (number(empty, "bitmap_cluster") - 2) * number(empty, "cluster_size");
    image.write(bitmap, std::vector<std::byte>(number(empty, "bitmap_length"), std::byte{0xFF}));
    const FreeSpaceSample sample = *volume_on(image).free_space;
    CHECK(sample.sampled == 0);
    CHECK(sample.with_data == 0);
}

TEST_CASE("unreadable free clusters are counted, end the sample, and are no fault of the volume") {
    const Image image = image_from_hex("exfat_1gib.hex", 1_GiB);
    const std::vector<std::byte> metadata = image.read(0, (16_MiB).count);
    const MemoryMedium medium{
        .size = 1_GiB, .pieces = {{.at = {}, .bytes = metadata}}, .unreadable = {{.at = 400_MiB, .length = 200_MiB}}};
    const auto report = inspect(MediumReader(medium), 512);
    REQUIRE(reason(report) == "success");
    REQUIRE(report->volumes.at(0).free_space);
    const FreeSpaceSample& sample = *report->volumes[0].free_space;
    CHECK(sample.unreadable == 4);
    CHECK(sample.sampled > 0);
    CHECK(sample.sampled < free_space_places);
    CHECK(report->volumes[0].problem.empty());
    CHECK(std::ranges::none_of(report->unread,
                               [](const UnreadRange& unread) { return unread.at >= 400_MiB && unread.at < 600_MiB; }));
    const auto back = inspect_report_from_json(nlohmann::json::parse(to_json(*report).dump()));
    REQUIRE(reason(back) == "success");
    CHECK(*back == *report);
}
