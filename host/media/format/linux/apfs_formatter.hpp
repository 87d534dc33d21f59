// SPDX-License-Identifier: GPL-3.0-or-later
/// APFS with apfsprogs (mkapfs, apfsck), on a whole medium or in a partition, with one volume. The authors of mkapfs
/// call it experimental.
#pragma once

#include "host/media/format/format.hpp"
#include "host/media/format/linux/tool.hpp"

namespace mediarig::media {

/// Minimum size: mkapfs reports for a smaller medium that "small containers are not supported".
inline constexpr Bytes smallest_apfs = 128_MiB;
/// Maximum size. mkapfs 0.1 gives the space manager's internal pool a bitmap of one block, 32768 bits. A pool for more
/// than 86 chunk info blocks of 126 chunks of 128 MiB does not fit, and apfsck then reports a bad bitmap. Measured with
/// 0+git20230206: a container of 1387008 MiB passes, one of 1387009 MiB fails.
inline constexpr Bytes largest_apfs_of_mkapfs_0_1 = 1387008_MiB;

/// Checks the options for APFS. Fails with bad_request.
[[nodiscard]] Result<void> check_apfs_spec(const FormatSpec& spec, Bytes medium, const std::string& tool_version);

class ApfsFormatter : public Formatter {
public:
    explicit ApfsFormatter(ToolSetting setting = {}) : setting_(std::move(setting)) {}
    [[nodiscard]] bool handles(FileSystem fs) const override { return fs == FileSystem::apfs; }
    [[nodiscard]] std::vector<std::string> lacks() const override;
    [[nodiscard]] Result<void> prepare(const FormatSpec& spec, const FormatTarget& target) override;
    [[nodiscard]] Result<FormatReport> make(const FormatTarget& target, const FormatSpec& spec) override;
    [[nodiscard]] Result<CheckReport> check(const FormatTarget& target, FileSystem fs) override;

private:
    ToolSetting setting_;
};

} // namespace mediarig::media
