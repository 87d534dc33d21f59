// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/gui/models/replug.hpp"

#include <algorithm>
#include <utility>

namespace mediarig::gui {
namespace {

/// Compares the identity, but not the place and time of the attachment.
bool is_same(const AttachedMedium& one, const AttachedMedium& other) {
    return media::device_key(one.medium) == media::device_key(other.medium) && one.medium.size == other.medium.size &&
           media::confirmation_of(one.medium) == media::confirmation_of(other.medium);
}

/// True if `other` is in the port or slot of the removed medium; media elsewhere are ignored.
bool is_in_place_of(const AttachedMedium& one, const AttachedMedium& other) {
    const auto& port = one.medium.usb;
    return one.medium.number == other.medium.number ||
           (port && other.medium.usb && !port->port_path.empty() && port->port_path == other.medium.usb->port_path);
}

} // namespace

Replug::State Replug::look(std::vector<AttachedMedium> now) {
    if (state_ == State::another) return state_;
    // If a card is removed, the slot of its reader stays listed with size 0.
    std::erase_if(now, [](const AttachedMedium& each) { return each.medium.size == 0_B; });
    const bool first = !std::exchange(looked_, true);
    const std::string presence = media::presence_of(medium_.medium);
    const auto is_it = [&](const AttachedMedium& each) {
        // The first list may be newer than the list from which the user chose.
        return first ? is_same(each, medium_) : media::presence_of(each.medium) == presence;
    };
    if (first)
        for (const AttachedMedium& each : now) beside_.push_back(media::presence_of(each.medium));
    if (const auto found = std::ranges::find_if(now, is_it); found != now.end()) {
        if (!is_same(*found, medium_)) {
            other_ = *found;
            return state_ = State::another;
        }
        medium_ = *found;
        if (state_ == State::pulled) state_ = State::there;
        return state_;
    }
    state_ = State::pulled;
    for (const AttachedMedium& each : now) {
        if (std::ranges::find(beside_, media::presence_of(each.medium)) != beside_.end()) continue;
        if (is_same(each, medium_)) {
            medium_ = each;
            return state_ = State::back;
        }
        if (!is_in_place_of(each, medium_)) continue;
        other_ = each;
        state_ = State::another;
    }
    return state_;
}

} // namespace mediarig::gui
