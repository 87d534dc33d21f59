// SPDX-License-Identifier: GPL-3.0-or-later
/// What keeps the host's caches out of a number, and the evidence that it did.
#pragma once

#include <optional>

#include "host/workload/io/system.hpp"
#include "host/workload/jobs/job_checks.hpp"

namespace mediarig::workload {

class CacheChecks {
public:
    CacheChecks(const MediumFile& file, const BackingDevice& device) : file_(file), device_(device) {}

    /// Findings about the way as a whole: direct access refused, a driver that buffers in the device's page cache.
    [[nodiscard]] measure::Findings about_the_way() const;

    /// Before a cell that reads the first `span` bytes, outside its clock. True when it is certain that nothing of the
    /// span is left in memory. Does nothing under CachePolicy::cached.
    [[nodiscard]] bool drop_caches(Bytes span) const;

    /// Everything written so far is on the medium when it returns; errno of the first step that failed, 0 if none did.
    [[nodiscard]] int flush() const;

    /// Compares what a finished cell moved with what the device says it moved since `before`; fills the evidence and
    /// returns what is suspicious. Needs result.moved, result.cell and the other members of result.evidence.
    /// `repeated`: of what was moved, what memory may answer for, because the cell had touched its place before.
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
