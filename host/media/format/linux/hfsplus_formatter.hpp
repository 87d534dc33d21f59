// SPDX-License-Identifier: GPL-3.0-or-later
/// HFS+, HFS+ Journaled and HFSX Journaled with mediarig's own code, on a whole medium or in a partition. Needs no
/// tool: no Linux distribution ships a free tool for HFS+.
#pragma once

#include <atomic>

#include "host/media/format/format.hpp"
#include "host/media/format/hfsplus/layout.hpp"

namespace mediarig::media {

/// Planner options for `spec`. Chooses the volume identifier and the time if `spec` has none. Fails with bad_request,
/// and with host_fault if HFS+ cannot represent the time of the machine's clock.
[[nodiscard]] Result<hfsplus::Options> hfs_plus_options(const FormatSpec& spec);

class HfsPlusFormatter : public Formatter {
public:
    /// `cancel` stops a format when it becomes true; null = cannot be cancelled.
    explicit HfsPlusFormatter(const std::atomic<bool>* cancel = nullptr) : cancel_(cancel) {}
    [[nodiscard]] bool handles(FileSystem fs) const override;
    /// Reports the machine's clock if HFS+ cannot represent its time.
    [[nodiscard]] std::vector<std::string> lacks() const override;
    [[nodiscard]] Result<void> prepare(const FormatSpec& spec, const FormatTarget& target) override;
    [[nodiscard]] Result<FormatReport> make(const FormatTarget& target, const FormatSpec& spec) override;
    /// Uses mediarig's own check (hfsplus/check.hpp) of any HFS+ volume, regardless of the HFS+ variant in `fs`.
    [[nodiscard]] Result<CheckReport> check(const FormatTarget& target, FileSystem fs) override;

private:
    const std::atomic<bool>* cancel_;
};

} // namespace mediarig::media
