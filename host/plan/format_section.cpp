// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "host/plan/names.hpp"
#include "host/plan/sections.hpp"

namespace mediarig::plan {
namespace {

/// Applies the value of `node`: a file system, or kept_name.
void read_file_system(const Node& node, FormatEntry& format) {
    const std::vector<std::string> file_systems = media::file_system_names();
    std::vector<std::string_view> names(file_systems.begin(), file_systems.end());
    names.emplace_back(kept_name);
    // Also accepts the displayed name of a file system.
    if (const auto* word = node.value->get_ptr<const std::string*>())
        if (const auto fs = media::file_system_from(*word)) {
            format.spec.fs = *fs;
            return;
        }
    const auto index = read_word(node, "file system", names);
    if (!index) return;
    format.keep = *index == file_systems.size();
    if (!format.keep) format.spec.fs = *media::file_system_from(file_systems[*index]);
}

std::optional<Bytes> read_cluster_size(const Node& node) {
    const auto size = read_size(node);
    if (size && (!std::has_single_bit(size->count) || *size < 512_B || *size > 32_MiB)) {
        node.must_be("a power of two from 512 bytes to 32 MiB");
        return std::nullopt;
    }
    return size;
}

std::optional<Bytes> read_boundary(const Node& node) {
    const auto size = read_size(node);
    if (size && (!std::has_single_bit(size->count) || *size < 512_B || *size > 1_GiB)) {
        node.must_be("a power of two from 512 bytes to 1 GiB");
        return std::nullopt;
    }
    return size;
}

/// Reads a size that is a multiple of a sector, as all positions and sizes on a medium are.
std::optional<Bytes> read_sectors(const Node& node) {
    const auto size = read_size(node);
    if (size && size->count % 512 != 0) {
        node.must_be("a multiple of 512 bytes");
        return std::nullopt;
    }
    return size;
}

std::optional<media::PartitionSpec> read_partition(const Node& node) {
    static constexpr std::array<std::string_view, 2> tables{"mbr", "gpt"};
    Members members(node);
    if (!members.readable()) return std::nullopt;
    media::PartitionSpec partition;
    if (const auto table = members.need("table", "use \"mbr\" or \"gpt\""))
        if (const auto known = read_word(*table, "partition table", tables))
            partition.table = *known == 0 ? media::TableScheme::mbr : media::TableScheme::gpt;
    take(members, "start", partition.start, read_sectors);
    take(members, "length", partition.length, read_sectors);
    members.refuse_unknown();
    return partition;
}

/// Reads the name of a format. The name is part of keys of steps and passes, and must differ from the names of unnamed
/// formats.
std::optional<std::string> read_format_name(const Node& node) {
    constexpr std::size_t longest = 40;
    static constexpr std::array<std::string_view, 7> taken{raw_name,  directory_name, kept_name, "sd",
                                                           "windows", "macos",        "linux"};
    auto name = read_line(node, longest);
    if (!name) return std::nullopt;
    const auto is_letter = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    };
    const bool allowed = is_letter(name->front()) && std::ranges::all_of(*name, [&](char c) {
                             return is_letter(c) || c == '-' || c == '_' || c == '+';
                         });
    if (!allowed) {
        node.must_be("letters, digits, \"-\", \"_\" and \"+\", beginning with a letter or digit");
        return std::nullopt;
    }
    if (std::ranges::find(taken, *name) != taken.end() || media::file_system_from(*name)) {
        node.complain("is already the name of another format; choose another name");
        return std::nullopt;
    }
    return name;
}

/// Reads a file system, a profile, or both.
void read_what(Members& members, FormatEntry& format) {
    static constexpr std::array profiles{media::FormatProfile::sd, media::FormatProfile::windows,
                                         media::FormatProfile::macos, media::FormatProfile::linux};
    const auto profile = members.find("profile");
    if (profile) {
        std::vector<std::string_view> names;
        for (const media::FormatProfile each : profiles) names.push_back(media::name_of(each));
        if (const auto index = read_word(*profile, "format profile", names)) format.profile = profiles[*index];
    }
    const auto fs = profile ? members.find("fs")
                            : members.need("fs", "name the file system, for example \"exfat\", or a \"profile\"");
    if (!fs) return;
    read_file_system(*fs, format);
    if (profile && format.keep)
        profile->complain("cannot be combined with \"keep\", which formats nothing; keep one of them");
    if (profile && !format.keep) format.wanted = std::exchange(format.spec.fs, {});
}

} // namespace

FormatEntry read_format(const Node& node) {
    FormatEntry format;
    if (node.value->is_string()) {
        read_file_system(node, format);
        return format;
    }
    Members members(node);
    read_what(members, format);
    take(members, "name", format.name, read_format_name);
    take(members, "cluster_size", format.spec.cluster_size, read_cluster_size);
    take(members, "label", format.spec.label, [](const Node& text) { return read_line(text, longest_line); });
    take(members, "journal_size", format.spec.journal_size, read_sectors);
    take(members, "boundary", format.spec.boundary, read_boundary);
    take(members, "fat_length", format.spec.fat_length, read_sectors);
    take(members, "reserved_sectors", format.spec.reserved_sectors, [](const Node& count) {
        const auto sectors = read_count(count, {1, 0xFFFF});
        return sectors ? std::optional(static_cast<std::uint32_t>(*sectors)) : std::nullopt;
    });
    take(members, "partition", format.spec.partition, read_partition);
    if (const auto suites = members.find("suites")) format.suites = read_suites(*suites);
    members.refuse_unknown();
    if (format.keep && (format.spec.cluster_size || !format.spec.label.empty()))
        node.complain("\"keep\" formats nothing, so it takes neither \"cluster_size\" nor \"label\"");
    else if (format.keep && format.spec != media::FormatSpec{})
        node.complain("\"keep\" formats nothing, so it takes no parameters of a format");
    return format;
}

std::vector<FormatEntry> read_formats(const Node& node) {
    std::vector<FormatEntry> formats;
    if (const auto list = read_list(node, most_formats))
        for (const Node& entry : *list) formats.push_back(read_format(entry));
    return formats;
}

} // namespace mediarig::plan
