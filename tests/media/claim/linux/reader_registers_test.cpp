// SPDX-License-Identifier: GPL-3.0-or-later
/// A card in a reader that gives access to the card's registers.
#include "host/media/claim/linux/reader_registers.hpp"

#include <map>

#include "host/media/identity/sd_registers.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::media;

namespace {

using Register = std::vector<std::uint8_t>;

// Registers of a card of 64 GB made in July 2018. The reader replaces the last byte of the CID by zero.
const Register cid{0x03, 0x53, 0x44, 0x53, 0x4e, 0x36, 0x34, 0x47, 0x80, 0x12, 0x34, 0x56, 0x78, 0x01, 0x27, 0x00};
const Register csd{0x40, 0x0e, 0x00, 0x32, 0xdb, 0x79, 0x00, 0x01, 0xdb, 0xd3, 0x7f, 0x80, 0x0a, 0x40, 0x40, 0x01};
const Register scr{0x02, 0x45, 0x84, 0x83, 0x00, 0x00, 0x00, 0x00};

struct Reader {
    std::map<std::uint8_t, Register> registers{{0x18, cid}, {0x1A, csd}, {0x1B, scr}};
    std::vector<Register> asked;
    unsigned fails_first{}; ///< number of commands that fail first

    ScsiRead read() {
        return [this](std::span<const std::uint8_t, 16> command, std::size_t length) -> Result<Register> {
            asked.emplace_back(command.begin(), command.end());
            if (fails_first > 0) {
                --fails_first;
                return fail(Errc::io_failed, "unit attention");
            }
            const auto found = registers.find(command[1]);
            if (found == registers.end()) return fail(Errc::io_failed, "no such register");
            Register bytes = found->second;
            bytes.resize(std::min(bytes.size(), length));
            return bytes;
        };
    }
};

} // namespace

TEST_CASE("a reader is queried for CID, CSD and SCR by the vendor's command") {
    Reader reader;
    const auto card = read_card_registers(reader.read());
    REQUIRE(card);
    const auto command = [](std::uint8_t number, std::uint8_t length) {
        Register bytes(16);
        bytes[0] = 0xCF;
        bytes[1] = number;
        bytes[4] = length;
        return bytes;
    };
    CHECK(reader.asked == std::vector<Register>{command(0x18, 16), command(0x1A, 16), command(0x1B, 8)});
    CHECK(card->manufacturer_id == 3);
    CHECK(card->oem_id == "SD");
    CHECK(card->product_name == "SN64G");
    CHECK(card->serial == 0x12345678);
    CHECK(card->year == 2018);
    CHECK(card->month == 7);
    CHECK(card->csd_capacity == Bytes{63'864'569'856});
    CHECK(card->ssr.empty());
    CHECK(card->cid.ends_with("00"));
}

TEST_CASE("after a card change the query is repeated once, and missing registers stay empty") {
    Reader reader;
    reader.fails_first = 1;
    CHECK(read_card_registers(reader.read()));
    reader.registers.erase(0x1A);
    reader.registers[0x1B].resize(3);
    const auto card = read_card_registers(reader.read());
    REQUIRE(card);
    CHECK(card->csd.empty());
    CHECK(card->scr.empty());
    CHECK_FALSE(card->csd_capacity);
}

TEST_CASE("a missing card or a missing answer gives no registers") {
    Reader empty;
    for (const std::uint8_t byte : {std::uint8_t{0x00}, std::uint8_t{0xFF}}) {
        empty.registers[0x18] = Register(16, byte);
        CHECK_FALSE(read_card_registers(empty.read()));
    }
    Reader silent;
    silent.registers.clear();
    CHECK_FALSE(read_card_registers(silent.read()));
    CHECK(silent.asked.size() == 2);
}

TEST_CASE("vendor commands are sent only to known readers, and not to a node that belongs to another medium") {
    Medium medium;
    CHECK_FALSE(card_in_reader(medium));
    medium.usb = UsbIdentity{.vendor_id = "0bda", .product_id = "0316"};
    CHECK_FALSE(passes_registers_on(*medium.usb));
    medium.usb = UsbIdentity{.vendor_id = "0424", .product_id = "4041"};
    CHECK(passes_registers_on(*medium.usb));
    medium.node = "/dev/null";
    CHECK_FALSE(card_in_reader(medium));
    // A device that is not SCSI returns an error.
    CHECK_FALSE(scsi_read_of(-1)(std::array<std::uint8_t, 16>{}, 16));
}
