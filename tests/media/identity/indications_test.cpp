// SPDX-License-Identifier: GPL-3.0-or-later
/// Indications of a fake: each is caused alone, and a genuine medium causes none.
#include <algorithm>

#include "host/media/identity/indications.hpp"
#include "host/media/identity/manufacturers.hpp"
#include "host/media/identity/sd_registers.hpp"
#include "tests/catch.hpp"
#include "tests/media/identity/shown.hpp"
#include "tests/media/identity/stick.hpp"

using namespace mediarig;
using namespace mediarig::media;

namespace {

struct Registers {
    std::string cid{"275048534431364730da89b82900fb61"}, csd{"400e00325b59000073a77f800a4000eb"};
    std::string scr{"0235800201000000"}, ssr{ssr_with({{0, "80"}, {8, "04"}, {10, "90"}})};
};

Medium genuine_card(const Registers& registers = {}) {
    Medium medium;
    medium.node = "/dev/mmcblk0";
    medium.transport = Transport::mmc;
    medium.sd = decode_sd_registers(registers.cid, registers.csd, registers.scr, registers.ssr);
    medium.size = medium.sd->csd_capacity.value_or(0_B);
    return medium;
}

std::vector<std::string> names(const std::vector<Indication>& indications) {
    std::vector<std::string> list;
    for (const Indication& indication : indications) {
        CHECK_FALSE(indication.reason.empty());
        CHECK_FALSE(indication.source.empty());
        list.push_back(indication.name);
    }
    return list;
}

using Names = std::vector<std::string>;
constexpr CalendarMonth then{2024, 5};

/// A CID of the card above with other digits at one position, and without a checksum.
std::string cid_with(std::size_t digit, const std::string& digits) {
    std::string cid = "275048534431364730da89b82900fb00";
    cid.replace(digit, digits.size(), digits);
    return cid;
}

} // namespace

TEST_CASE("a genuine card and a genuine stick cause no indication of a fake") {
    CHECK(names(fake_indications(genuine_card(), then)).empty());
    CHECK(names(fake_indications(ultra_fit(), then)).empty());
    CHECK(names(fake_indications(Medium{}, then)).empty());
}

TEST_CASE("each indication in a card's identification is reported by name") {
    const std::pair<std::string, Names> rows[] = {
        {cid_with(0, "00"), {"mid_zero"}},
        {cid_with(0, "ee"), {"mid_unknown"}},
        {cid_with(2, "0001"), {"oid_unprintable"}},
        {cid_with(2, "534d"), {"oid_unusual"}},
        {cid_with(6, "0000000000"), {"name_generic"}},
        {cid_with(6, "4e2f412020"), {"name_generic"}},
        {cid_with(6, "1b5b33316d"), {"name_unprintable"}},
        {cid_with(18, "00000007"), {"serial_low"}},
        {cid_with(27, "000"), {"no_date"}},
        {cid_with(27, "18c"), {"future_date"}},
        {cid_with(27, "051"), {"too_early"}},
        {"275048534431364730da89b82900fb63", {"cid_checksum"}},
    };
    for (const auto& [cid, expected] : rows) {
        CAPTURE(cid);
        CHECK(names(fake_indications(genuine_card({.cid = cid}), then)) == expected);
    }
}

TEST_CASE("values of genuine cards cause no indication") {
    struct Row {
        const char* card;
        Registers registers;
    };
    const std::string status = ssr_with({{0, "80"}, {8, "04"}, {10, "90"}});
    const Row rows[] = {
        {"Kingston, name 00000",
         {"9f5449303030303000a1114bb5011400", "400e00325b5900003b877f800a400000", "02b5800200000000", status}},
        {"Samsung, name 00000",
         {"1b534d3030303030100000abcd010100", "400e00325b590001dcff7f800a4040f1", "0235800300000000", status}},
        {"Transcend, name USD",
         {"744a605553442020104182bbc7010600", "007f00325b5a83bd6db7ff800a800000", "0225800000000000", status}},
        // Realtek's host controllers replace the checksum by the end bit alone.
        {"Phison, read by rtsx_pci_sdmmc",
         {"275048534431364730da89b82900fb01", "400e00325b59000073a77f800a4000eb", "0235800201000000", status}},
        {"Toshiba",
         {"02544d53413034471027b7748500bc00", "400e00325b5900001d177f800a400000", "0235800001000000", status}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.card);
        CHECK(names(fake_indications(genuine_card(row.registers), then)).empty());
    }
}

TEST_CASE("one value alone is not called a sign of a fake") {
    const auto heading = [](const Medium& medium) { return indications_heading(fake_indications(medium, then)); };
    CHECK_THAT(heading(genuine_card({.cid = cid_with(0, "00")})), Catch::Matchers::StartsWith("one unusual value"));
    CHECK_THAT(heading(genuine_card({.cid = cid_with(0, "000001")})), Catch::Matchers::StartsWith("signs of a fake"));
    // Card readers of all makers: generic text and no serial.
    Medium reader = ultra_fit();
    reader.usb->manufacturer = "Generic";
    reader.usb->product = "Mass Storage";
    reader.usb->serial.clear();
    CHECK(fake_indications(reader, then).size() == 3);
    CHECK_FALSE(are_signs_of_a_fake(fake_indications(reader, then)));
    reader.usb->vendor_id = "ffff";
    reader.usb->product_id = "5678";
    CHECK(are_signs_of_a_fake(fake_indications(reader, then)));
    CHECK_FALSE(are_signs_of_a_fake({}));
    // Two cards with one CID: genuine cards with a rewritable CID exist.
    Medium twin = genuine_card();
    twin.node = "/dev/mmcblk1";
    CHECK_FALSE(are_signs_of_a_fake(duplicate_indications(genuine_card(), std::vector{twin})));
}

TEST_CASE("the text of an indication names other media with the value, or states that none are published") {
    const auto text = [](const std::string& cid) {
        return text_of(fake_indications(genuine_card({.cid = cid}), then).at(0));
    };
    CHECK_THAT(
        text(cid_with(18, "00000007")),
        Catch::Matchers::StartsWith("serial_low: 0x00000007: ") &&
            ContainsSubstring("; also seen on one production lot that Kingston called authentic (2009) (published; "));
    CHECK_THAT(text(cid_with(27, "000")), ContainsSubstring("; no genuine medium with this value is published ("));
}

TEST_CASE("the capacities of a register and of a reader may differ by less than a unit of the register") {
    Medium card = genuine_card();
    card.size = card.size - 256_KiB;
    CHECK(names(fake_indications(card, then)).empty());
    card.size = card.size - 256_KiB;
    CHECK(names(fake_indications(card, then)) == Names{"capacity_differs"});
}

TEST_CASE("ids of makers that the kernel or publications list cause no indication") {
    const std::pair<const char*, const char*> rows[] = {
        {"09", "4150"}, {"12", "3456"}, {"31", "5350"}, {"5d", "5342"}, {"9f", "5449"}, {"ad", "4c53"}, {"27", "5048"},
    };
    for (const auto& [mid, oid] : rows) {
        CAPTURE(mid);
        CHECK(names(fake_indications(genuine_card({.cid = cid_with(0, std::string(mid) + oid)}), then)).empty());
    }
    CHECK(card_maker(0x27)->name == "Phison, Apacer");
}

TEST_CASE("a maker or OEM id that is missing in the list causes only that indication") {
    const auto only = [](std::size_t digit, const std::string& digits) {
        const auto found = fake_indications(genuine_card({.cid = cid_with(digit, digits)}), then);
        REQUIRE(found.size() == 1);
        CHECK(found[0].certainty == Certainty::unofficial);
        CHECK_THAT(found[0].source, ContainsSubstring("incomplete"));
        return found[0].reason;
    };
    CHECK_THAT(only(0, "ee"), ContainsSubstring("not in mediarig's list"));
    CHECK_THAT(only(2, "534d"), ContainsSubstring("mediarig's list has another OEM id"));
    CHECK(name_of(Certainty::unofficial) == "unofficial");
}

TEST_CASE("if the current month is unknown, no date counts as a future date") {
    CHECK(names(fake_indications(genuine_card({.cid = cid_with(27, "18c")}))).empty());
}

TEST_CASE("registers that contradict the capacity cause an indication") {
    Medium shrunk = genuine_card();
    shrunk.size = 8_GiB;
    CHECK(names(fake_indications(shrunk, then)) == Names{"capacity_differs"});
    CHECK(names(fake_indications(genuine_card({.scr = "0125000000000000"}), then)) == Names{"version_old"});
    CHECK(names(fake_indications(genuine_card({.ssr = ssr_with({{0, "80"}, {8, "04"}, {10, "f0"}})}), then)) ==
          Names{"unit_too_large"});
    CHECK(names(fake_indications(genuine_card({.ssr = std::string(128, '0')}), then)) == Names{"status_empty"});
    CHECK(names(fake_indications(genuine_card({.ssr = ssr_with({{0, "80"}, {10, "90"}})}), then)) ==
          Names{"no_speed_class"});
    // A card of 64 GB made to version 2.00.
    CHECK(names(fake_indications(genuine_card({.csd = "400e00325b590001dbd37f800a400000", .scr = "0235000000000000"}),
                                 then)) == Names{"version_old"});
}

TEST_CASE("each indication of a fake stick is reported by name") {
    const auto with = [](auto change) {
        Medium medium = ultra_fit();
        change(medium);
        return names(fake_indications(medium, then));
    };
    CHECK(with([](Medium& m) { m.usb->serial.clear(); }) == Names{"usb_no_serial"});
    CHECK(with([](Medium& m) { m.usb->serial = "1234"; }) == Names{"usb_serial_form"});
    CHECK(with([](Medium& m) { m.usb->serial = "not-hexadecimal"; }) == Names{"usb_serial_form"});
    CHECK(with([](Medium& m) { m.usb->product = "USB Disk"; }) == Names{"usb_generic_text"});
    CHECK(with([](Medium& m) {
              m.usb->vendor_id = "abcd";
              m.usb->product_id = "1234";
          }) == Names{"usb_default_ids"});
    CHECK(with([](Medium& m) { m.size = Bytes{40'000'000'000}; }) == Names{"usb_odd_capacity"});
    CHECK(with([](Medium& m) { m.size = Bytes{64'424'509'440}; }).empty());
    CHECK(with([](Medium& m) { m.size = Bytes{200'086'126'592}; }).empty());
    CHECK(with([](Medium& m) { m.size = Bytes{400'088'457'216}; }).empty());
    CHECK(with([](Medium& m) { m.size = Bytes{300'000'000'000}; }) == Names{"usb_odd_capacity"});
    for (const std::uint64_t sold : {6'000'000'000ULL, 12'000'000'000ULL, 48'000'000'000ULL, 1'500'000'000'000ULL})
        CHECK(with([sold](Medium& m) { m.size = Bytes{sold}; }).empty());
    // A genuine Samsung stick.
    CHECK(with([](Medium& m) {
              m.usb->vendor_id = "090c";
              m.usb->product_id = "1000";
          }).empty());
    // A disk on a bridge may have any capacity, and UAS has no rule for serials.
    CHECK(with([](Medium& m) {
              m.size = Bytes{500'107'862'016};
              m.usb->driver = "uas";
              m.usb->interface_class = "08/06/62";
              m.usb->serial = "MSFT30";
          }).empty());
}

TEST_CASE("the text of an indication from a reader's strings refers to the reader, not its card") {
    Medium reader = ultra_fit();
    reader.usb->vendor_id = "abcd";
    reader.usb->product_id = "1234";
    reader.usb->product = "Mass Storage";
    reader.usb->serial.clear();
    auto found = fake_indications(reader, then);
    CHECK(names(found) == Names{"usb_no_serial", "usb_generic_text", "usb_default_ids"});
    reader.usb->serial = "1234";
    for (const Indication& each : fake_indications(reader, then)) found.push_back(each);
    for (const Indication& each : found) CHECK_THAT(each.reason, ContainsSubstring("not a card in it"));
}

TEST_CASE("two different media with the same CID or USB serial cause a duplicate indication") {
    Medium other = genuine_card();
    other.node = "/dev/mmcblk1";
    const std::vector<Medium> cards{other};
    REQUIRE(names(duplicate_indications(genuine_card(), cards)) == Names{"same_cid"});
    CHECK(duplicate_indications(genuine_card(), cards)[0].found == "/dev/mmcblk1 has it too");
    Medium twin = ultra_fit();
    twin.node = "/dev/sdc";
    CHECK(duplicate_indications(ultra_fit(), std::vector{twin}).empty()); // the other slot of one reader
    twin.usb->port_path = "1-9";
    CHECK(names(duplicate_indications(ultra_fit(), std::vector{twin, other})) == Names{"same_serial"});
    twin.usb->product_id = "5583";
    CHECK(duplicate_indications(ultra_fit(), std::vector{twin}).empty());
    // A medium without a serial causes no duplicate indication.
    Medium nameless = ultra_fit();
    nameless.usb->serial.clear();
    CHECK(duplicate_indications(nameless, std::vector{nameless}).empty());
}

TEST_CASE("the built-in list of makers is well formed") {
    CHECK(card_makers_from_json(detail::manufacturers_text()));
    CHECK(card_makers().size() >= 9);
    CHECK(card_maker(0x03)->name == "SanDisk");
    CHECK_FALSE(card_maker(0xEE));
}

TEST_CASE("an invalid list of makers is refused with the position of the fault") {
    CHECK(card_makers_from_json("{").error().detail == "manufacturers: the list of card makers is missing");
    CHECK(card_makers_from_json(R"({"manufacturers": [{"mid": "3"}]})").error().detail ==
          "manufacturers[0].mid: must be two hexadecimal digits");
    CHECK(card_makers_from_json(R"({"manufacturers": [{"mid": "03"}]})").error().detail ==
          "manufacturers[0].name: must be a string");
    CHECK(card_makers_from_json(R"({"manufacturers": [{"mid": "03", "name": "x", "oids": [1]}]})").error().detail ==
          "manufacturers[0].oids: must be a list of strings");
    CHECK(card_makers_from_json(R"({"manufacturers": [7]})").error().detail ==
          "manufacturers[0].mid: the entry is not an object");
}
