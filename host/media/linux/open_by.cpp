// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/linux/open_by.hpp"

#include <fmt/format.h>

#include "host/media/linux/block_graph.hpp"
#include "host/media/linux/sysfs.hpp"

namespace mediarig::media {
namespace {

bool has_open(const std::string& process, DeviceNumber device) {
    const std::string folder = process + "/fd/";
    const auto descriptors = names_in(folder);
    // Processes of others are closed to us, and processes end while we look.
    if (!descriptors || !*descriptors) return false;
    for (const std::string& name : **descriptors) {
        if (number_of_node(folder + name) == device) return true;
    }
    return false;
}

} // namespace

std::string open_by(DeviceNumber device, pid_t except) {
    constexpr int most = 3;
    std::string who;
    int count = 0;
    const auto processes = names_in("/proc");
    if (!processes || !*processes) return who;
    for (const std::string& name : **processes) {
        const bool number = name.find_first_not_of("0123456789") == std::string::npos;
        if (!number || name == std::to_string(except) || !has_open("/proc/" + name, device)) continue;
        if (++count > most) return who + ", and others";
        who +=
            fmt::format("{}process {} ({})", who.empty() ? "" : ", ", name, text_attribute("/proc/" + name + "/comm"));
    }
    return who;
}

} // namespace mediarig::media
