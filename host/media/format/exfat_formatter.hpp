// SPDX-License-Identifier: GPL-3.0-or-later
/// exFAT through exfatprogs (mkfs.exfat, fsck.exfat), on the whole medium, without a partition table.
#pragma once

#include "host/media/format/format.hpp"
#include "host/media/format/tool.hpp"

namespace mediarig::media {

/// Smaller ones make mkfs.exfat 1.2.0 fail: its two boundaries of 1 MiB leave no cluster.
inline constexpr Bytes smallest_exfat = 3_MiB;

/// What mkfs.exfat would refuse or, worse, accept and report as done (1.2.0 answers a cluster size of 64 MiB with a
/// failure and exit status 0). Fails with bad_request.
[[nodiscard]] Result<void> check_exfat_spec(const FormatSpec& spec, Bytes medium, Bytes sector);

class ExfatFormatter : public Formatter {
public:
    explicit ExfatFormatter(ToolSetting setting = {}) : setting_(std::move(setting)) {}
    [[nodiscard]] bool handles(FileSystem fs) const override { return fs == FileSystem::exfat; }
    [[nodiscard]] Result<FormatReport> format(ErasableMedium& medium, Discovery& discovery,
                                              const FormatSpec& spec) override;
    /// Reads the flags itself as well: fsck.exfat 1.2.0 calls a volume clean that has VolumeDirty set.
    [[nodiscard]] Result<CheckReport> check(const ErasableMedium& medium, FileSystem fs) override;

private:
    ToolSetting setting_;
};

} // namespace mediarig::media
