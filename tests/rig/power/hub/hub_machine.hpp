// SPDX-License-Identifier: GPL-3.0-or-later
/// A machine with one USB 3 hub: two hubs, 1-1 and 2-1, whose ports are each other's peers. fake_uhubctl.py switches
/// them.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "host/rig/power/hub/hub_report.hpp"
#include "host/rig/power/hub/uhubctl.hpp"
#include "tests/catch.hpp"
#include "tests/json.hpp"
#include "tests/rig/mock_machine.hpp"

namespace mediarig::rig {

class HubMachine {
public:
    static constexpr unsigned ports = 4;

    HubMachine() {
        std::filesystem::create_directories(devices());
        std::filesystem::create_directories(sys() / "class/block");
        for (const std::string hub : {"1-1", "2-1"}) {
            put(hub, "05e3", hub == "1-1" ? "0610" : "0626", "", "09");
            for (unsigned port = 1; port <= ports; ++port) std::filesystem::create_directories(port_of(hub, port));
        }
        for (unsigned port = 1; port <= ports; ++port) {
            std::filesystem::create_directory_symlink(port_of("2-1", port), port_of("1-1", port) / "peer");
            std::filesystem::create_directory_symlink(port_of("1-1", port), port_of("2-1", port) / "peer");
        }
        std::filesystem::copy_file(MEDIARIG_FAKE_UHUBCTL, program());
        state = {
            {"sys", sys().string()},
            {"hubs",
             {{"1-1",
               {{"id", "05e3:0610"}, {"usb", "2.10"}, {"ports", ports}, {"switching", "ppps"}, {"on", {1, 2, 3, 4}}}},
              {"2-1",
               {{"id", "05e3:0626"}, {"usb", "3.20"}, {"ports", ports}, {"switching", "ppps"}, {"on", {1, 2, 3, 4}}}}}},
            {"devices", nlohmann::json::array()},
            {"trouble", nlohmann::json::object()}};
    }

    /// A USB 3 reader: without the SuperSpeed half of its port it would return on the other half.
    void plug_reader(unsigned port, const std::string& serial) {
        using nlohmann::json;
        const std::string fast = "2-1." + std::to_string(port), slow = "1-1." + std::to_string(port);
        put(fast, "05e3", "0749", serial, "00");
        put("." + slow, "05e3", "0749", serial, "00");
        state["devices"].push_back(
            {{"id", "05e3:0749"}, {"places", json::array({json::array({"2-1", port}), json::array({"1-1", port})})}});
    }
    void plug_hub(unsigned port) { put("1-1." + std::to_string(port), "05e3", "0610", "", "09"); }
    /// A disk of the reader on this port.
    void add_disk(unsigned port, const std::string& name) {
        const std::string path = "2-1." + std::to_string(port);
        const auto directory = sys() / "devices/usb2/2-1" / path / (path + ":1.0") / "block" / name;
        std::filesystem::create_directories(directory);
        std::filesystem::create_directory_symlink(directory, sys() / "class/block" / name);
    }
    void hide_disks() const { std::filesystem::remove_all(sys() / "class/block"); }
    void save() const { std::ofstream(machine_.root() / "hub.json") << state; }
    [[nodiscard]] nlohmann::json saved() const {
        return nlohmann::json::parse(std::ifstream(machine_.root() / "hub.json"));
    }
    [[nodiscard]] std::string program() const { return machine_.root() / "uhubctl"; }

    nlohmann::json state;

private:
    [[nodiscard]] std::filesystem::path sys() const { return machine_.root() / "sys"; }
    [[nodiscard]] std::filesystem::path devices() const { return sys() / "bus/usb/devices"; }
    [[nodiscard]] std::filesystem::path port_of(const std::string& hub, unsigned port) const {
        return devices() / (hub + ":1.0") / (hub + "-port" + std::to_string(port));
    }
    void put(const std::string& path, const std::string& vendor, const std::string& product, const std::string& serial,
             const std::string& device_class) const {
        std::filesystem::create_directories(devices() / path);
        const auto write = [&](const char* name, const std::string& value) {
            if (!value.empty()) std::ofstream(devices() / path / name) << value << '\n';
        };
        write("idVendor", vendor);
        write("idProduct", product);
        write("serial", serial);
        write("bDeviceClass", device_class);
    }

    MockMachine machine_;
};

} // namespace mediarig::rig
