// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <set>

#include "host/base/process/run_process.hpp"
#include "host/media/inspect/inspect.hpp"
#include "host/media/inspect/load.hpp"
#include "tests/catch.hpp"
#include "tests/media/inspect/image.hpp"

using namespace mediarig;
using namespace mediarig::media;
using namespace mediarig::test;

namespace {

InspectReport look(const Image& image) {
    auto report = inspect(image.descriptor(), image.size(), 512);
    REQUIRE(reason(report) == "success");
    return *report;
}

std::uint64_t little(const std::vector<std::byte>& bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(bytes[i]);
    return value;
}
std::uint64_t big(const std::vector<std::byte>& bytes) {
    std::uint64_t value = 0;
    for (const std::byte byte : bytes) value = value << 8 | std::to_integer<std::uint64_t>(byte);
    return value;
}

/// Checks that every numeric parameter of at most eight bytes is stored at its offset, or in sectors or blocks of
/// `unit` if the value is in bytes.
void numbers_stand_at_their_places(const Image& image, const InspectedVolume& volume, bool big_endian,
                                   const std::vector<std::uint64_t>& units, const std::set<std::string>& coded) {
    std::size_t compared = 0;
    REQUIRE(volume.places.size() == volume.parameters.size());
    for (std::size_t i = 0; i < volume.places.size(); ++i) {
        const auto& [name, value] = volume.parameters[i];
        const FieldLocation& place = volume.places[i];
        INFO(name << " = " << value << ", " << place.field << " at " << place.at.count);
        CHECK(place.name == name);
        if (place.length.count == 0 || place.length.count > 8 || coded.contains(name)) continue;
        if (value.find_first_not_of("0123456789") != std::string::npos) continue;
        const auto bytes = image.read(place.at.count, place.length.count);
        const std::uint64_t stored = big_endian ? big(bytes) : little(bytes);
        const std::uint64_t told = std::stoull(value);
        bool equal = stored == told;
        for (const std::uint64_t unit : units) equal = equal || (place.unit == "B" && stored * unit == told);
        CHECK(equal);
        ++compared;
    }
    CHECK(compared >= 8);
}

} // namespace

TEST_CASE("the offset of each exFAT parameter contains its bytes") {
    const Image image = image_from_hex("exfat_1gib.hex", 1_GiB);
    // Shift fields are reported as sizes.
    numbers_stand_at_their_places(image, look(image).volumes.at(0), false, {512}, {"cluster_size", "sector_size"});
}

TEST_CASE("the offset of each HFS+ parameter contains its bytes") {
    const Image image = image_from_hex("hfsplus_journaled_64mib.hex", 64_MiB);
    numbers_stand_at_their_places(image, look(image).volumes.at(0), true, {4096}, {});
}

TEST_CASE("the offset of each APFS parameter contains its bytes in the live copy, not in block 0") {
    const Image image = image_from_hex("apfs_1gib.hex", 1_GiB);
    numbers_stand_at_their_places(image, look(image).volumes.at(0), false, {}, {});
}

TEST_CASE("the offset of each FAT parameter contains its bytes") {
    for (const char* width : {"12", "16", "32"}) {
        const Image image(width == std::string("32") ? 512_MiB : width == std::string("16") ? 64_MiB : 4_MiB);
        const auto made = process::run_process({.program = "mkfs.fat", .arguments = {"-F", width, image.path()}});
        if (!made) MEDIARIG_SKIP(made.error().detail);
        REQUIRE(made->succeeded());
        numbers_stand_at_their_places(image, look(image).volumes.at(0), false, {512}, {"cluster_size"});
    }
}

TEST_CASE("stale_signatures finds remains of former formats at either end and no used structure") {
    Image image = image_from_hex("exfat_1gib.hex", 1_GiB);
    CHECK(look(image).stale_signatures.empty());

    // The alternate header of an HFS+ volume that filled the medium before.
    const Image former = image_from_hex("hfsplus_64mib.hex", 64_MiB);
    image.write((1_GiB).count - 1024, former.read((64_MiB).count - 1024, 512));
    CHECK(look(image).stale_signatures ==
          std::vector<StaleSignature>{
              {.what = "alternate HFS+ volume header", .at = {(1_GiB).count - 1024}, .in_volume = true}});

    Image bare(1_GiB);
    bare.write(2048 * 512, image.read(0, 16384));
    const auto found = look(bare).stale_signatures;
    CHECK(found == std::vector<StaleSignature>{{.what = "exFAT boot sector", .at = 1_MiB, .in_volume = false},
                                               {.what = "backup exFAT boot sector", .at = {(1_MiB).count + 12 * 512}}});

    const Image hfs = image_from_hex("hfsplus_journaled_64mib.hex", 64_MiB);
    CHECK(look(hfs).stale_signatures.empty());
    const Image apfs = image_from_hex("apfs_1gib.hex", 1_GiB);
    CHECK(look(apfs).stale_signatures.empty());
}

TEST_CASE("fingerprints name the formatter and the certainty") {
    const auto of = [](const char* golden, Bytes size) {
        const Image image = image_from_hex(golden, size);
        return look(image).volumes.at(0).fingerprint;
    };
    CHECK(of("exfat_1gib.hex", 1_GiB) ==
          Fingerprint{"exfatprogs before 1.2.8",
                      FormatterConfidence::likely,
                      {"the OEM parameters are filled with FF", "the boot code is blank"},
                      "other volumes whose formatter left erased flash in the OEM parameters"});
    CHECK(of("apfs_1gib.hex", 1_GiB) == Fingerprint{"mkapfs for linux, version 0.1",
                                                    FormatterConfidence::stated,
                                                    {"apfs_formatted_by of the first volume"},
                                                    "copies of that volume"});
    CHECK(of("hfsplus_journaled_64mib.hex", 64_MiB).sureness == FormatterConfidence::possible);
    CHECK(of("hfsplus_written_by_linux.hex", 16_MiB) ==
          Fingerprint{"an unknown formatter; mounted by Linux for writing",
                      FormatterConfidence::likely,
                      {"last mounted by \"H+Lx\"", "writeCount is 1"},
                      "new volumes of formatters that write this version"});
}

TEST_CASE("the version in a volume header alone gives no history of the volume") {
    constexpr std::uint64_t version_at = 1024 + 8, count_at = 1024 + 0x44;
    const auto of = [](std::string_view version, int writes) {
        Image image = image_from_hex("hfsplus_64mib.hex", 64_MiB);
        image.write(version_at, bytes_of(version));
        image.write(count_at, std::vector<int>{0, 0, 0, writes});
        return look(image).volumes.at(0).fingerprint;
    };
    // newfs_hfs, macOS and fsck_hfs write 10.0.
    for (const int writes : {0, 10}) {
        const Fingerprint by = of("10.0", writes);
        CHECK(by.sureness == FormatterConfidence::possible);
        CHECK_THAT(by.formatter, !ContainsSubstring("mounted"));
        CHECK_THAT(by.also_on, ContainsSubstring("macOS or fsck_hfs wrote"));
    }
    // A formatter may write the version of Linux or of a Mac with a journal.
    CHECK(of("H+Lx", 0).sureness == FormatterConfidence::possible);
    CHECK(of("H+Lx", 1).sureness == FormatterConfidence::likely);
    CHECK(of("HFSJ", 10).sureness == FormatterConfidence::possible);
    CHECK(of("FSK!", 10).sureness == FormatterConfidence::unknown);
}

TEST_CASE(
    "every fingerprint names other volumes with its signs, and the formatter is never called likely because of one "
    "sign") {
    for (const auto& [golden, size] :
         {std::pair{"exfat_1gib.hex", 1_GiB}, {"apfs_1gib.hex", 1_GiB}, {"hfsplus_journaled_64mib.hex", 64_MiB}}) {
        CAPTURE(golden);
        const Image image = image_from_hex(golden, size);
        const Fingerprint by = look(image).volumes.at(0).fingerprint;
        CHECK_FALSE(by.also_on.empty());
        CHECK((by.sureness != FormatterConfidence::likely || by.signs.size() > 1));
        CHECK_THAT(text_of(by), ContainsSubstring("; also seen on " + by.also_on));
    }
    // OEM parameters that do not belong to the formatter of the boot code make the formatter less certain.
    Image foreign = image_from_hex("exfat_1gib.hex", 1_GiB);
    for (const std::uint64_t region : {0, 12 * 512}) foreign.write(region + 0x78, std::vector<int>{0x33, 0xC9, 0x8E});
    CHECK(look(foreign).volumes.at(0).fingerprint.sureness == FormatterConfidence::possible);
}

TEST_CASE("inspection reads a small part of the medium") {
    const Image image = image_from_hex("apfs_1gib.hex", 1_GiB);
    const InspectReport report = look(image);
    CHECK(report.read > 0_B);
    CHECK(report.read < 1_MiB);
}
