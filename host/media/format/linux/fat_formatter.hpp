// SPDX-License-Identifier: GPL-3.0-or-later
/// FAT32, FAT16 and FAT12 with dosfstools (mkfs.fat, fsck.fat), on a whole medium or in a partition.
#pragma once

#include "host/media/format/format.hpp"
#include "host/media/format/linux/tool.hpp"

namespace mediarig::media {

/// Rejects values that mkfs.fat would refuse after its start or would change. Fails with bad_request.
[[nodiscard]] Result<void> check_fat_spec(const FormatSpec& spec, Bytes length, Bytes sector);

class FatFormatter : public Formatter {
public:
    explicit FatFormatter(ToolSetting setting = {}) : setting_(std::move(setting)) {}
    [[nodiscard]] bool handles(FileSystem fs) const override;
    [[nodiscard]] std::vector<std::string> lacks() const override;
    [[nodiscard]] Result<void> prepare(const FormatSpec& spec, const FormatTarget& target) override;
    [[nodiscard]] Result<FormatReport> make(const FormatTarget& target, const FormatSpec& spec) override;
    /// Checks any FAT volume, regardless of the FAT width in `fs`; also reads the flags of the volume.
    [[nodiscard]] Result<CheckReport> check(const FormatTarget& target, FileSystem fs) override;

private:
    ToolSetting setting_;
};

} // namespace mediarig::media
