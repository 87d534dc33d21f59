// SPDX-License-Identifier: GPL-3.0-or-later
/// Derives the objects of a files job from its start value alone. The objects are the same on every machine and file
/// system, so several formats get the identical list of changes. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/workload/io/job_control.hpp"
#include "host/workload/io/system.hpp"
#include "host/workload/jobs/job_checks.hpp"
#include "host/workload/spec.hpp"

namespace mediarig::workload {

/// Returns x = a / (1 - u (1 - a / b)), a size from a to b, by the inverse of the distribution function of the law.
/// Requires 0 < a <= b; `u` is from 0 to 1.
[[nodiscard]] Bytes size_by_square_law(const SizeLaw& law, double u);

/// Size of edition `version` of file `index`.
[[nodiscard]] Bytes size_of_file(const FileSet& set, std::uint32_t index, std::uint32_t version, std::uint64_t seed);

/// The numbers of files in the order of a step; `round` distinguishes repeated steps of one kind.
[[nodiscard]] std::vector<std::uint32_t> order_of(const FileSet& set, const FileStep& step, std::uint64_t seed,
                                                  std::uint64_t round);

/// The file of `from` that is the source of file `index` of `set`: copies are spread over the sources in order.
[[nodiscard]] std::uint32_t source_of_copy(std::uint32_t index, const FileSet& set, const FileSet& from);

/// The number of the lowest-level folder that contains file `index`.
[[nodiscard]] std::uint64_t leaf_of(const FileSet& set, std::uint32_t index);
/// The folder of file `index`, e.g. "folder-3/folder-0"; empty if the set has no folders.
[[nodiscard]] std::string folder_of(const FileSet& set, std::uint32_t index);
/// The number of folders, on all levels.
[[nodiscard]] std::uint64_t folders_in(const FileSet& set);

/// Cache and device data of the steps of one id, whose cells are delivered together.
struct StepsSeen {
    bool forgotten{true}; ///< caches were empty before each step, as far as can be confirmed
    std::optional<BackingDevice::Totals> moved_by_device = BackingDevice::Totals{}; ///< empty if not counted
    std::uint64_t steps{}, from_memory{}; ///< steps that access names; how many of them read nothing from the device
};

/// Keeps this host's memory out of the steps of a files job, and reports where memory served them. Inner part.
class FilesCache {
public:
    FilesCache(const System& system, const JobSpec& job, const BackingDevice& device, const FileTree& root,
               Reporter& reporter)
        : system_(system), job_(job), files_(*job.as<FilesJob>()), device_(device), root_(root), reporter_(reporter) {}

    /// Called before a step, outside its clock: empties the caches. `present`: by set and file. Records in `seen`
    /// whether they are certainly empty.
    void forget(const FileStep& step, const std::vector<std::vector<bool>>& present, StepsSeen& seen);
    /// Called after the step.
    void count(const FileStep& step, StepsSeen& seen);

    /// Fills in the evidence of the finished cells of these steps and adds suspicious differences. `repeated`: the
    /// number of transferred bytes that had been transferred before.
    void weigh(FileWork work, std::vector<CellResult>& cells, Bytes repeated, const StepsSeen& seen) const;

private:
    [[nodiscard]] bool forget_files(const FileStep& step, const std::vector<std::vector<bool>>& present);

    const System& system_;
    const JobSpec& job_;
    const FilesJob& files_;
    const BackingDevice& device_;
    const FileTree& root_;
    Reporter& reporter_;
    bool path_findings_reported_{}, served_by_user_space_{};
    std::optional<BackingDevice::Totals> before_;
};

} // namespace mediarig::workload
