// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/rig/power/hub/controllers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "host/media/claim/linux/kernel/attachment.hpp"
#include "host/media/claim/linux/kernel/sysfs.hpp"

namespace mediarig::rig {
namespace {

constexpr const char* devices_of_usb = "/sys/bus/usb/devices";

std::optional<unsigned> parsed_number(std::string_view text, int base) {
    unsigned number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
    if (error != std::errc() || end == text.data()) return std::nullopt;
    return number;
}

/// "HCSPARAMS1 = 0x20000840": the lowest byte.
std::optional<unsigned> most_devices_of(const std::string& controller) {
    const auto registers =
        media::read_file_if_there("/sys/kernel/debug/usb/xhci/" + media::base_name(controller) + "/reg-cap");
    if (!registers || !*registers) return std::nullopt;
    constexpr std::string_view name = "HCSPARAMS1 = 0x";
    const std::size_t at = (*registers)->find(name);
    if (at == std::string::npos) return std::nullopt;
    const auto value = parsed_number(std::string_view(**registers).substr(at + name.size()), 16);
    return value && (*value & 0xFF) != 0 ? std::optional(*value & 0xFF) : std::nullopt;
}

std::string controller_at(const std::string& name) {
    const auto uplinks = media::uplinks_of(media::device_directory(fmt::format("{}/{}", devices_of_usb, name)));
    return uplinks.empty() ? std::string() : uplinks.front();
}

unsigned left(unsigned most, unsigned used) {
    const auto given_out = static_cast<unsigned>(filled_part * most);
    return given_out > used ? given_out - used : 0;
}

} // namespace

Result<std::vector<UsbController>> usb_controllers() {
    const auto names = media::names_in(devices_of_usb);
    if (!names) return fail(names.error());
    std::map<std::string, UsbController> found;
    for (const std::string& name : names->value_or(std::vector<std::string>{})) {
        const std::string place = controller_at(name);
        if (place.empty()) continue;
        UsbController& controller = found[place];
        if (name.starts_with("usb")) continue; // the controller's own hub
        if (name.find(':') == std::string::npos) {
            ++controller.devices;
            ++controller.endpoints;
        } else if (!name.ends_with("-0:1.0")) {
            const std::string count = media::text_attribute(fmt::format("{}/{}/bNumEndpoints", devices_of_usb, name));
            controller.endpoints += parsed_number(count, 16).value_or(0);
        }
    }
    std::vector<UsbController> controllers;
    for (auto& [place, controller] : found) {
        controller.place = place;
        controller.most_devices = most_devices_of(place);
        controllers.push_back(std::move(controller));
    }
    return controllers;
}

std::string controller_of(std::string_view path) {
    const std::size_t dash = path.find('-');
    return dash == std::string_view::npos ? std::string() : controller_at("usb" + std::string(path.substr(0, dash)));
}

unsigned free_reader_count(const UsbController& controller) {
    const unsigned by_endpoints = left(usual_endpoints, controller.endpoints) / endpoints_of_reader;
    return controller.most_devices ? std::min(by_endpoints, left(*controller.most_devices, controller.devices))
                                   : by_endpoints;
}

Result<void> check_free_space(const std::vector<std::string>& paths, std::size_t at_once) {
    std::map<std::string, std::size_t> to_come;
    for (const std::string& path : paths) {
        const std::string controller = controller_of(path);
        if (controller.empty() || media::exists(fmt::format("{}/{}", devices_of_usb, path))) continue;
        ++to_come[controller];
    }
    const auto controllers = usb_controllers();
    if (!controllers) return fail(controllers.error());
    for (const UsbController& each : *controllers) {
        const std::size_t more = std::min(to_come[each.place], at_once);
        const unsigned free_space = free_reader_count(each);
        if (more <= free_space) continue;
        return fail(
            Errc::bad_request,
            fmt::format("{} has {} devices with {} endpoints already, and {} more readers do not fit: use --lanes "
                        "{}, or plug readers into another controller (mediarig rig uplinks)",
                        each.place, each.devices, each.endpoints, more, std::max(free_space, 1U)));
    }
    return {};
}

} // namespace mediarig::rig
