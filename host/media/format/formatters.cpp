// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/format/formatters.hpp"

#include <fmt/format.h>

#include "host/media/format/apfs_formatter.hpp"
#include "host/media/format/exfat_formatter.hpp"
#include "host/media/format/hfsplus_formatter.hpp"

namespace mediarig::media {
namespace {

std::string_view what_helps(FileSystem fs) {
    switch (fs) {
        case FileSystem::fat32:
        case FileSystem::fat16:
        case FileSystem::fat12:
            return "format the medium with mkfs.fat from dosfstools, or choose exfat";
        case FileSystem::exfat:
        case FileSystem::apfs:
        case FileSystem::hfs_plus_journaled:
        case FileSystem::hfs_plus:
        case FileSystem::hfsx_journaled:
            break;
    }
    return "choose another file system";
}

} // namespace

Formatters make_formatters(const ToolSetting& setting) {
    Formatters formatters;
    formatters.push_back(std::make_unique<ExfatFormatter>(setting));
    formatters.push_back(std::make_unique<ApfsFormatter>(setting));
    formatters.push_back(std::make_unique<HfsPlusFormatter>(setting.cancel));
    return formatters;
}

Result<Formatter*> select_formatter(const Formatters& formatters, FileSystem fs) {
    for (const auto& formatter : formatters)
        if (formatter->handles(fs)) return formatter.get();
    return fail(Errc::no_driver,
                fmt::format("formatting {} is not available in this build: {}", title_of(fs), what_helps(fs)));
}

} // namespace mediarig::media
