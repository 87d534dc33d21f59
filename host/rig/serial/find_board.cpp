// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/rig/serial/find_board.hpp"

#include <fmt/format.h>
#include <libudev.h>
#include <strings.h>

#include <algorithm>
#include <memory>

#include "common/rigproto/usb_identity.hpp"

namespace mediarig::rig {
namespace {

struct Unref {
    void operator()(udev* context) const { udev_unref(context); }
    void operator()(udev_enumerate* list) const { udev_enumerate_unref(list); }
    void operator()(udev_device* device) const { udev_device_unref(device); }
};
template <class T>
using Owned = std::unique_ptr<T, Unref>;

std::string text(const char* value) {
    return value == nullptr ? std::string{} : std::string{value};
}

bool same_serial(std::string_view left, std::string_view right) {
    return left.size() == right.size() && ::strncasecmp(left.data(), right.data(), left.size()) == 0;
}

} // namespace

Result<std::vector<FoundBoard>> find_boards() {
    const Owned<udev> context(udev_new());
    if (!context) return fail(Errc::io_failed, "udev does not answer: name the board's line with --rig PATH");
    const Owned<udev_enumerate> list(udev_enumerate_new(context.get()));
    udev_enumerate_add_match_subsystem(list.get(), "tty");
    udev_enumerate_scan_devices(list.get());
    std::vector<FoundBoard> boards;
    for (auto* entry = udev_enumerate_get_list_entry(list.get()); entry != nullptr;
         entry = udev_list_entry_get_next(entry)) {
        const Owned<udev_device> tty(udev_device_new_from_syspath(context.get(), udev_list_entry_get_name(entry)));
        if (!tty) continue; // unplugged in the meantime
        // Owned by `tty`: do not unref.
        udev_device* usb = udev_device_get_parent_with_subsystem_devtype(tty.get(), "usb", "usb_device");
        if (usb == nullptr) continue;
        const auto says = [usb](const char* name) { return text(udev_device_get_sysattr_value(usb, name)); };
        if (says("idVendor") != fmt::format("{:04x}", rigproto::usb_vendor) ||
            says("idProduct") != fmt::format("{:04x}", rigproto::usb_product) ||
            says("product") != rigproto::usb_product_name)
            continue;
        const auto path = text(udev_device_get_devnode(tty.get()));
        if (!path.empty()) boards.push_back({path, says("serial"), text(udev_device_get_sysname(usb))});
    }
    std::sort(boards.begin(), boards.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
    return boards;
}

Result<FoundBoard> choose_board(const std::vector<FoundBoard>& boards, std::string_view serial) {
    std::string names;
    for (const FoundBoard& board : boards) {
        if (!serial.empty() && same_serial(board.serial, serial)) return board;
        names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", board.path,
                             board.serial.empty() ? "no serial" : board.serial);
    }
    if (boards.empty())
        return fail(Errc::rig_fault,
                    "no rig was found on USB: plug the board in, name its serial line with --rig PATH, or try the "
                    "simulated one with --rig sim");
    if (!serial.empty())
        return fail(Errc::rig_fault, fmt::format("the rig's board {} is not on USB; found: {}", serial, names));
    if (boards.size() > 1)
        return fail(Errc::rig_fault, fmt::format("{} rigs were found on USB; name one of them with --rig PATH: {}",
                                                 boards.size(), names));
    return boards.front();
}

Result<std::string> line_of_board(std::string_view serial) {
    const auto boards = find_boards();
    if (!boards) return fail(boards.error());
    const auto chosen = choose_board(*boards, serial);
    if (!chosen) return fail(chosen.error());
    return chosen->path;
}

} // namespace mediarig::rig
