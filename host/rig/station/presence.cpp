// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/rig/station/presence.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mediarig::rig {
namespace {

bool same_device(const media::Medium& one, const media::Medium& other) {
    return one.node == other.node && one.disk_sequence == other.disk_sequence && one.size == other.size &&
           one.sysfs_path == other.sysfs_path && one.serial == other.serial;
}

bool holds(const std::vector<media::Medium>& devices, const media::Medium& wanted) {
    return std::any_of(devices.begin(), devices.end(),
                       [&](const media::Medium& each) { return same_device(each, wanted); });
}

std::string nodes(const std::vector<media::Medium>& devices) {
    std::string text;
    for (const media::Medium& each : devices) text += (text.empty() ? "" : ", ") + each.node;
    return text;
}

std::string place_of(const media::Medium& medium) {
    return medium.usb ? medium.usb->port_path : "";
}

} // namespace

bool may_be_card(const media::Medium& device) {
    switch (device.transport) {
        case media::Transport::loop:
        case media::Transport::image:
        case media::Transport::zram:
        case media::Transport::other: // no device of a bus: device mapper, MD, network block devices
        case media::Transport::directory:
            return false;
        case media::Transport::unknown:
        case media::Transport::usb:
        case media::Transport::mmc:
        case media::Transport::nvme:
        case media::Transport::sata:
        case media::Transport::scsi:
        case media::Transport::virtio:
            break;
    }
    return device.size.count > 0;
}

Change between(const std::vector<media::Medium>& before, const std::vector<media::Medium>& after) {
    Change change;
    for (const media::Medium& each : after)
        if (may_be_card(each) && !holds(before, each)) change.appeared.push_back(each);
    for (const media::Medium& each : before)
        if (may_be_card(each) && !holds(after, each)) change.vanished.push_back(each);
    return change;
}

bool same_medium(const media::Medium& one, const media::Medium& other) {
    return one.size == other.size && one.serial == other.serial && one.vendor == other.vendor &&
           one.model == other.model && place_of(one) == place_of(other);
}

Result<media::Medium> appeared_alone(const Change& change, const std::string& place) {
    if (!change.vanished.empty())
        return fail(Errc::refused,
                    fmt::format("{} vanished while another port was switched on", nodes(change.vanished)));
    if (change.appeared.empty()) return fail(Errc::no_medium, "no block device appeared");
    if (change.appeared.size() > 1)
        return fail(Errc::refused,
                    fmt::format("{} appeared at the same time, but only one can be the card", nodes(change.appeared)));
    const media::Medium& medium = change.appeared.front();
    if (!place.empty() && place_of(medium) != place)
        return fail(Errc::refused, fmt::format("{} appeared at USB path '{}', but the port's reader is declared at "
                                               "'{}'",
                                               medium.node, place_of(medium), place));
    return medium;
}

Result<void> vanished_alone(const Change& change, const media::Medium& medium) {
    const bool going = std::any_of(change.appeared.begin(), change.appeared.end(),
                                   [&](const media::Medium& each) { return each.node == medium.node; });
    if (going)
        return fail(Errc::no_medium, fmt::format("{} is still present although its port has no voltage", medium.node));
    if (!change.appeared.empty())
        return fail(Errc::refused, fmt::format("{} appeared while a port was switched off", nodes(change.appeared)));
    if (change.vanished.empty())
        return fail(Errc::no_medium, fmt::format("{} is still present although its port has no voltage", medium.node));
    if (change.vanished.size() > 1 || !same_device(change.vanished.front(), medium))
        return fail(Errc::refused, fmt::format("{} vanished when the port of {} alone was switched off",
                                               nodes(change.vanished), medium.node));
    return {};
}

} // namespace mediarig::rig
