// SPDX-License-Identifier: GPL-3.0-or-later
/// Decodes inquiry data and vital product data in the byte layout of SPC-4 and SBC-3. The data was built by hand from
/// the specification, and is also truncated at every length.
#include "host/media/claim/linux/kernel/vpd_pages.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::media;
using namespace std::string_literals;

namespace {

/// A page with these bytes after the header: peripheral type 0, the code, and the true length.
std::string page(unsigned code, const std::string& bytes) {
    std::string text{'\0', static_cast<char>(code)};
    text += static_cast<char>(bytes.size() >> 8);
    text += static_cast<char>(bytes.size() & 0xFF);
    return text + bytes;
}

} // namespace

TEST_CASE("SCSI: the standard inquiry gives type, removable flag and version") {
    const std::string stick = "\x00\x80\x06\x02\x1f\x00\x00\x00SanDisk Ultra Fit       1.00"s;
    CHECK(inquiry_from(stick) == ScsiInquiry{.peripheral_type = 0, .removable = true, .version = 6});
    // A CD-ROM. The peripheral qualifier in the bits above the type is not part of the type.
    CHECK(inquiry_from("\x25\x00\x00\x00\x00"s) == ScsiInquiry{.peripheral_type = 5, .removable = false, .version = 0});
    CHECK_FALSE(inquiry_from("\x00\x80\x06\x02"s));
    CHECK_FALSE(inquiry_from(""));
}

TEST_CASE("SCSI: page 00 lists the supported pages") {
    CHECK(pages_from_vpd(page(0x00, "\x00\x80\x83\xb0\xb1\xb2"s)) ==
          std::vector<std::uint32_t>{0x00, 0x80, 0x83, 0xB0, 0xB1, 0xB2});
    // The page claims a greater length than it has.
    CHECK(pages_from_vpd("\x00\x00\x00\x09\x00\x80"s) == std::vector<std::uint32_t>{0x00, 0x80});
    CHECK(pages_from_vpd(page(0x80, "\x00"s)).empty());
    CHECK(pages_from_vpd("\x00\x00"s).empty());
}

TEST_CASE("SCSI: page 83 gives every designator with type and association") {
    const std::string naa = "\x01\x03\x00\x08\x50\x01\xb4\x48\x00\x12\x34\x56"s;
    const std::string t10 = "\x02\x01\x00\x10SanDisk 4C530001"s;
    const std::string port = "\x61\x94\x00\x04\x00\x00\x00\x01"s;
    const std::string name = "\x03\xa8\x00\x08naa.1234"s;
    const std::string vendor = "\x01\x00\x00\x02\xde\xad"s;
    const auto found = designators_from_vpd(page(0x83, naa + t10 + port + name + vendor));
    CHECK(found == std::vector<ScsiDesignator>{{"unit", "naa", "naa.5001b44800123456"},
                                               {"unit", "t10", "t10.SanDisk 4C530001"},
                                               {"port", "relative_port", "00000001"},
                                               {"target", "name", "naa.1234"},
                                               {"unit", "vendor", "dead"}});
    // The last designator is truncated: the earlier designators count.
    CHECK(designators_from_vpd(page(0x83, naa + "\x01\x03\x00\x40\x50"s)).size() == 1);
    CHECK(designators_from_vpd(page(0x83, "")).empty());
}

TEST_CASE("SCSI: page 83 with a thousand designators gives the first 32") {
    std::string many;
    for (int i = 0; i < 1000; ++i) many += "\x01\x00\x00\x01\x01"s;
    CHECK(designators_from_vpd(page(0x83, many)).size() == 32);
}

TEST_CASE("SCSI: page B0 gives the limits, and limits beyond the end of a short page count as not reported") {
    const std::string full =
        "\x00\x00\x00\x08\x00\x00\xff\xff\x00\x00\x04\x00\x00\x00\x00\x00"
        "\x00\x40\x00\x00\x00\x00\x00\x20\x00\x00\x00\x08\x80\x00\x00\x01"
        "\x00\x00\x00\x00\x00\x40\x00\x00"s;
    CHECK(block_limits_from_vpd(page(0xB0, full)) == ScsiBlockLimits{.max_transfer = 65535,
                                                                     .optimal_transfer = 1024,
                                                                     .optimal_granularity = 8,
                                                                     .max_unmap = 0x400000,
                                                                     .max_unmap_descriptors = 32,
                                                                     .unmap_granularity = 8,
                                                                     .unmap_alignment = 1,
                                                                     .max_write_same = 0x400000});
    // A page of twelve bytes, as in SBC-2.
    const auto old = block_limits_from_vpd(page(0xB0, full.substr(0, 12)));
    REQUIRE(old);
    CHECK(old->max_transfer == 65535);
    CHECK(old->max_unmap == 0);
    CHECK_FALSE(old->unmap_alignment);
    CHECK_FALSE(block_limits_from_vpd(page(0xB0, "")));
    CHECK_FALSE(block_limits_from_vpd(page(0xB1, full)));
}

TEST_CASE("SCSI: page B1 gives rotation and form factor") {
    CHECK(characteristics_from_vpd(page(0xB1, "\x00\x01\x00\x03"s + std::string(56, '\0'))) ==
          ScsiCharacteristics{.rotation_rate = 1, .form_factor = 3});
    CHECK(characteristics_from_vpd(page(0xB1, "\x15\x18"s)) ==
          ScsiCharacteristics{.rotation_rate = 5400, .form_factor = 0});
    CHECK_FALSE(characteristics_from_vpd("\x00\xb1"s));
}

TEST_CASE("SCSI: page B2 gives unmap support and the data read afterwards") {
    CHECK(provisioning_from_vpd(page(0xB2, "\x00\xe4\x02\x00"s)) ==
          ScsiProvisioning{.unmap = true, .write_same = true, .write_same_10 = true, .zeroes_after = 1, .type = 2});
    CHECK(provisioning_from_vpd(page(0xB2, "\x00\x00\x00\x00"s)) == ScsiProvisioning{});
    CHECK_FALSE(provisioning_from_vpd(""));
}
