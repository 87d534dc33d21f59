// SPDX-License-Identifier: GPL-3.0-or-later
/// Decodes every field of published registers of real cards (two cards in the reference files of usbsdmux, one in an
/// Armbian log). No complete published SD Status was found: the test builds these by hand from the specification.
#include "host/media/identity/indications.hpp"
#include "host/media/identity/rows.hpp"
#include "host/media/identity/sd_fields.hpp"
#include "host/media/identity/sd_registers.hpp"
#include "tests/catch.hpp"
#include "tests/media/identity/shown.hpp"

using namespace mediarig;
using namespace mediarig::media;

namespace {

struct Field {
    const char* name;
    const char* shown;
};

void check_fields(const std::vector<IdentityRow>& rows, const char* section, const std::vector<Field>& fields) {
    for (const Field& field : fields) {
        CAPTURE(field.name);
        CHECK(shown(rows, section, field.name) == field.shown);
    }
}

} // namespace

TEST_CASE("the CID of a Phison card of November 2015 with a stored checksum is decoded") {
    check_fields(cid_rows("275048534431364730da89b82900fb61"), "CID",
                 {{"manufacturer_id", "0x27 (CID [127:120])"},
                  {"oem_id", "PH (CID [119:104])"},
                  {"product_name", "SD16G (CID [103:64])"},
                  {"product_revision", "3.0 (CID [63:56])"},
                  {"serial", "0xda89b829 (CID [55:24])"},
                  {"made", "2015-11 (CID [19:8])"},
                  {"checksum", "0x30 (CID [7:1])"}});
}

TEST_CASE("the CSD of version 2 of a 512 GB card is decoded") {
    check_fields(csd_rows("400e0032db79000eebff7f800a400000"), "CSD",
                 {{"structure", "2.0 (SDHC, SDXC) (CSD [127:126])"},
                  {"access_time", "1000000 ns (CSD [119:112])"},
                  {"access_clocks", "0 clocks x 100 (CSD [111:104])"},
                  {"transfer_speed", "25 Mbit/s per line (CSD [103:96])"},
                  {"command_classes", "0, 1, 2, 4, 5, 7, 8, 10, 11 (CSD [95:84])"},
                  {"read_block_length", "512 B (CSD [83:80])"},
                  {"read_partial_blocks", "no (CSD [79])"},
                  {"driver_stage_register", "no (CSD [76])"},
                  {"c_size", "977919 (CSD [69:48])"},
                  {"capacity", "512711720960 B (CSD [69:48])"},
                  {"erase_single_blocks", "yes (CSD [46])"},
                  {"erase_sector_size", "128 write blocks (CSD [45:39])"},
                  {"write_protect_group_size", "1 erase sectors (CSD [38:32])"},
                  {"write_protect_groups", "no (CSD [31])"},
                  {"write_speed_factor", "4 x read time (CSD [28:26])"},
                  {"write_block_length", "512 B (CSD [25:22])"},
                  {"write_partial_blocks", "no (CSD [21])"},
                  {"copy", "no (CSD [14])"},
                  {"write_protected_for_good", "no (CSD [13])"},
                  {"write_protected_for_now", "no (CSD [12])"},
                  {"file_format", "partition table (CSD [11:10])"}});
}

TEST_CASE("the CSDs of version 1 of a 2 GB card and of version 3 are decoded") {
    check_fields(csd_rows("007f00325b5a83bd6db7ff800a800000"), "CSD",
                 {{"structure", "1.0 (SDSC) (CSD [127:126])"},
                  {"access_time", "80000000 ns (CSD [119:112])"},
                  {"read_block_length", "1024 B (CSD [83:80])"},
                  {"c_size", "3829 (CSD [73:62])"},
                  {"c_size_mult", "7 (CSD [49:47])"},
                  {"capacity", "2008023040 B (CSD [73:47])"}});
    check_fields(csd_rows("800e0032db79007fffff7f800a400000"), "CSD",
                 {{"structure", "3.0 (SDUC) (CSD [127:126])"},
                  {"c_size", "8388607 (CSD [75:48])"},
                  {"capacity", "4398046511104 B (CSD [75:48])"}});
}

TEST_CASE("each transfer speed of cards is decoded") {
    for (const auto& [code, speed] : {std::pair{"32", "25"}, {"5a", "50"}, {"0b", "100"}, {"2b", "200"}}) {
        std::string csd = "400e0032db79000eebff7f800a400000";
        csd.replace(6, 2, code);
        CHECK(shown(csd_rows(csd), "CSD", "transfer_speed") == std::string(speed) + " Mbit/s per line (CSD [103:96])");
    }
}

TEST_CASE("reserved codes of a CSD are marked, and a CSD of a reserved structure has no further fields") {
    // Units 7, time value 0, block lengths 2^15, write factor 7.
    const auto rows = csd_rows("40070007db7f000eebff7f801e400000");
    CHECK(shown(rows, "CSD", "transfer_speed") == "reserved (7) Mbit/s per line (CSD [103:96])");
    CHECK(shown(rows, "CSD", "access_time") == "reserved (7) ns (CSD [119:112])");
    CHECK(shown(rows, "CSD", "read_block_length") == "reserved (15) (CSD [83:80])");
    CHECK(shown(rows, "CSD", "write_speed_factor") == "reserved (7) (CSD [28:26])");
    CHECK(csd_rows("c00e0032db79000eebff7f800a400000").size() == 1);
}

TEST_CASE("the SCRs of two cards are decoded") {
    check_fields(scr_rows("0205848700000000"), "SCR",
                 {{"structure", "1.0 (SCR [63:60])"},
                  {"version", "6.xx (SCR [59:38])"},
                  {"data_after_erase", "0 (SCR [55])"},
                  {"security", "none (SCR [54:52])"},
                  {"bus_widths", "1 bit, 4 bit (SCR [51:48])"},
                  {"extended_security", "0 (SCR [46:43])"},
                  {"commands", "CMD20, CMD23, CMD48/49 (SCR [36:32])"}});
    check_fields(scr_rows("0235800201000000"), "SCR",
                 {{"version", "3.0x (SCR [59:38])"},
                  {"security", "SDHC (2.00) (SCR [54:52])"},
                  {"commands", "CMD23 (SCR [36:32])"}});
    CHECK(scr_rows("1205848700000000").size() == 1);
}

TEST_CASE("every field of an SD Status is decoded") {
    const auto rows = ssr_rows(ssr_with({{0, "80"},
                                         {7, "08"},
                                         {8, "04"},
                                         {9, "02"},
                                         {10, "90"},
                                         {12, "10"},
                                         {13, "0d"},
                                         {14, "3a"},
                                         {15, "1e"},
                                         {17, "08"},
                                         {20, "04"},
                                         {21, "02"},
                                         {22, "fc"},
                                         {24, "03"}}),
                               "0235848700000000");
    check_fields(rows, "SSR",
                 {{"bus_width", "4 bit (SSR [511:510])"},
                  {"secured", "no (SSR [509])"},
                  {"card_type", "regular (SSR [495:480])"},
                  {"protected_area", "8 B, or the card's blocks on SDSC (SSR [479:448])"},
                  {"speed_class", "10 (SSR [447:440])"},
                  {"performance_move", "2 MB/s (SSR [439:432])"},
                  {"allocation_unit", "4194304 B (SSR [431:428])"},
                  {"erase_size", "16 allocation units (SSR [423:408])"},
                  {"erase_timeout", "3 s (SSR [407:402])"},
                  {"erase_offset", "1 s (SSR [401:400])"},
                  {"uhs_grade", "3 (SSR [399:396])"},
                  {"uhs_allocation_unit", "8388608 B (SSR [395:392])"},
                  {"video_class", "30 (SSR [391:384])"},
                  {"video_allocation_unit", "8 MiB (SSR [377:368])"},
                  {"suspension_address", "1 (SSR [367:346])"},
                  {"app_class", "A2 (SSR [339:336])"},
                  {"command_queue", "yes (code 31) (SSR [335:331])"},
                  {"cache", "yes (SSR [330])"},
                  {"host_maintenance", "no (SSR [329])"},
                  {"card_maintenance", "no (SSR [328])"},
                  {"discard", "yes (SSR [313])"},
                  {"erase_of_the_whole_area", "yes (SSR [312])"}});
}

TEST_CASE("unspecified and reserved values of an SD Status are marked") {
    const auto rows = ssr_rows(ssr_with({{0, "40"}, {8, "05"}, {9, "ff"}, {14, "25"}, {15, "2a"}}), "0235848700000000");
    check_fields(rows, "SSR",
                 {{"bus_width", "reserved (1) (SSR [511:510])"},
                  {"speed_class", "reserved (5) (SSR [447:440])"},
                  {"performance_move", "infinite (SSR [439:432])"},
                  {"allocation_unit", "not defined (SSR [431:428])"},
                  {"erase_size", "not reported (SSR [423:408])"},
                  {"erase_timeout", "not reported (SSR [407:402])"},
                  {"uhs_grade", "reserved (2) (SSR [399:396])"},
                  {"uhs_allocation_unit", "reserved (5) (SSR [395:392])"},
                  {"video_class", "reserved (42) (SSR [391:384])"},
                  {"command_queue", "no (SSR [335:331])"}});
    // Units above 4 MiB are valid only from version 3.00.
    CHECK(shown(ssr_rows(ssr_with({{10, "f0"}}), "0225000000000000"), "SSR", "allocation_unit") ==
          "reserved (15) (SSR [431:428])");
    CHECK(ssr_rows(std::string(128, '0'), "0235848700000000").empty());
}

TEST_CASE("the OCR of a card after power-up is decoded") {
    check_fields(ocr_rows("0xc1ff8000"), "OCR",
                 {{"powered_up", "yes (OCR [31])"},
                  {"capacity_status", "block addresses (SDHC, SDXC, SDUC) (OCR [30])"},
                  {"uhs_2", "no (OCR [29])"},
                  {"over_2_tb", "no (OCR [27])"},
                  {"switched_to_1_8_v", "yes (OCR [24])"}});
    CHECK(shown(ocr_rows("0x00300000"), "OCR", "voltages") == "3.2-3.3 V, 3.3-3.4 V (OCR [23:15])");
    CHECK(shown(ocr_rows("0x80ff8000"), "OCR", "capacity_status") == "byte addresses (SDSC) (OCR [30])");
    CHECK(ocr_rows("").empty());
    CHECK(ocr_rows("0x").empty());
    CHECK(ocr_rows("0x123456789").empty());
    CHECK(ocr_rows("0xzz").empty());
}

TEST_CASE("kernel attributes of a card are listed with its registers") {
    SdIdentity sd = decode_sd_registers("275048534431364730da89b82900fb61", "400e00325b59000073a77f800a4000eb",
                                        "0235800201000000", "");
    sd.rca = "0xaaaa";
    sd.dsr = "0x404";
    sd.preferred_erase_size = 4_MiB;
    sd.bus_timing = "sd uhs SDR104";
    sd.bus_clock_hz = 208'000'000;
    sd.bus_width = 4;
    const auto rows = sd_rows(sd);
    check_fields(rows, "card",
                 {{"rca", "0xaaaa (rca)"},
                  {"dsr", ""}, // the kernel's default: the CSD states that the card has no such register
                  {"preferred_erase_size", "4194304 B (preferred_erase_size)"},
                  {"erase_size", ""},
                  {"bus_timing", "sd uhs SDR104 (ios)"},
                  {"bus_clock", "208000000 Hz (ios)"},
                  {"bus_width", "4 lines (ios)"}});
    sd.csd.replace(12, 1, "1"); // DSR_IMP
    check_fields(sd_rows(sd), "card", {{"dsr", "0x404 (dsr)"}});
    sd.csd.replace(12, 1, "0");
    sd.bus_timing.clear(); // the kernel does not report the value
    sd.bus_clock_hz = sd.bus_width = 0;
    check_fields(sd_rows(sd), "card", {{"bus_timing", ""}, {"bus_clock", ""}, {"bus_width", ""}});
    check_fields(rows, "CSD", {{"capacity", "15523119104 B (CSD [69:48])"}});
}

TEST_CASE("the kernel's attribute ocr is the voltage of the host, and not the OCR of the card") {
    // Two genuine SDXC cards and one SDHC card, as published.
    for (const auto& [ocr, voltages] : {std::pair{"0x00300000", "3.2-3.3 V, 3.3-3.4 V"}, {"0x00200000", "3.3-3.4 V"}}) {
        SdIdentity sd;
        sd.host_ocr = ocr;
        const auto rows = sd_rows(sd);
        CHECK(shown(rows, "card", "host_voltages") == std::string(voltages) + " (ocr)");
        for (const IdentityRow& row : rows) CHECK(row.section != "OCR");
    }
    CHECK(sd_rows({}).empty());
}

TEST_CASE("a missing, truncated or non-numeric register has no rows") {
    for (const char* bad : {"", "02", "zz544d53413034471027b7748500bc00", "00000000000000000000000000000000"}) {
        CAPTURE(bad);
        CHECK(cid_rows(bad).empty());
        CHECK(csd_rows(bad).empty());
        CHECK(scr_rows(bad).empty());
        CHECK(ssr_rows(bad, bad).empty());
    }
}
