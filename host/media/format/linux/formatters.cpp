// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/format/linux/formatters.hpp"

#include <fmt/format.h>

#include "host/media/format/linux/apfs_formatter.hpp"
#include "host/media/format/linux/exfat_formatter.hpp"
#include "host/media/format/linux/fat_formatter.hpp"
#include "host/media/format/linux/hfsplus_formatter.hpp"

namespace mediarig::media {

Formatters make_formatters(const ToolSetting& setting) {
    Formatters formatters;
    formatters.push_back(std::make_unique<ExfatFormatter>(setting));
    formatters.push_back(std::make_unique<FatFormatter>(setting));
    formatters.push_back(std::make_unique<ApfsFormatter>(setting));
    formatters.push_back(std::make_unique<HfsPlusFormatter>(setting.cancel));
    return formatters;
}

Result<Formatter*> select_formatter(const Formatters& formatters, FileSystem fs) {
    for (const auto& formatter : formatters)
        if (formatter->handles(fs)) return formatter.get();
    return fail(Errc::no_driver,
                fmt::format("formatting {} is not available in this build: choose another file system", title_of(fs)));
}

} // namespace mediarig::media
