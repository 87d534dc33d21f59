// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/claim/linux/kernel/mount_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include <optional>

#include "host/media/claim/linux/kernel/sysfs.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::media {
namespace {

bool octal(char c) {
    return c >= '0' && c <= '7';
}

/// The kernel escapes space, tab, newline, backslash and '#' as \ooo.
std::string unescaped(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool escape =
            text[i] == '\\' && i + 3 < text.size() && octal(text[i + 1]) && octal(text[i + 2]) && octal(text[i + 3]);
        if (!escape) {
            out += text[i];
            continue;
        }
        out += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
        i += 3;
    }
    return out;
}

std::vector<std::string_view> fields(std::string_view line) {
    std::vector<std::string_view> parts;
    for (std::size_t at = 0; at < line.size();) {
        const auto start = line.find_first_not_of(" \t", at);
        if (start == std::string_view::npos) break;
        auto end = line.find_first_of(" \t", start);
        if (end == std::string_view::npos) end = line.size();
        parts.push_back(line.substr(start, end - start));
        at = end;
    }
    return parts;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    while (true) {
        const auto end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

std::vector<std::string_view> lines(std::string_view text) {
    std::vector<std::string_view> found;
    for (const std::string_view line : split(text, '\n')) {
        if (!line.empty()) found.push_back(line);
    }
    return found;
}

std::optional<MountEntry> mount_entry(std::string_view line) {
    // 36 35 98:0 /root /mount/point options [tag …] - type source super-options
    constexpr std::size_t first_tag = 6;
    const auto parts = fields(line);
    std::size_t separator = first_tag;
    while (separator < parts.size() && parts[separator] != "-") ++separator;
    if (separator + 3 > parts.size()) return std::nullopt;
    const auto number = device_number(parts[2]);
    std::uint64_t id = 0;
    const auto id_end = std::from_chars(parts[0].data(), parts[0].data() + parts[0].size(), id);
    if (!number || id_end.ptr != parts[0].data() + parts[0].size()) return std::nullopt;
    // An empty source omits the field; then the super options are in its place and the line ends early.
    const bool has_source = parts.size() > separator + 3;
    return MountEntry{.number = *number,
                      .mount_point = unescaped(parts[4]),
                      .file_system = unescaped(parts[separator + 1]),
                      .source = has_source ? unescaped(parts[separator + 2]) : std::string(),
                      .super_options = std::string(parts.back()),
                      .id = id,
                      .root = unescaped(parts[3]),
                      .options = std::string(parts[5])};
}

bool lies_below(std::string_view path, std::string_view directory) {
    if (directory == "/") return true;
    return path.starts_with(directory) && (path.size() == directory.size() || path[directory.size()] == '/');
}

} // namespace

Result<std::vector<MountEntry>> parse_mountinfo(std::string_view text) {
    std::vector<MountEntry> table;
    for (const std::string_view line : lines(text)) {
        auto entry = mount_entry(line);
        if (!entry) return fail(Errc::bad_format, fmt::format("not a line of mountinfo: '{}'", typeable(line)));
        table.push_back(std::move(*entry));
    }
    return table;
}

Result<std::vector<MountEntry>> mounts_of_this_thread() {
    const std::string path = "/proc/thread-self/mountinfo";
    const auto text = read_file_if_there(path);
    if (!text) return fail(text.error());
    if (!*text) return fail(Errc::io_failed, path + " is missing: is proc mounted?");
    return parse_mountinfo(**text);
}

Result<std::vector<SwapEntry>> parse_swaps(std::string_view text) {
    std::vector<SwapEntry> table;
    for (const std::string_view line : lines(text)) {
        const auto parts = fields(line);
        if (!parts.empty() && parts[0] == "Filename") continue;
        if (parts.size() < 2 || (parts[1] != "file" && parts[1] != "partition"))
            return fail(Errc::bad_format, fmt::format("not a line of /proc/swaps: '{}'", typeable(line)));
        table.push_back({.path = unescaped(parts[0]), .is_file = parts[1] == "file"});
    }
    return table;
}

std::vector<std::string> overlay_layers(std::string_view super_options) {
    std::vector<std::string> layers;
    for (const std::string_view option : split(super_options, ',')) {
        const auto equals = option.find('=');
        if (equals == std::string_view::npos) continue;
        const std::string_view key = option.substr(0, equals);
        if (key != "lowerdir" && key != "lowerdir+" && key != "datadir+" && key != "upperdir") continue;
        for (const std::string_view layer : split(option.substr(equals + 1), ':')) {
            if (!layer.empty()) layers.push_back(unescaped(layer));
        }
    }
    return layers;
}

std::string overlay_upper(std::string_view super_options) {
    constexpr std::string_view key = "upperdir=";
    for (const std::string_view option : split(super_options, ',')) {
        if (!option.starts_with(key)) continue;
        // Overlayfs puts a backslash before a comma, a colon or a backslash.
        std::string path;
        const std::string kept = unescaped(option.substr(key.size()));
        for (std::size_t i = 0; i < kept.size(); ++i)
            path += kept[i] == '\\' && i + 1 < kept.size() ? kept[++i] : kept[i];
        return path;
    }
    return {};
}

const MountEntry* mount_of(const std::vector<MountEntry>& table, std::string_view path) {
    const MountEntry* best = nullptr;
    for (const MountEntry& entry : table) {
        if (!lies_below(path, entry.mount_point)) continue;
        if (best == nullptr || entry.mount_point.size() >= best->mount_point.size()) best = &entry;
    }
    return best;
}

bool is_served(std::string_view file_system) {
    constexpr std::array<std::string_view, 17> types{"fuseblk", "nfs",      "nfs4",   "cifs",   "smb3",  "smbfs",
                                                     "9p",      "virtiofs", "ceph",   "afs",    "coda",  "ncpfs",
                                                     "lustre",  "pvfs2",    "vboxsf", "prl_fs", "autofs"};
    return file_system == "fuse" || file_system.starts_with("fuse.") ||
           std::ranges::find(types, file_system) != types.end();
}

bool crosses_served_mount(const std::vector<MountEntry>& table, std::string_view path) {
    return std::ranges::any_of(table, [&](const MountEntry& entry) {
        return is_served(entry.file_system) && lies_below(path, entry.mount_point);
    });
}

} // namespace mediarig::media
