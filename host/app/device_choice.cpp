// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/app/device_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "host/media/identity/confirmation.hpp"

namespace mediarig::app {
namespace {

/// Maximum number of devices in an error message.
constexpr std::size_t most_listed = 8;

std::string title_of(const DeviceWords& device) {
    std::string details;
    const auto add = [&](std::string_view property, const std::string& value) {
        if (!value.empty()) details += fmt::format("{}{} {}", details.empty() ? "" : ", ", property, value);
    };
    add("label", device.label);
    if (device.nickname != device.label) add("nickname", device.nickname);
    add("serial", device.serial);
    return details.empty() ? device.name : fmt::format("{} ({})", device.name, details);
}

std::string list_of(const std::vector<DeviceWords>& devices, const std::vector<std::size_t>& chosen) {
    std::string text;
    for (std::size_t i = 0; i < std::min(chosen.size(), most_listed); ++i)
        text += (i == 0 ? "" : ", ") + title_of(devices[chosen[i]]);
    return chosen.size() > most_listed ? fmt::format("{} and {} more", text, chosen.size() - most_listed) : text;
}

bool is_word(const std::string& property, std::string_view word) {
    return !property.empty() && property == word;
}

} // namespace

DeviceWords words_of(const store::ListedDevice& device) {
    return {.key = device.key, .name = device.name, .serial = device.serial, .label = {}, .nickname = device.nickname};
}

DeviceWords words_of(const store::DeviceRecord& device, const std::string& nickname) {
    return {.key = device.key,
            .name = device.name,
            .serial = device.identity.serial,
            .label = device.label,
            .nickname = nickname};
}

bool is_called(const DeviceWords& device, std::string_view word) {
    return std::ranges::any_of(std::initializer_list<const std::string*>{&device.key, &device.name, &device.serial,
                                                                         &device.label, &device.nickname},
                               [&](const std::string* each) { return is_word(*each, word); });
}

Result<std::size_t> choose_device(const std::vector<DeviceWords>& devices, const std::string& word,
                                  const std::string& campaign) {
    const std::function<bool(const DeviceWords&)> ways[] = {
        [&](const DeviceWords& device) { return is_word(device.key, word); },
        [&](const DeviceWords& device) { return is_word(device.name, word); },
        [&](const DeviceWords& device) { return is_called(device, word); },
        [&](const DeviceWords& device) { return media::confirms(word, device.serial); }};
    for (const auto& matches : ways) {
        std::vector<std::size_t> found;
        for (std::size_t i = 0; i < devices.size(); ++i)
            if (matches(devices[i])) found.push_back(i);
        if (found.size() == 1) return found.front();
        if (found.size() > 1)
            return fail(Errc::bad_request, fmt::format("'{}' matches {} devices of campaign {}: {}; name one of them",
                                                       word, found.size(), campaign, list_of(devices, found)));
    }
    std::vector<std::size_t> all(devices.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    return fail(Errc::bad_request,
                fmt::format("campaign {} has no device '{}'; {}", campaign, word,
                            all.empty() ? "it has no devices yet" : "its devices are " + list_of(devices, all)));
}

} // namespace mediarig::app
