// SPDX-License-Identifier: GPL-3.0-or-later
#include <string>

#include "host/rig/serial/find_board.hpp"
#include "tests/catch.hpp"
#include "tests/rig/mock_machine.hpp"

using namespace mediarig::rig;

namespace {

/// A machine with a scripted USB tree.
class UsbMachine {
public:
    /// A serial port on a USB device.
    void add(const std::string& port, const std::string& tty, const std::string& product, const std::string& serial,
             const std::string& vendor = "2e8a", const std::string& number = "000a") const {
        const std::string device = "/devices/pci0000:00/0000:00:14.0/usb1/" + port;
        machine_.feed("P: " + device + "\nE: SUBSYSTEM=usb\nE: DEVTYPE=usb_device\nA: idVendor=" + vendor +
                      "\\n\nA: idProduct=" + number + "\\n\nA: product=" + product + "\\n\nA: serial=" + serial +
                      "\\n\n\n");
        machine_.feed("P: " + device + "/" + port + ":1.0\nE: SUBSYSTEM=usb\nE: DEVTYPE=usb_interface\n\n");
        machine_.feed("P: " + device + "/" + port + ":1.0/tty/" + tty + "\nN: " + tty +
                      "\nE: SUBSYSTEM=tty\nE: DEVNAME=/dev/" + tty + "\n\n");
    }

private:
    MockMachine machine_;
};

} // namespace

TEST_CASE("rigs are identified by the USB descriptors of their boards, not the port name") {
    const UsbMachine machine;
    machine.add("1-4", "ttyACM1", "mediarig rig", "00000000000000AA");
    machine.add("1-2", "ttyACM0", "mediarig rig", "00000000000000BB");
    machine.add("1-3", "ttyACM2", "somebody's keyboard", "1"); // the same public test identity
    machine.add("1-5", "ttyUSB0", "mediarig rig", "2", "0403", "6001");
    const auto boards = find_boards();
    REQUIRE(boards);
    CHECK(*boards == std::vector<FoundBoard>{{"/dev/ttyACM0", "00000000000000BB", "1-2"},
                                             {"/dev/ttyACM1", "00000000000000AA", "1-4"}});
}

TEST_CASE("the error for a missing rig on USB names the alternatives") {
    const UsbMachine machine;
    const auto boards = find_boards();
    REQUIRE(boards);
    CHECK(boards->empty());
    CHECK(reason(choose_board(*boards, "")) ==
          "no rig was found on USB: plug the board in, name its serial line with --rig PATH, or try the simulated one "
          "with "
          "--rig sim");
}

TEST_CASE("several rigs require a serial, which is case-insensitive") {
    const std::vector<FoundBoard> boards{{"/dev/ttyACM0", "00000000000000BB", "1-2"}, {"/dev/ttyACM1", "", "1-4"}};
    CHECK(
        reason(choose_board(boards, "")) ==
        "2 rigs were found on USB; name one of them with --rig PATH: /dev/ttyACM0 (00000000000000BB), /dev/ttyACM1 (no "
        "serial)");
    const auto chosen = choose_board(boards, "00000000000000bb");
    REQUIRE(chosen);
    CHECK(chosen->path == "/dev/ttyACM0");
    CHECK(reason(choose_board(boards, "CC")) ==
          "the rig's board CC is not on USB; found: /dev/ttyACM0 (00000000000000BB), /dev/ttyACM1 (no serial)");
    const std::vector<FoundBoard> one{boards[1]};
    REQUIRE(choose_board(one, ""));
    CHECK(choose_board(one, "")->path == "/dev/ttyACM1");
}
