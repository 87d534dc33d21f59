// SPDX-License-Identifier: GPL-3.0-or-later
/// FAT32, FAT16 and FAT12 through dosfstools (mkfs.fat, fsck.fat), on a whole medium or in a partition.
#pragma once

#include "host/media/format/format.hpp"
#include "host/media/format/linux/tool.hpp"

namespace mediarig::media {

/// What mkfs.fat would refuse halfway, or make something else of. Fails with bad_request.
[[nodiscard]] Result<void> check_fat_spec(const FormatSpec& spec, Bytes length, Bytes sector);

class FatFormatter : public Formatter {
public:
    explicit FatFormatter(ToolSetting setting = {}) : setting_(std::move(setting)) {}
    [[nodiscard]] bool handles(FileSystem fs) const override;
    [[nodiscard]] std::vector<std::string> lacks() const override;
    [[nodiscard]] Result<void> prepare(const FormatSpec& spec, const FormatTarget& target) override;
    [[nodiscard]] Result<FormatReport> make(const FormatTarget& target, const FormatSpec& spec) override;
    /// Any FAT volume, whichever of the three `fs` names; reads the flags itself as well.
    [[nodiscard]] Result<CheckReport> check(const FormatTarget& target, FileSystem fs) override;

private:
    ToolSetting setting_;
};

} // namespace mediarig::media
