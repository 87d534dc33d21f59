// SPDX-License-Identifier: GPL-3.0-or-later
/// Decodes registers of real cards, as printed by the kernel, and registers of faulty cards.
#include "host/media/identity/sd_registers.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::media;

namespace {

/// An SD Status with the given bytes set (byte 0 is bits 511 to 504).
std::string four_line_ssr_with(std::initializer_list<std::pair<std::size_t, std::string>> bytes) {
    std::string hex(128, '0');
    hex.replace(0, 2, "80"); // four data lines, as on every card in use
    for (const auto& [index, value] : bytes) hex.replace(2 * index, 2, value);
    return hex;
}

const std::string scr_3 = "0235800001000000", scr_2 = "0225000000000000";

} // namespace

TEST_CASE("registers: the CIDs of four cards from four makers are decoded") {
    struct Row {
        const char* cid;
        CardIdentification card;
    };
    const Row rows[] = {
        {"02544d53413034471027b7748500bc00", {0x02, "TM", "SA04G", "1.0", 666334341, 2011, 12}},
        {"1b534d474638533530d8466363a16700", {0x1b, "SM", "GF8S5", "3.0", 3628491619, 2022, 7}},
        {"744a605553442020104182bbc7010600", {0x74, "J`", "USD", "1.0", 1099086791, 2016, 6}},
        {"9f5449303030303000a1114bb5011400", {0x9f, "TI", "00000", "0.0", 2702265269, 2017, 4}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.cid);
        REQUIRE(decode_cid(row.cid));
        CHECK(*decode_cid(row.cid) == row.card);
    }
}

TEST_CASE("registers: the CSDs give the capacity in all three structure versions") {
    CHECK(capacity_from_csd("400e00325b5900001d177f800a400000") == Bytes{3904897024});
    CHECK(capacity_from_csd("400e0032db79000eebff7f800a400000") == Bytes{512711720960});
    CHECK(capacity_from_csd("400e00325b5900003b877f800a400000") == Bytes{7990149120});
    CHECK(capacity_from_csd("007f00325b5a83bd6db7ff800a800000") == Bytes{2008023040});
    // SDUC: 28 bits of C_SIZE; 4 TiB are 0x7fffff + 1 units of 512 KiB.
    CHECK(capacity_from_csd("800e0032db79007fffff7f800a400000") == 4096_GiB);
}

TEST_CASE("registers: the SCR gives the version, but no version for reserved combinations") {
    CHECK(spec_version_from_scr("0205848700000000") == "6.xx");
    CHECK(spec_version_from_scr("0235800001000000") == "3.0x");
    CHECK(spec_version_from_scr("0225000000000000") == "2.00");
    CHECK(spec_version_from_scr("0125000000000000") == "1.10");
    CHECK(spec_version_from_scr("0025000000000000") == "1.0x");
    CHECK(spec_version_from_scr("0235840000000000") == "4.xx");
    CHECK(spec_version_from_scr("0235814000000000") == "9.xx");
    CHECK(spec_version_from_scr("0235818000000000").empty()); // SPECX 6 is reserved
    CHECK(spec_version_from_scr("0335800000000000").empty()); // SD_SPEC 3 is reserved
    CHECK(spec_version_from_scr("0125800000000000").empty()); // version 1.10 cannot also be 3.0x
    CHECK(spec_version_from_scr("1235800000000000").empty()); // another structure version
    CHECK(spec_version_from_scr("0000000000000000").empty());
}

TEST_CASE("registers: the SD Status gives classes and the allocation unit") {
    // A V30 A2 U3 C10 card with allocation units of 64 MiB.
    const CardStatus status =
        decode_ssr(four_line_ssr_with({{8, "04"}, {10, "f0"}, {14, "38"}, {15, "1e"}, {21, "02"}}), scr_3);
    CHECK(status == CardStatus{64_MiB, 10, 3, 30, 2});
}

TEST_CASE("registers: each code gives its allocation unit, and large units are valid only from version 3.00") {
    const std::pair<const char*, Bytes> units[] = {{"10", 16_KiB},  {"20", 32_KiB},  {"30", 64_KiB}, {"40", 128_KiB},
                                                   {"50", 256_KiB}, {"60", 512_KiB}, {"70", 1_MiB},  {"80", 2_MiB},
                                                   {"90", 4_MiB},   {"a0", 8_MiB},   {"b0", 12_MiB}, {"c0", 16_MiB},
                                                   {"d0", 24_MiB},  {"e0", 32_MiB},  {"f0", 64_MiB}};
    for (const auto& [code, unit] : units) {
        CAPTURE(code);
        CHECK(decode_ssr(four_line_ssr_with({{10, code}}), scr_3).allocation_unit == unit);
        const auto old = decode_ssr(four_line_ssr_with({{10, code}}), scr_2).allocation_unit;
        CHECK(old == (unit > 4_MiB ? std::nullopt : std::optional(unit)));
        CHECK(decode_ssr(four_line_ssr_with({{10, code}}), "").allocation_unit == old);
    }
    CHECK_FALSE(decode_ssr(four_line_ssr_with({{10, "00"}}), scr_3).allocation_unit);
}

TEST_CASE("registers: reserved codes decode to empty values") {
    const CardStatus reserved = decode_ssr(four_line_ssr_with({{8, "05"}, {14, "20"}, {15, "2a"}, {21, "03"}}), scr_3);
    CHECK(reserved == CardStatus{});
}

TEST_CASE("registers: a missing, truncated or non-numeric register decodes to an empty result") {
    for (const char* bad : {"", "02", "zz544d53413034471027b7748500bc00", "02544d53413034471027b7748500bc000",
                            "00000000000000000000000000000000"}) {
        CAPTURE(bad);
        CHECK_FALSE(decode_cid(bad));
        CHECK_FALSE(capacity_from_csd(bad));
        CHECK(spec_version_from_scr(bad).empty());
        CHECK(decode_ssr(bad, scr_3) == CardStatus{});
    }
    // Kernel value for a card that did not return its status.
    CHECK(decode_ssr(std::string(128, '0'), scr_3) == CardStatus{});
    // A version 1 CSD with a block length of 2^15, and a CSD of the reserved structure.
    CHECK_FALSE(capacity_from_csd("007f00325b5f83bd6db7ff800a800000"));
    CHECK_FALSE(capacity_from_csd("c00e00325b5900003b877f800a400000"));
}

TEST_CASE("registers: a counterfeit's CID is shown without control characters") {
    // OID 0x0001, a product name with an escape character, month 0.
    const auto card = decode_cid("0000011b5b33316d0012345678012000");
    REQUIRE(card);
    CHECK(card->oem_id == "0x0001");
    CHECK(card->product_name == "?[31m");
    CHECK(card->year == 0);
    CHECK(card->month == 0);
}

TEST_CASE("registers: raw values are stored next to decoded ones") {
    const SdIdentity sd = decode_sd_registers("1b534d474638533530d8466363a16700", "400e0032db79000eebff7f800a400000",
                                              "0205848700000000", four_line_ssr_with({{8, "04"}}));
    CHECK(sd.cid == "1b534d474638533530d8466363a16700");
    CHECK(sd.product_name == "GF8S5");
    CHECK(sd.csd_capacity == Bytes{512711720960});
    CHECK(sd.spec_version == "6.xx");
    CHECK(sd.speed_class == 10);
    CHECK_FALSE(sd.allocation_unit);
}
