// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>
#include <bit>

#include "host/plan/sections.hpp"

namespace mediarig::plan {
namespace {

using media::FileSystem;

constexpr std::array file_systems{FileSystem::exfat,    FileSystem::apfs,           FileSystem::hfs_plus_journaled,
                                  FileSystem::hfs_plus, FileSystem::hfsx_journaled, FileSystem::fat32,
                                  FileSystem::fat16,    FileSystem::fat12};

/// Sets what `node` names: a file system, or "keep".
void read_file_system(const Node& node, FormatEntry& format) {
    std::vector<std::string_view> names;
    names.reserve(file_systems.size() + 1);
    for (const FileSystem fs : file_systems) names.push_back(media::name_of(fs));
    names.emplace_back("keep");
    const auto index = read_word(node, "file system", names);
    if (!index) return;
    format.keep = *index == file_systems.size();
    if (!format.keep) format.spec.fs = file_systems[*index];
}

std::optional<Bytes> read_cluster_size(const Node& node) {
    const auto size = read_size(node);
    if (size && (!std::has_single_bit(size->count) || *size < 512_B || *size > 32_MiB)) {
        node.must_be("a power of two from 512 bytes to 32 MiB");
        return std::nullopt;
    }
    return size;
}

FormatEntry read_format(const Node& node) {
    FormatEntry format;
    if (node.value->is_string()) {
        read_file_system(node, format);
        return format;
    }
    Members members(node);
    if (const auto fs = members.need("fs", "say which file system, for example \"exfat\""))
        read_file_system(*fs, format);
    take(members, "cluster_size", format.spec.cluster_size, read_cluster_size);
    take(members, "label", format.spec.label, [](const Node& text) { return read_line(text, longest_line); });
    if (const auto suites = members.find("suites")) format.suites = read_suites(*suites);
    members.refuse_unknown();
    if (format.keep && (format.spec.cluster_size || !format.spec.label.empty()))
        node.complain("\"keep\" formats nothing, so it takes neither \"cluster_size\" nor \"label\"");
    return format;
}

} // namespace

std::vector<FormatEntry> read_formats(const Node& node) {
    std::vector<FormatEntry> formats;
    if (const auto list = read_list(node, most_formats))
        for (const Node& entry : *list) formats.push_back(read_format(entry));
    return formats;
}

} // namespace mediarig::plan
