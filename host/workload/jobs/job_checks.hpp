// SPDX-License-Identifier: GPL-3.0-or-later
/// Refuses invalid jobs before anything is written.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "host/workload/io/io_errors.hpp"
#include "host/workload/io/job_control.hpp"
#include "host/workload/io/system.hpp"
#include "host/workload/spec.hpp"

namespace mediarig::workload {

/// Fails with bad_request and names the cell. `sectors`: from the device, empty if unknown.
[[nodiscard]] Result<void> check_sweep(const JobSpec& job, std::optional<BackingDevice::Sectors> sectors);
[[nodiscard]] Result<void> check_verify(const JobSpec& job, std::optional<BackingDevice::Sectors> sectors);
[[nodiscard]] Result<void> check_mix(const JobSpec& job, std::optional<BackingDevice::Sectors> sectors);
[[nodiscard]] Result<void> check_files(const JobSpec& job);

/// Passes each finding to the observer once and stores it in its result. Adds the load of the host to each cell: that
/// of the phase with the id of the cell, otherwise of the phase in which the cell is delivered. Inner part.
class Reporter {
public:
    /// `system`: gives the load of the host; if it is null, the cells have no load.
    Reporter(JobObserver& observer, JobOutcome& outcome, const System* system = nullptr)
        : observer_(observer), outcome_(outcome), system_(system) {}

    void add_job_finding(measure::Finding finding) {
        observer_.on_finding(finding);
        outcome_.findings.push_back(std::move(finding));
    }
    void add_job_finding(measure::Findings findings) {
        for (measure::Finding& finding : findings) add_job_finding(std::move(finding));
    }
    void add_cell_finding(CellResult& cell, measure::Finding finding) {
        observer_.on_finding(finding);
        cell.findings.push_back(std::move(finding));
    }
    void add_cell_finding(CellResult& cell, measure::Findings findings) {
        for (measure::Finding& finding : findings) add_cell_finding(cell, std::move(finding));
    }
    void phase(const std::string& name) {
        end_phase();
        observer_.on_phase(name);
        phase_ = name;
        if (system_ != nullptr) phase_began_ = system_->host_counters();
    }
    /// Reports the progress of a cell that can be continued. The cell is delivered when it is finished.
    void checkpoint(const CellResult& so_far) { observer_.on_cell(so_far); }
    /// Delivers a finished cell.
    void deliver(CellResult cell) {
        const auto earlier = loads_.find(cell.cell.id);
        cell.host_load = earlier != loads_.end() && cell.cell.id != phase_ ? earlier->second : load_of_phase();
        observer_.on_cell(cell);
        outcome_.cells.push_back(std::move(cell));
    }
    /// The load of the host since the start of the phase; empty if it is unknown.
    [[nodiscard]] std::optional<HostLoad> load_of_phase() const {
        if (!phase_began_) return std::nullopt;
        const auto now = system_->host_counters();
        return now ? std::optional(load_between(*phase_began_, *now)) : std::nullopt;
    }

private:
    void end_phase() {
        if (const auto load = load_of_phase()) loads_[phase_] = *load;
    }

    JobObserver& observer_;
    JobOutcome& outcome_;
    const System* system_;
    std::string phase_;
    std::optional<HostCounters> phase_began_;
    std::map<std::string, HostLoad> loads_; ///< of finished phases
};

/// Makes the work folder of a job, and reports that other users can write in it. Fails like System::make_work_folder().
[[nodiscard]] Result<std::unique_ptr<WorkFolder>> open_work_folder(const System& system, const JobTarget& target,
                                                                   Reporter& reporter);

/// Checks before anything is written that the data of a job fits. Fails with bad_request and names the needed and the
/// available space; then reports to `reporter` that the medium is full. `largest`: the largest single file; `path`:
/// path of the target, for messages.
[[nodiscard]] Result<void> check_free_space(const WorkFolder& folder, Bytes needed, Bytes largest,
                                            const std::string& path, Reporter& reporter);
/// Like check_free_space, for the number of files and folders; file systems of the ext family have a fixed number.
[[nodiscard]] Result<void> check_entries(const WorkFolder& folder, std::uint64_t needed, const std::string& path,
                                         Reporter& reporter);
/// Like check_free_space, for a raw device.
[[nodiscard]] Result<void> check_device(const MediumFile& device, Bytes needed, const std::string& path);

/// The errors of a part of a job on `device`. Both must outlive the result.
[[nodiscard]] IoErrors io_errors_of(const JobSpec& job, const BackingDevice& device, JobControl& control);

/// The reason and the next step after IoErrors::took_too_long().
[[nodiscard]] std::string too_slow_failures();

/// The error of a job that was interrupted by its errors or by a cancel request; `where` as in "while the files were
/// written".
[[nodiscard]] tl::unexpected<Error> interrupted_job(const IoErrors& errors, const std::string& where);

} // namespace mediarig::workload
