// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/claim/linux/kernel/attachment.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>

namespace mediarig::media {
namespace {

bool is_digit(char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// "0000:00:14.0"
bool is_pci_function(std::string_view name) {
    constexpr std::string_view shape = "xxxx:xx:xx.x";
    if (name.size() != shape.size()) return false;
    for (std::size_t i = 0; i < shape.size(); ++i)
        if (shape[i] == 'x' ? std::isxdigit(static_cast<unsigned char>(name[i])) == 0 : name[i] != shape[i])
            return false;
    return true;
}

/// "2-1.4"; a root hub is "usb2", an interface "2-1.4:1.0".
bool is_usb_device(std::string_view name) {
    return !name.empty() && is_digit(name.front()) && is_digit(name.back()) && std::ranges::count(name, '-') == 1 &&
           std::ranges::all_of(name, [](char c) { return is_digit(c) || c == '-' || c == '.'; });
}

} // namespace

std::vector<std::string> uplinks_of(std::string_view sysfs_path) {
    std::string_view controller;
    std::vector<std::string> usb; // the last one is the reader, bridge or stick that contains the medium
    for (std::size_t from = 0; from < sysfs_path.size();) {
        const std::size_t end = std::min(sysfs_path.find('/', from), sysfs_path.size());
        const std::string_view name = sysfs_path.substr(from, end - from);
        if (is_pci_function(name)) {
            controller = sysfs_path.substr(0, end);
            usb.clear();
        } else if (is_usb_device(name)) {
            usb.emplace_back(sysfs_path.substr(0, end));
        }
        from = end + 1;
    }
    if (controller.empty()) return {};
    std::vector<std::string> found{std::string(controller)};
    if (!usb.empty()) found.insert(found.end(), usb.begin(), std::prev(usb.end()));
    return found;
}

std::optional<std::uint64_t> lun_of(std::string_view sysfs_path) {
    const std::string_view device = sysfs_path.substr(0, sysfs_path.rfind("/block/"));
    const std::string_view address = device.substr(device.rfind('/') + 1);
    if (device.size() == sysfs_path.size() || std::ranges::count(address, ':') != 3) return std::nullopt;
    const std::string_view number = address.substr(address.rfind(':') + 1);
    std::uint64_t lun = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), lun);
    return error == std::errc() && end == number.data() + number.size() ? std::optional(lun) : std::nullopt;
}

} // namespace mediarig::media
