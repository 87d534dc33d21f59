// SPDX-License-Identifier: GPL-3.0-or-later
/// Tests the use of USB host controllers, on a machine of umockdev.
#include "host/rig/power/hub/controllers.hpp"

#include <filesystem>
#include <fstream>
#include <map>

#include "tests/catch.hpp"
#include "tests/rig/mock_machine.hpp"

using namespace mediarig;
using namespace mediarig::rig;
namespace fs = std::filesystem;

namespace {

const std::string first = "/sys/devices/pci0000:00/0000:00:14.0",
                  second = "/sys/devices/pci0000:00/0000:00:1c.0/0000:02:00.0";

/// Two controllers: buses 1 and 2 belong to the first, bus 3 to the second.
class ControllerMachine {
public:
    ControllerMachine() {
        fs::create_directories(root_ + "/sys/bus/usb/devices");
        for (const auto& [bus, controller] : buses) {
            add("usb" + std::to_string(bus), controller + "/usb" + std::to_string(bus));
            add(std::to_string(bus) + "-0:1.0",
                controller + "/usb" + std::to_string(bus) + "/" + std::to_string(bus) + "-0:1.0", "01");
        }
    }

    /// A reader or hub at "2-1", whose interface has this many endpoints.
    void plug(const std::string& path, const std::string& endpoints) {
        const std::string& controller = buses.at(path.front() - '0');
        const std::string at = controller + "/usb" + path.substr(0, 1) + "/" + path;
        add(path, at);
        add(path + ":1.0", at + "/" + path + ":1.0", endpoints);
    }
    void tell_registers(const std::string& text) {
        const fs::path folder = root_ + "/sys/kernel/debug/usb/xhci/0000:00:14.0";
        fs::create_directories(folder);
        std::ofstream(folder / "reg-cap") << text;
    }

private:
    void add(const std::string& name, const std::string& directory, const std::string& endpoints = {}) {
        fs::create_directories(root_ + directory);
        if (!endpoints.empty()) std::ofstream(root_ + directory + "/bNumEndpoints") << endpoints << '\n';
        // The links of sysfs are relative.
        fs::create_directory_symlink("../../.." + directory.substr(4), root_ + "/sys/bus/usb/devices/" + name);
    }
    const std::map<int, std::string> buses{{1, first}, {2, first}, {3, second}};
    MockMachine machine_;
    std::string root_{machine_.root()};
};

} // namespace

TEST_CASE("a controller's devices and endpoints are counted over its buses without its root hubs") {
    ControllerMachine machine;
    machine.plug("2-1", "01"); // a hub
    machine.plug("2-2", "02");
    machine.plug("1-3", "0a");
    const auto found = usb_controllers();
    REQUIRE(reason(found) == "success");
    // Each device has an additional control endpoint.
    CHECK(*found == std::vector<UsbController>{{first, 3, 3 + 1 + 2 + 10, {}}, {second, 0, 0, {}}});
    CHECK(controller_of("3-1.4.2") == second);
    CHECK(controller_of("9-1").empty());
    CHECK(controller_of("").empty());
}

TEST_CASE("the device limit of a controller is read from its register if readable") {
    ControllerMachine machine;
    machine.tell_registers("CAPLENGTH = 0x01000080\nHCSPARAMS1 = 0x1a000820\nHCSPARAMS2 = 0x14200054\n");
    const auto found = usb_controllers();
    REQUIRE(reason(found) == "success");
    CHECK(found->front().most_devices == 32);
    CHECK_FALSE(found->back().most_devices);
    machine.tell_registers("HCSPARAMS1 = nonsense\n");
    CHECK_FALSE(usb_controllers()->front().most_devices);
}

TEST_CASE("readers may use nine tenths of the devices of a controller and nine tenths of its endpoints") {
    // 86 endpoints are available.
    CHECK(free_reader_count({.endpoints = 0}) == 17);
    CHECK(free_reader_count({.endpoints = 77}) == 1);
    CHECK(free_reader_count({.endpoints = 82}) == 0);
    CHECK(free_reader_count({.endpoints = 200}) == 0);
    CHECK(free_reader_count({.devices = 20, .endpoints = 0, .most_devices = 32}) == 8);
    CHECK(free_reader_count({.devices = 30, .endpoints = 0, .most_devices = 32}) == 0);
}

TEST_CASE(
    "readers beyond the controller's capacity are refused with the number that fits, including attached readers") {
    ControllerMachine machine;
    std::vector<std::string> paths;
    for (int port = 1; port <= 9; ++port) {
        paths.push_back("2-" + std::to_string(port));
        if (port <= 6) machine.plug(paths.back(), "0a");
    }
    CHECK(reason(check_free_space(paths, 100)) == "success"); // 66 of 86 are used, three more readers take 15
    machine.plug("1-1", "08");
    CHECK(reason(check_free_space(paths, 100)) ==
          first +
              " has 7 devices with 75 endpoints already, and 3 more readers do not fit: use --lanes 2, or plug readers "
              "into another controller (mediarig rig uplinks)");
    CHECK(reason(check_free_space(paths, 2)) == "success");
    CHECK(reason(check_free_space({"3-1", "9-1"}, 100)) == "success");
}
