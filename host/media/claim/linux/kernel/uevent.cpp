// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/claim/linux/kernel/uevent.hpp"

#include <charconv>
#include <map>
#include <string>

#include "host/media/claim/linux/kernel/block_graph.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::media {
namespace {

std::map<std::string_view, std::string_view> properties_of(std::string_view message) {
    std::map<std::string_view, std::string_view> properties;
    while (!message.empty()) {
        const auto end = message.find('\0');
        const std::string_view field = message.substr(0, end);
        if (const auto equals = field.find('='); equals != std::string_view::npos)
            properties[field.substr(0, equals)] = field.substr(equals + 1);
        if (end == std::string_view::npos) break;
        message.remove_prefix(end + 1);
    }
    return properties;
}

std::uint32_t number(std::string_view text) {
    std::uint32_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

} // namespace

HotplugKind hotplug_kind_of(std::string_view action) {
    if (action == "add" || action == "online") return HotplugKind::added;
    if (action == "remove" || action == "offline") return HotplugKind::removed;
    return HotplugKind::changed;
}

std::optional<HotplugEvent> parse_uevent(std::string_view message) {
    auto properties = properties_of(message);
    if (properties["SUBSYSTEM"] != "block" || properties["DEVTYPE"] != "disk") return std::nullopt;
    if (properties["ACTION"].empty() || properties["DEVNAME"].empty() || properties["DEVPATH"].empty())
        return std::nullopt;
    return HotplugEvent{.kind = hotplug_kind_of(properties["ACTION"]),
                        .node = typeable(node_path(std::string(properties["DEVNAME"]))),
                        .number = {number(properties["MAJOR"]), number(properties["MINOR"])},
                        .sysfs_path = "/sys" + typeable(properties["DEVPATH"])};
}

} // namespace mediarig::media
