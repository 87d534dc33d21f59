// SPDX-License-Identifier: GPL-3.0-or-later
/// What makes no sense is refused before anything is written.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "host/workload/io/io_errors.hpp"
#include "host/workload/io/job_control.hpp"
#include "host/workload/io/system.hpp"
#include "host/workload/spec.hpp"

namespace mediarig::workload {

/// Fails with bad_request, naming the cell. `sectors` as the device says, nothing where that is unknown.
[[nodiscard]] Result<void> check_sweep(const JobSpec& job, std::optional<BackingDevice::Sectors> sectors);
[[nodiscard]] Result<void> check_verify(const JobSpec& job, std::optional<BackingDevice::Sectors> sectors);
[[nodiscard]] Result<void> check_mix(const JobSpec& job, std::optional<BackingDevice::Sectors> sectors);
[[nodiscard]] Result<void> check_files(const JobSpec& job);

/// Hands each finding to the observer once and keeps it where it belongs. Inner part.
class Reporter {
public:
    Reporter(JobObserver& observer, JobOutcome& outcome) : observer_(observer), outcome_(outcome) {}

    void about_job(measure::Finding finding) {
        observer_.on_finding(finding);
        outcome_.findings.push_back(std::move(finding));
    }
    void about_job(measure::Findings findings) {
        for (measure::Finding& finding : findings) about_job(std::move(finding));
    }
    void about_cell(CellResult& cell, measure::Finding finding) {
        observer_.on_finding(finding);
        cell.findings.push_back(std::move(finding));
    }
    void about_cell(CellResult& cell, measure::Findings findings) {
        for (measure::Finding& finding : findings) about_cell(cell, std::move(finding));
    }
    void phase(const std::string& name) { observer_.on_phase(name); }
    /// How far a cell is that can be continued; it is delivered when it is finished.
    void checkpoint(const CellResult& so_far) { observer_.on_cell(so_far); }
    /// The cell is finished.
    void deliver(CellResult cell) {
        observer_.on_cell(cell);
        outcome_.cells.push_back(std::move(cell));
    }

private:
    JobObserver& observer_;
    JobOutcome& outcome_;
};

/// Whether what a job is going to write fits, asked before anything is written.

/// Fails with bad_request, naming what is needed and what is there; then `reporter` is told that the medium is full.
/// `largest`: the largest single file; `path`: of the target, for messages.
[[nodiscard]] Result<void> check_room(const WorkFolder& folder, Bytes needed, Bytes largest, const std::string& path,
                                      Reporter& reporter);
/// The same for the files and folders of a job that makes many; file systems of the ext family have a fixed number.
[[nodiscard]] Result<void> check_entries(const WorkFolder& folder, std::uint64_t needed, const std::string& path,
                                         Reporter& reporter);
/// The same for a raw device.
[[nodiscard]] Result<void> check_device(const MediumFile& device, Bytes needed, const std::string& path);

/// Why a job ended before its work was done.

/// The error of a job that its errors, or a request to cancel, broke off; `where` as in "while the files were written".
[[nodiscard]] tl::unexpected<Error> broken_off(const IoErrors& errors, const std::string& where);

} // namespace mediarig::workload
