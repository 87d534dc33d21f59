// SPDX-License-Identifier: GPL-3.0-or-later
/// Keeps the host's caches out of the results, and records the evidence.
#pragma once

#include <optional>

#include "host/workload/io/system.hpp"
#include "host/workload/jobs/job_checks.hpp"

namespace mediarig::workload {

class CacheChecks {
public:
    CacheChecks(const MediumFile& file, const BackingDevice& device) : file_(file), device_(device) {}

    /// Returns the findings about the whole data path: direct access was refused, or a driver buffers in the device's
    /// page cache.
    [[nodiscard]] measure::Findings path_findings() const;

    /// Called before a cell that reads the first `span` bytes, outside its clock. Returns true if it is certain that no
    /// byte of the span is left in memory. Does nothing under CachePolicy::cached.
    [[nodiscard]] bool drop_caches(Bytes span) const;

    /// Writes everything to the medium. Returns the errno of the first failed step, 0 if there was none.
    [[nodiscard]] int flush() const;

    /// Compares the bytes of a finished cell with the device's counters since `before`, fills in the evidence and
    /// returns suspicious differences. Requires result.moved, result.cell and the other members of result.evidence.
    /// `repeated`: the transferred bytes that memory may have served, because the cell had accessed their place before.
    [[nodiscard]] measure::Findings weigh(CellResult& result, std::optional<BackingDevice::Totals> before, Bytes span,
                                          Bytes repeated = {}) const;

private:
    [[nodiscard]] bool buffers_in_device() const { return file_.served_by_user_space() && device_.known(); }

    const MediumFile& file_;
    const BackingDevice& device_;
};

/// The finding for a flush that failed with `error`.
[[nodiscard]] measure::Finding flush_failed(int error);

} // namespace mediarig::workload
