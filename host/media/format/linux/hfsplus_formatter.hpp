// SPDX-License-Identifier: GPL-3.0-or-later
/// HFS+, HFS+ Journaled and HFSX Journaled by our own hand, on a whole medium or in a partition. No tool is needed: no
/// Linux distribution ships a free one.
#pragma once

#include <atomic>

#include "host/media/format/format.hpp"
#include "host/media/format/hfsplus/layout.hpp"

namespace mediarig::media {

/// What `spec` asks of the planner; the volume identifier and the time are chosen here where it names none.
/// Fails with bad_request, and with host_fault where the machine's clock gives a time that HFS+ has no date for.
[[nodiscard]] Result<hfsplus::Options> hfs_plus_options(const FormatSpec& spec);

class HfsPlusFormatter : public Formatter {
public:
    /// `cancel` ends a format when it becomes true; null = cannot be cancelled.
    explicit HfsPlusFormatter(const std::atomic<bool>* cancel = nullptr) : cancel_(cancel) {}
    [[nodiscard]] bool handles(FileSystem fs) const override;
    /// The machine's clock, where HFS+ has no date for what it shows.
    [[nodiscard]] std::vector<std::string> lacks() const override;
    [[nodiscard]] Result<void> prepare(const FormatSpec& spec, const FormatTarget& target) override;
    [[nodiscard]] Result<FormatReport> make(const FormatTarget& target, const FormatSpec& spec) override;
    /// Our own check (hfsplus/check.hpp) of any HFS+ volume, whichever of the three `fs` names.
    [[nodiscard]] Result<CheckReport> check(const FormatTarget& target, FileSystem fs) override;

private:
    const std::atomic<bool>* cancel_;
};

} // namespace mediarig::media
