// SPDX-License-Identifier: GPL-3.0-or-later
/// exFAT through exfatprogs (mkfs.exfat, fsck.exfat), on a whole medium or in a partition.
#pragma once

#include "host/media/format/format.hpp"
#include "host/media/format/linux/tool.hpp"

namespace mediarig::media {

/// Smaller ones make mkfs.exfat 1.2.0 fail: its two boundaries of 1 MiB leave no cluster.
inline constexpr Bytes smallest_exfat = 3_MiB;

/// What mkfs.exfat would refuse or, worse, accept and report as done (1.2.0 answers a cluster size of 64 MiB with a
/// failure and exit status 0). `start` is the volume's on the medium: mkfs.exfat counts the boundary from the start of
/// the medium on a partition of the kernel, and from that of the volume through a loop device; both have to be
/// possible. Fails with bad_request.
[[nodiscard]] Result<void> check_exfat_spec(const FormatSpec& spec, Bytes length, Bytes sector, Bytes start = {});

class ExfatFormatter : public Formatter {
public:
    explicit ExfatFormatter(ToolSetting setting = {}) : setting_(std::move(setting)) {}
    [[nodiscard]] bool handles(FileSystem fs) const override { return fs == FileSystem::exfat; }
    [[nodiscard]] std::vector<std::string> lacks() const override;
    [[nodiscard]] Result<void> prepare(const FormatSpec& spec, const FormatTarget& target) override;
    [[nodiscard]] Result<FormatReport> make(const FormatTarget& target, const FormatSpec& spec) override;
    /// Reads the flags itself as well: fsck.exfat 1.2.0 calls a volume clean that has VolumeDirty set.
    [[nodiscard]] Result<CheckReport> check(const FormatTarget& target, FileSystem fs) override;

private:
    ToolSetting setting_;
};

} // namespace mediarig::media
