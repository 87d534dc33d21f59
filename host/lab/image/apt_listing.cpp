// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/image/apt_listing.hpp"

#include <algorithm>
#include <sstream>

namespace mediarig::lab {
namespace {

std::vector<std::string> fields_of(const std::string& line) {
    std::vector<std::string> fields;
    std::istringstream rest(line);
    for (std::string field; std::getline(rest, field, '|');) {
        const std::size_t first = field.find_first_not_of(" \t");
        fields.push_back(first == std::string::npos ? std::string()
                                                    : field.substr(first, field.find_last_not_of(" \t") - first + 1));
    }
    return fields;
}

std::string without_slash(std::string uri) {
    while (uri.ends_with('/')) uri.pop_back();
    return uri;
}

/// The origin is known only after the lists were fetched; before that, use the address.
bool is_debian(const std::string& origin, const std::string& uri) {
    return origin == "Debian" || uri.ends_with("/debian") || uri.ends_with("/debian-security");
}

} // namespace

std::vector<Candidate> parse_madison(std::string_view said) {
    std::vector<Candidate> found;
    std::istringstream lines{std::string(said)};
    for (std::string line; std::getline(lines, line);) {
        const auto fields = fields_of(line);
        if (fields.size() != 3) continue;
        std::istringstream words(fields[2]);
        std::string uri, place, architecture, kind;
        if (!(words >> uri >> place >> architecture >> kind) || kind != "Packages") continue;
        found.push_back({fields[0], fields[1], place.substr(0, place.find('/'))});
    }
    return found;
}

std::optional<Candidate> first_of(const std::vector<Candidate>& all, std::string_view name,
                                  const std::vector<std::string_view>& suites, std::string_view version) {
    const auto fits = [&](const Candidate& one) {
        return one.name == name && (version.empty() || one.version == version) &&
               (suites.empty() || std::find(suites.begin(), suites.end(), one.suite) != suites.end());
    };
    const auto found = std::find_if(all.begin(), all.end(), fits);
    return found == all.end() ? std::nullopt : std::optional(*found);
}

std::optional<std::string> kernel_abi_in(std::string_view package_record) {
    constexpr std::string_view prefix = "linux-image-";
    std::istringstream lines{std::string(package_record)};
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("Depends:")) continue;
        const std::size_t start = line.find(prefix);
        if (start == std::string::npos) continue;
        const std::size_t abi = start + prefix.size();
        const std::size_t end = line.find_first_of(" ,", abi);
        if (const std::string found = line.substr(abi, end - abi); !found.empty()) return found;
    }
    return std::nullopt;
}

Mirrors mirrors_at(std::string_view main) {
    const std::string uri = without_slash(std::string(main));
    return {uri, uri + "-security"};
}

Mirrors mirrors_in(std::string_view index_targets) {
    Mirrors found;
    std::istringstream lines{std::string(index_targets)};
    for (std::string line; std::getline(lines, line);) {
        const auto fields = fields_of(line);
        if (fields.size() != 3) continue;
        const std::string uri = without_slash(fields[2]);
        if (!is_debian(fields[0], uri)) continue;
        const bool security = uri.find("security") != std::string::npos || fields[1].ends_with("-security");
        std::string& place = security ? found.security : found.main;
        if (place.empty()) place = uri;
    }
    if (found.main.empty()) return {};
    const Mirrors usual = mirrors_at(found.main);
    return {usual.main, found.security.empty() ? usual.security : found.security};
}

} // namespace mediarig::lab
