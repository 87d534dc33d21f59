// SPDX-License-Identifier: GPL-3.0-or-later
/// Encrypted volumes and members of volume groups are found in partitions of every table, also of tables that the
/// kernel does not read from this medium.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "host/media/claim/linux/blkid_probe.hpp"
#include "tests/catch.hpp"
#include "tests/media/inspect/image.hpp"
#include "tests/media/inspect/tables.hpp"

using namespace mediarig;
using namespace mediarig::media;
using namespace mediarig::test;

namespace {

constexpr std::uint64_t mib = 1 << 20;

/// A header of LUKS version 1, as libblkid recognises it: magic, version, and a UUID.
void put_luks(Image& image, std::uint64_t at) {
    image.write(at, bytes_of(std::string_view("LUKS\xBA\xBE\0\1", 8)));
    image.write(at + 168, bytes_of("0d8b7c1e-2b2f-4d53-9a70-3d9b6b0a4c11"));
}

/// The label of a physical volume in its second sector, with LVM's checksum: CRC-32 of bytes 20 to 511 without the
/// final inversion, from the initial value 0xf597a6cf.
void put_lvm(Image& image, std::uint64_t at) {
    std::vector<std::byte> label = bytes_of("LABELONE");
    label.resize(512);
    label[8] = std::byte{1};
    label[20] = std::byte{32};
    std::ranges::copy(bytes_of("LVM2 001aaaaaaaabbbbbbbbccccccccdddddddd"), label.begin() + 24);
    std::uint32_t crc = 0xF597A6CF;
    for (std::size_t i = 20; i < label.size(); ++i) {
        crc ^= std::to_integer<std::uint32_t>(label[i]);
        for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1U) != 0 ? 0xEDB88320U : 0U);
    }
    for (unsigned i = 0; i < 4; ++i) label[16 + i] = static_cast<std::byte>(crc >> (8 * i));
    image.write(at + 512, label);
}

SignatureScan scanned(const Image& image, SearchDepth depth = SearchDepth::with_remains) {
    auto scan = probe_signatures(image.descriptor(), image.size(), depth);
    REQUIRE(reason(scan) == "success");
    return std::move(*scan);
}

Medium image_file() {
    Medium medium;
    medium.node = "/dev/loop7";
    medium.transport = Transport::loop;
    medium.backing_file = "/home/me/card.img";
    return medium;
}

/// Type and byte of all signatures: "crypto_LUKS 1048576, ".
std::string text_of(const std::vector<Signature>& signatures) {
    std::string text;
    for (const Signature& each : signatures) text += each.type + ' ' + std::to_string(each.offset.count) + ", ";
    return text;
}

struct Layout {
    const char* name;
    std::uint64_t at; ///< start of the partition
    std::function<void(Image&)> put_table;
};

void zero(Image& image, std::uint64_t at, std::size_t length) {
    image.write(at, std::vector<int>(length, 0));
}

/// Valid tables: inspection lists the partition, or an entry of an MBR next to the GPT does.
std::vector<Layout> declared() {
    return {{"GPT in sectors of 4096 bytes", 3 * mib,
             [](Image& image) {
                 put_gpt(image, 4096, 3_MiB, 32_MiB);
                 put_entry(image, 0, 1, 0xEE, 1, 0xFFFFFFFF);
             }},
            {"GPT without a protective MBR", 3 * mib, [](Image& image) { put_gpt(image, 512, 3_MiB, 32_MiB); }},
            {"GPT without its backup", 3 * mib,
             [](Image& image) {
                 put_gpt(image, 512, 3_MiB, 32_MiB);
                 put_entry(image, 0, 1, 0xEE, 1, 0xFFFFFFFF);
                 zero(image, 64 * mib - 512, 512);
             }},
            {"backup GPT alone", 3 * mib,
             [](Image& image) {
                 put_gpt(image, 512, 3_MiB, 32_MiB);
                 zero(image, 512, 512);
             }},
            {"MBR in sectors of 4096 bytes", 3 * mib, [](Image& image) { put_entry(image, 0, 1, 0x83, 768, 4096); }},
            {"MBR half of a hybrid", 40 * mib + 512,
             [](Image& image) {
                 put_gpt(image, 512, 3_MiB, 4_MiB);
                 put_entry(image, 0, 1, 0xEE, 1, 2047);
                 put_entry(image, 0, 2, 0x83, 40 * 2048 + 1, 8192);
             }},
            {"GPT that an MBR overrules", 3 * mib, [](Image& image) {
                 put_gpt(image, 512, 3_MiB, 32_MiB);
                 put_entry(image, 0, 1, 0x0C, 81920, 2048);
             }}};
}

/// Tables without a valid header or signature.
std::vector<Layout> possible() {
    return {{"GPT whose headers are both damaged", 3 * mib,
             [](Image& image) {
                 put_gpt(image, 512, 3_MiB, 32_MiB);
                 image.write(512 + 16, {1, 2, 3, 4});
                 image.write(64 * mib - 512 + 16, {1, 2, 3, 4});
             }},
            {"GPT whose headers are both zero", 3 * mib,
             [](Image& image) {
                 put_gpt(image, 4096, 3_MiB, 32_MiB);
                 zero(image, 4096, 512);
                 zero(image, 64 * mib - 4096, 512);
             }},
            {"MBR without 55 AA", 3 * mib,
             [](Image& image) {
                 put_entry(image, 0, 1, 0x83, 6144, 8192);
                 zero(image, 510, 2);
             }},
            {"logical partition behind a record without 55 AA", 9 * mib,
             [](Image& image) {
                 put_entry(image, 0, 1, 0x05, 16384, 98304);
                 put_entry(image, 16384 * 512, 1, 0x83, 2048, 8192);
                 zero(image, 16384 * 512 + 510, 2);
             }},
            {"logical partition behind a second link", 25 * mib,
             [](Image& image) {
                 put_entry(image, 0, 1, 0x05, 16384, 98304);
                 put_entry(image, 16384 * 512, 1, 0x05, 8192, 2048);
                 put_entry(image, 16384 * 512, 2, 0x05, 32768, 8192);
                 put_entry(image, (16384 + 32768) * 512, 1, 0x83, 2048, 8192);
             }},
            {"no table, at the first MiB", mib, [](Image&) {}},
            {"no table, at the start of SDXC cards", 16 * mib, [](Image&) {}}};
}

} // namespace

TEST_CASE("data that other devices or a password need is found in the partitions of every valid table") {
    for (const Layout& layout : declared()) {
        CAPTURE(layout.name);
        Image luks(64_MiB), lvm(64_MiB);
        layout.put_table(luks);
        put_luks(luks, layout.at);
        layout.put_table(lvm);
        put_lvm(lvm, layout.at);
        for (const SearchDepth depth : {SearchDepth::listed, SearchDepth::with_remains}) {
            const SignatureScan encrypted = scanned(luks, depth), member = scanned(lvm, depth);
            CHECK(text_of(encrypted.found) == fmt::format("crypto_LUKS {}, ", layout.at));
            CHECK(text_of(encrypted.remains).empty());
            CHECK(text_of(member.found) == fmt::format("LVM2_member {}, ", layout.at));
            CHECK(text_of(member.remains).empty());
        }
    }
}

TEST_CASE("data that other devices or a password need is found where only damaged tables or conventions lead") {
    for (const Layout& layout : possible()) {
        CAPTURE(layout.name);
        Image luks(64_MiB), lvm(64_MiB);
        layout.put_table(luks);
        put_luks(luks, layout.at);
        layout.put_table(lvm);
        put_lvm(lvm, layout.at);
        CHECK(text_of(scanned(luks).remains) == fmt::format("crypto_LUKS {}, ", layout.at));
        CHECK(text_of(scanned(luks).found).empty());
        CHECK(text_of(scanned(lvm).remains) == fmt::format("LVM2_member {}, ", layout.at));
        CHECK(scanned(luks, SearchDepth::listed).remains.empty());
    }
}

TEST_CASE("a medium without such data has no remains, whatever its tables list") {
    for (const std::vector<Layout>& layouts : {declared(), possible()})
        for (const Layout& layout : layouts) {
            CAPTURE(layout.name);
            Image image(64_MiB);
            layout.put_table(image);
            image.write(layout.at, bytes_of("XFSB"));
            CHECK(text_of(scanned(image).remains).empty());
        }
}

TEST_CASE("a signature in a partition without a node is refused with a command that reaches it") {
    Image image(64_MiB);
    put_gpt(image, 4096, 3_MiB, 32_MiB);
    put_luks(image, 3 * mib);
    const SignatureScan scan = scanned(image);
    REQUIRE(scan.found.size() == 1);
    CHECK(scan.found[0].without_node);
    const auto refusal = refusal_for(scan.found[0], "/dev/loop7 at byte 3145728");
    REQUIRE(refusal);
    CHECK(refusal->kind == RefusalKind::encrypted);
    CHECK_THAT(refusal->detail, ContainsSubstring("'wipefs -a' on a loop device from 'losetup --offset 3145728'"));
}

TEST_CASE("remains are refused unless the contents may be unknown, which only removable media and images permit") {
    Image image(64_MiB);
    put_luks(image, mib);
    put_lvm(image, 16 * mib);
    const std::vector<Signature> remains = scanned(image).remains;
    const auto refused = refusal_for_remains(remains, image_file(), Contents::must_be_known);
    REQUIRE(refused);
    CHECK(refused->kind == RefusalKind::encrypted);
    CHECK(refused->detail ==
          "it carries crypto_LUKS at byte 1048576, LVM2_member at byte 16777216, which its partition table does not "
          "list; "
          "if its contents are not needed, add --contents-unknown (\"contents_unknown\": true in a plan)");
    CHECK_FALSE(refusal_for_remains(remains, image_file(), Contents::may_be_unknown));
    CHECK_FALSE(refusal_for_remains({}, image_file(), Contents::must_be_known));
    // A standalone file system may be erased.
    Signature swap;
    swap.type = "swap";
    swap.usage = "other";
    CHECK_FALSE(refusal_for_remains({swap}, image_file(), Contents::must_be_known));
    Medium disk = image_file();
    disk.transport = Transport::nvme;
    for (const Contents contents : {Contents::must_be_known, Contents::may_be_unknown}) {
        const auto always = refusal_for_remains(remains, disk, contents);
        REQUIRE(always);
        CHECK_THAT(always->detail, ContainsSubstring("losetup --offset"));
    }
}
