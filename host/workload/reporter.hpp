// SPDX-License-Identifier: GPL-3.0-or-later
/// Hands each finding to the observer once and keeps it where it belongs. Inner part.
#pragma once

#include <utility>

#include "host/workload/job.hpp"

namespace mediarig::workload {

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

} // namespace mediarig::workload
