// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/rig/power/hub/usb_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "host/media/claim/linux/kernel/sysfs.hpp"

namespace mediarig::rig {
namespace {

constexpr const char* usb_devices = "/sys/bus/usb/devices";
constexpr unsigned most_ports = 255; // maximum of bNbrPorts

bool is_root(std::string_view hub) {
    return hub.find('-') == std::string_view::npos;
}

std::optional<unsigned> port_number(std::string_view text) {
    unsigned number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < 1 || number > most_ports)
        return std::nullopt;
    return number;
}

/// "1-1.4": a bus, and a port number for each hub on the path.
bool is_path(std::string_view path) {
    const std::size_t dash = path.find('-');
    if (dash == std::string_view::npos || !port_number(path.substr(0, dash))) return false;
    std::string_view rest = path.substr(dash + 1);
    for (;;) {
        const std::size_t dot = rest.find('.');
        if (!port_number(rest.substr(0, dot))) return false;
        if (dot == std::string_view::npos) return true;
        rest.remove_prefix(dot + 1);
    }
}

std::string port_directory(const UsbPort& port) {
    if (is_root(port.hub)) return fmt::format("{}/{}-0:1.0/usb{}-port{}", usb_devices, port.hub, port.hub, port.number);
    return fmt::format("{}/{}:1.0/{}-port{}", usb_devices, port.hub, port.hub, port.number);
}

/// "2-1.4-port2" and "usb2-port2": the kernel's directory names for ports.
std::optional<UsbPort> port_of_directory(std::string_view name) {
    const std::size_t at = name.rfind("-port");
    if (at == std::string_view::npos) return std::nullopt;
    const auto number = port_number(name.substr(at + 5));
    std::string_view hub = name.substr(0, at);
    if (hub.starts_with("usb")) {
        hub.remove_prefix(3);
        if (!port_number(hub)) return std::nullopt;
    } else if (!is_path(hub)) {
        return std::nullopt;
    }
    if (!number) return std::nullopt;
    return UsbPort{.hub = std::string(hub), .number = *number};
}

bool is_below(std::string_view path, std::string_view hub) {
    return path.size() > hub.size() + 1 && path.starts_with(hub) && path[hub.size()] == (is_root(hub) ? '-' : '.');
}

std::vector<std::string> disks_of(const std::string& path, const std::vector<std::string>& block_devices) {
    std::vector<std::string> disks;
    for (const std::string& name : block_devices) {
        const std::string link = media::block_class + name;
        if (media::device_directory(link).find("/" + path + "/" + path + ":") != std::string::npos &&
            !media::exists(link + "/partition"))
            disks.push_back(name);
    }
    return disks;
}

} // namespace

std::string UsbPort::path() const {
    return fmt::format("{}{}{}", hub, is_root(hub) ? '-' : '.', number);
}

Result<UsbPort> usb_port(std::string_view path) {
    if (!is_path(path))
        return fail(Errc::bad_request, fmt::format("\"{}\" is not a USB path: give bus and ports, such as 1-1.4.2; "
                                                   "mediarig devices --json lists the path of each device",
                                                   path.substr(0, 40)));
    const std::size_t last = path.find_last_of("-.");
    return UsbPort{.hub = std::string(path.substr(0, last)), .number = *port_number(path.substr(last + 1))};
}

bool same_usb_device(const UsbDevice& one, const UsbDevice& other) {
    return one.vendor == other.vendor && one.product == other.product && one.serial == other.serial;
}

Result<std::vector<UsbPort>> halves_of(const UsbPort& port) {
    const std::string directory = port_directory(port);
    if (!media::exists(directory))
        return fail(Errc::bad_request, fmt::format("this machine has no USB port {} (port {} of hub {}): look for the "
                                                   "hub's path with lsusb -t",
                                                   port.path(), port.number, port.hub));
    std::vector<UsbPort> halves{port};
    const std::string peer = media::link_name(directory + "/peer");
    if (peer.empty()) return halves;
    auto other = port_of_directory(peer);
    if (!other)
        return fail(Errc::io_failed,
                    fmt::format("{}/peer leads to \"{}\", which is not a port of a hub", directory, peer));
    halves.push_back(std::move(*other));
    return halves;
}

Result<std::vector<UsbDevice>> usb_devices_below(const std::vector<std::string>& hubs) {
    const auto names = media::names_in(usb_devices);
    if (!names) return fail(names.error());
    const auto blocks = media::block_names();
    if (!blocks) return fail(blocks.error());
    std::vector<UsbDevice> devices;
    for (const std::string& name : names->value_or(std::vector<std::string>{})) {
        const bool below =
            is_path(name) && std::ranges::any_of(hubs, [&](const std::string& hub) { return is_below(name, hub); });
        if (!below) continue;
        const std::string at = fmt::format("{}/{}/", usb_devices, name);
        devices.push_back({.path = name,
                           .vendor = media::text_attribute(at + "idVendor"),
                           .product = media::text_attribute(at + "idProduct"),
                           .serial = media::text_attribute(at + "serial"),
                           .hub = media::text_attribute(at + "bDeviceClass") == "09",
                           .disks = disks_of(name, *blocks)});
    }
    std::ranges::sort(devices, {}, &UsbDevice::path);
    return devices;
}

bool is_at(const UsbDevice& device, const UsbPort& port) {
    const std::string path = port.path();
    return device.path == path || is_below(device.path, path);
}

} // namespace mediarig::rig
