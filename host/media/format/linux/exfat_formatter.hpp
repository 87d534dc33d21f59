// SPDX-License-Identifier: GPL-3.0-or-later
/// exFAT with exfatprogs (mkfs.exfat, fsck.exfat), on a whole medium or in a partition.
#pragma once

#include "host/media/format/format.hpp"
#include "host/media/format/linux/tool.hpp"

namespace mediarig::media {

/// Minimum size. mkfs.exfat 1.2.0 fails on smaller volumes: its two boundaries of 1 MiB leave no cluster.
inline constexpr Bytes smallest_exfat = 3_MiB;

/// Rejects values that mkfs.exfat would refuse, or would not apply but report as applied (1.2.0 prints an error for a
/// cluster size of 64 MiB, but exits with status 0). `start` is the volume's offset on the medium: mkfs.exfat counts
/// the boundary from the start of the medium on a kernel partition, but from the start of the volume through a loop
/// device; both must be possible. Fails with bad_request.
[[nodiscard]] Result<void> check_exfat_spec(const FormatSpec& spec, Bytes length, Bytes sector, Bytes start = {});

class ExfatFormatter : public Formatter {
public:
    explicit ExfatFormatter(ToolSetting setting = {}) : setting_(std::move(setting)) {}
    [[nodiscard]] bool handles(FileSystem fs) const override { return fs == FileSystem::exfat; }
    [[nodiscard]] std::vector<std::string> lacks() const override;
    [[nodiscard]] Result<void> prepare(const FormatSpec& spec, const FormatTarget& target) override;
    [[nodiscard]] Result<FormatReport> make(const FormatTarget& target, const FormatSpec& spec) override;
    /// Also reads the flags of the volume: fsck.exfat 1.2.0 reports a volume with VolumeDirty set as clean.
    [[nodiscard]] Result<CheckReport> check(const FormatTarget& target, FileSystem fs) override;

private:
    ToolSetting setting_;
};

} // namespace mediarig::media
