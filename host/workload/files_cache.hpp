// SPDX-License-Identifier: GPL-3.0-or-later
/// What keeps this host's memory out of the steps of a job of files, and tells where it answered. Inner part.
#pragma once

#include <optional>
#include <vector>

#include "host/workload/backing_device.hpp"
#include "host/workload/file_tree.hpp"
#include "host/workload/job.hpp"
#include "host/workload/reporter.hpp"
#include "host/workload/system.hpp"

namespace mediarig::workload {

/// What the steps of one id had of the caches and the device; their cells are delivered together.
struct StepsSeen {
    bool forgotten{true}; ///< before each of them, as far as can be confirmed
    std::optional<BackingDevice::Totals> moved_by_device = BackingDevice::Totals{}; ///< nothing where not counted
    std::uint64_t steps{}, from_memory{}; ///< of those that ask for names, so many for which the device read nothing
};

class FilesCache {
public:
    FilesCache(const System& system, const JobSpec& job, const BackingDevice& device, const FileTree& root,
               Reporter& reporter)
        : system_(system), job_(job), files_(*job.as<FilesJob>()), device_(device), root_(root), reporter_(reporter) {}

    /// Before a step, outside its clock: empties what would answer for the medium. `present`: by set and file.
    /// Remembers in `seen` whether it is certain that nothing is left.
    void forget(const FileStep& step, const std::vector<std::vector<bool>>& present, StepsSeen& seen);
    /// After it.
    void count(const FileStep& step, StepsSeen& seen);

    /// Fills the evidence of the finished cells of such steps and tells what is suspicious. `repeated`: of what they
    /// moved, what they had moved before.
    void weigh(FileWork work, std::vector<CellResult>& cells, Bytes repeated, const StepsSeen& seen) const;

private:
    [[nodiscard]] bool forget_files(const FileStep& step, const std::vector<std::vector<bool>>& present);

    const System& system_;
    const JobSpec& job_;
    const FilesJob& files_;
    const BackingDevice& device_;
    const FileTree& root_;
    Reporter& reporter_;
    bool told_about_the_way_{}, served_by_user_space_{};
    std::optional<BackingDevice::Totals> before_;
};

} // namespace mediarig::workload
