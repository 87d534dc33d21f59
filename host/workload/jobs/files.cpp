// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/jobs/files.hpp"

#include <algorithm>
#include <map>
#include <span>

#include "host/workload/jobs/files_plan.hpp"
#include "host/workload/jobs/files_step.hpp"
#include "host/workload/jobs/job_checks.hpp"

namespace mediarig::workload {
namespace {

/// The maximum total size of the sets, and the size of the largest file.
std::pair<Bytes, Bytes> needed_by(const JobSpec& job, Bytes unit) {
    Bytes all, largest;
    for (const FileSet& set : job.as<FilesJob>()->sets) {
        all += unit * folders_in(set);
        for (std::uint32_t i = 0; i < set.files; ++i) {
            const Bytes size = size_of_file(set, i, 0, job.order_seed);
            // Space of a file's directory entry and of its part of the journal or bitmap.
            all += align_up(size, unit) + 1_KiB;
            largest = std::max(largest, size);
        }
    }
    return {all, largest};
}

std::uint64_t entries_of(const FilesJob& job) {
    std::uint64_t entries = 0;
    for (const FileSet& set : job.sets) entries += set.files + folders_in(set);
    return entries;
}

class Files {
public:
    Files(const System& system, const JobSpec& job, const BackingDevice& device, const FileTree& root,
          JobControl& control, Reporter& reporter)
        : system_(system),
          job_(job),
          files_(*job.as<FilesJob>()),
          device_(device),
          root_(root),
          control_(control),
          reporter_(reporter),
          cache_(system, job, device, root, reporter) {
        for (const FileSet& set : files_.sets) present_.emplace_back(set.files, false);
    }

    Result<void> run() {
        for (std::uint32_t at = 0; at < files_.steps.size(); ++at) {
            const std::string& id = files_.steps[at].cell.id;
            if (auto ran = run_step(at); !ran) {
                deliver_complete_cells(id);
                return ran;
            }
            const auto rest = std::span(files_.steps).subspan(at + 1);
            if (std::ranges::any_of(rest, [&](const FileStep& later) { return later.cell.id == id; })) continue;
            deliver(files_.steps[at].work, std::move(active_.at(id)));
            active_.erase(id);
        }
        return {};
    }

private:
    Result<void> run_step(std::uint32_t index) {
        const FileStep& step = files_.steps[index];
        control_.cell_index.store(index, std::memory_order_relaxed);
        reporter_.phase(step.cell.id);
        auto& [cells, seen] = active_[step.cell.id];
        if (cells.empty()) begin(step, cells);
        IoErrors errors = new_errors();
        cache_.forget(step, present_, seen);
        FileStepRun run(system_.clock(), job_, step, index, root_, present_[step.set], cells, errors, control_);
        const auto processor = thread_time();
        const auto done = run.run();
        // With several file sizes the time cannot be attributed to one size.
        if (cells.size() == 1) cells.front().add_processor_time(thread_time() - processor);
        reporter_.add_cell_finding(cells.front().result(), errors.take_findings());
        if (!done) return fail(done.error());
        if (*done == CellEnd::cancelled || *done == CellEnd::error)
            return interrupted_job(errors, "in cell " + step.cell.id);
        cache_.count(step, seen);
        return {};
    }

    void begin(const FileStep& step, std::vector<Tally>& cells) const {
        const FileSet& set = files_.sets[step.set];
        std::vector<CellSpec> specs{step.cell};
        if (step.by_size) {
            specs.clear();
            for (const Bytes size : set.sizes) {
                CellSpec cell = step.cell;
                cell.id += "." + std::to_string(size.count);
                cell.block = size;
                cell.volume = size * (set.files / set.sizes.size());
                specs.push_back(std::move(cell));
            }
        }
        for (CellSpec& spec : specs) {
            Tally& cell = cells.emplace_back(std::move(spec));
            cell.result().evidence.used = job_.cache;
            cell.result().evidence.sync = job_.sync;
            cell.result().evidence.alignment = Bytes{1};
        }
    }

    /// Delivers the measured part of steps with unfinished repetitions. Skips the steps of `broken`.
    void deliver_complete_cells(const std::string& broken) {
        active_.erase(broken);
        for (const FileStep& step : files_.steps) {
            const auto found = active_.find(step.cell.id);
            if (found == active_.end()) continue;
            deliver(step.work, std::move(found->second));
            active_.erase(found);
        }
    }

    struct ActiveStep {
        std::vector<Tally> cells; ///< a single cell, or one cell per file size
        StepsSeen seen;
    };

    void deliver(FileWork work, ActiveStep finished) {
        Bytes repeated;
        std::vector<CellResult> results;
        for (Tally& cell : finished.cells) {
            repeated += cell.repeated();
            results.push_back(std::move(cell).take_result());
        }
        if (work == FileWork::pieces && results.front().operations == 0) {
            reporter_.add_job_finding(measure::Finding{.kind = measure::FindingKind::driver_limit,
                                                       .severity = measure::Severity::note,
                                                       .detail = "the file system does not report the positions of its "
                                                                 "files: their number of extents was not measured",
                                                       .offset = {}});
            return;
        }
        cache_.weigh(work, results, repeated, finished.seen);
        for (CellResult& result : results) {
            result.end = result.operations > 0 ? CellEnd::volume : CellEnd::error;
            reporter_.deliver(std::move(result));
        }
    }

    IoErrors new_errors() const { return io_errors_of(job_, device_, control_); }

    const System& system_;
    const JobSpec& job_;
    const FilesJob& files_;
    const BackingDevice& device_;
    const FileTree& root_;
    JobControl& control_;
    Reporter& reporter_;
    FilesCache cache_;
    std::vector<std::vector<bool>> present_;   ///< by set and file: created, and neither failed nor removed later
    std::map<std::string, ActiveStep> active_; ///< by id: steps with unfinished repetitions
};

} // namespace

Result<void> run_files(const System& system, const JobSpec& job, const JobTarget& target, JobControl& control,
                       Reporter& reporter) {
    if (target.kind == JobTarget::Kind::device)
        return fail(Errc::bad_request, "suite " + job.suite +
                                           " makes files, which need a file system: name a directory, "
                                           "or measure a medium that has one");
    if (auto sane = check_files(job); !sane) return sane;
    const auto device = system.backing_device(target);
    // Create the folder before the check of the free space: its creation removes the folders of killed jobs.
    auto folder = open_work_folder(system, target, reporter);
    if (!folder) return fail(folder.error());
    const auto [all, largest] = needed_by(job, (*folder)->allocation_unit());
    if (auto fits = check_free_space(**folder, all, largest, target.path, reporter); !fits) return fits;
    if (auto fits = check_entries(**folder, entries_of(*job.as<FilesJob>()), target.path, reporter); !fits) return fits;
    auto root = (*folder)->tree();
    if (!root) return fail(root.error());
    const Traffic traffic = traffic_of(job, {});
    control.bytes_total.store((traffic.written + traffic.read).count, std::memory_order_relaxed);

    const Result<void> result = Files(system, job, *device, **root, control, reporter).run();
    reporter.phase("cleanup");
    root->reset();
    const auto removed = (*folder)->remove();
    return result ? removed : result;
}

} // namespace mediarig::workload
