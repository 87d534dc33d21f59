// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/mount/linux/holders.hpp"

#include <dirent.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <memory>
#include <string_view>
#include <vector>

namespace mediarig::media {
namespace {

constexpr std::size_t most_named = 5;

std::vector<std::string> entries_of(const std::string& folder) {
    std::vector<std::string> names;
    const std::unique_ptr<DIR, int (*)(DIR*)> listing(::opendir(folder.c_str()), &::closedir);
    if (!listing) return names;
    while (const dirent* entry = ::readdir(listing.get()))
        if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
    return names;
}

bool leads_below(const std::string& link, std::string_view path) {
    std::array<char, 4096> target{};
    const ssize_t length = ::readlink(link.c_str(), target.data(), target.size());
    if (length <= 0) return false;
    const std::string_view there(target.data(), static_cast<std::size_t>(length));
    return there.starts_with(path) && (there.size() == path.size() || there[path.size()] == '/');
}

bool holds(const std::string& process, const std::string& path) {
    if (leads_below(process + "/cwd", path) || leads_below(process + "/root", path)) return true;
    const auto files = entries_of(process + "/fd");
    return std::any_of(files.begin(), files.end(),
                       [&](const std::string& file) { return leads_below(process + "/fd/" + file, path); });
}

} // namespace

std::string holders_of(const std::string& path) {
    std::vector<std::string> named;
    for (const std::string& name : entries_of("/proc")) {
        if (name.find_first_not_of("0123456789") != std::string::npos || named.size() == most_named) continue;
        if (!holds("/proc/" + name, path)) continue;
        std::string command;
        std::ifstream comm("/proc/" + name + "/comm");
        std::getline(comm, command);
        named.push_back(fmt::format("process {} ({})", name, command));
    }
    return named.empty() ? "an unknown process" : fmt::format("{}", fmt::join(named, ", "));
}

} // namespace mediarig::media
