// SPDX-License-Identifier: GPL-3.0-or-later
#include "firmware/tools/uf2/uf2.hpp"

#include <algorithm>
#include <string_view>

#include "tests/catch.hpp"
#include "tests/firmware/image/run_check.hpp"
#include "tests/scratch.hpp"

using namespace mediarig;

namespace {

std::vector<std::uint8_t> bytes_of(std::string_view text) {
    return {text.begin(), text.end()};
}

/// A binary with an empty checksum field and recognisable other bytes.
std::vector<std::uint8_t> binary(std::size_t size) {
    std::vector<std::uint8_t> bytes(size);
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(i * 7 + 1);
    if (size >= 256) std::fill_n(bytes.begin() + uf2::stage_size, 4, std::uint8_t{0});
    return bytes;
}

std::uint32_t word_at(const std::vector<std::uint8_t>& bytes, std::size_t offset) {
    return bytes[offset] | bytes[offset + 1] << 8 | bytes[offset + 2] << 16 |
           static_cast<std::uint32_t>(bytes[offset + 3]) << 24;
}

} // namespace

TEST_CASE("the checksum of the second boot stage is CRC-32/MPEG-2") {
    CHECK(uf2::crc32_mpeg2(bytes_of("123456789")) == 0x0376E6E7);
    CHECK(uf2::crc32_mpeg2({}) == 0xFFFFFFFF);
}

TEST_CASE("sealing appends the checksum to the second boot stage and fills whole sectors") {
    const auto before = binary(5000);
    const auto sealed = uf2::seal(before);
    REQUIRE(sealed);
    CHECK(sealed->size() == 8192);
    CHECK(word_at(*sealed, 252) == uf2::crc32_mpeg2(std::span(before).first(252)));
    CHECK(std::equal(before.begin(), before.begin() + 252, sealed->begin()));
    CHECK(std::equal(before.begin() + 256, before.end(), sealed->begin() + 256));
    CHECK(std::all_of(sealed->begin() + 5000, sealed->end(), [](std::uint8_t byte) { return byte == 0xFF; }));
}

TEST_CASE("a binary of whole sectors gets no padding") {
    const auto sealed = uf2::seal(binary(2 * uf2::sector_size));
    REQUIRE(sealed);
    CHECK(sealed->size() == 2 * uf2::sector_size);
}

TEST_CASE("a binary that cannot become an image is refused with the reason") {
    CHECK(reason(uf2::seal(binary(0))) ==
          "the binary ends with the second boot stage: it contains no program to start");
    CHECK(reason(uf2::seal(binary(256))) ==
          "the binary ends with the second boot stage: it contains no program to start");
    CHECK(reason(uf2::seal(binary(uf2::flash_size + 1))) == "the binary has 2097153 bytes, flash has 2097152");
    const auto sealed = uf2::seal(binary(1000));
    REQUIRE(sealed);
    CHECK(reason(uf2::seal(*sealed)) ==
          "bytes 252 to 255 are in use: the second boot stage is too long, or the file was sealed already");
}

TEST_CASE("each UF2 block contains address, chip, number and total") {
    const auto sealed = uf2::seal(binary(3000));
    REQUIRE(sealed);
    const auto file = uf2::to_blocks(*sealed);
    REQUIRE(file.size() == 16 * 512);
    for (std::uint32_t n = 0; n < 16; ++n) {
        CAPTURE(n);
        const std::size_t block = 512 * n;
        CHECK(word_at(file, block) == 0x0A324655);
        CHECK(word_at(file, block + 4) == 0x9E5D5157);
        CHECK(word_at(file, block + 8) == 0x2000);
        CHECK(word_at(file, block + 12) == 0x10000000 + 256 * n);
        CHECK(word_at(file, block + 16) == 256);
        CHECK(word_at(file, block + 20) == n);
        CHECK(word_at(file, block + 24) == 16);
        CHECK(word_at(file, block + 28) == 0xE48BFF56);
        CHECK(std::equal(sealed->begin() + 256 * n, sealed->begin() + 256 * (n + 1), file.begin() + 512 * n + 32));
        CHECK(word_at(file, block + 508) == 0x0AB16F30);
    }
}

TEST_CASE("the UF2 writer reports a fault in one line and writes no file") {
    const tests::Scratch place;
    const auto write_uf2 = [&](const std::string& binary) {
        return test::run(UF2_WRITER, {place.path(binary), place.path("out.uf2")});
    };
    CHECK(test::run(UF2_WRITER, {}).exit_status == 2);
    CHECK(test::run(UF2_WRITER, {}).err == "usage: uf2_writer BINARY UF2\n");

    const auto absent = write_uf2("absent.bin");
    CHECK(absent.exit_status == 3);
    CHECK(absent.err == "uf2_writer: " + place.path("absent.bin") + " cannot be read\n");

    place.write("short.bin", std::string(100, 'x'));
    const auto refused = write_uf2("short.bin");
    CHECK(refused.exit_status == 3);
    CHECK(refused.err == "uf2_writer: the binary ends with the second boot stage: it contains no program to start\n");
    CHECK_FALSE(std::filesystem::exists(place.path("out.uf2")));

    const auto bytes = binary(1000);
    place.write("good.bin", {bytes.begin(), bytes.end()});
    const auto nowhere = test::run(UF2_WRITER, {place.path("good.bin"), place.path("no/such/folder.uf2")});
    CHECK(nowhere.exit_status == 3);
    CHECK(nowhere.err == "uf2_writer: " + place.path("no/such/folder.uf2") + " cannot be written\n");

    CHECK(write_uf2("good.bin").succeeded());
    CHECK(std::filesystem::file_size(place.path("out.uf2")) == 16 * 512);
}
