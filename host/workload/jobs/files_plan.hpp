// SPDX-License-Identifier: GPL-3.0-or-later
/// What a job of files works on, from its start value alone: the same on every machine and file system, so that several
/// formats get the identical list of changes. Pure.
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

/// x = a / (1 - u (1 - a / b)) from a to b, the inverse of the law's distribution function; needs 0 < a <= b, `u` from
/// 0 to 1.
[[nodiscard]] Bytes size_by_square_law(const SizeLaw& law, double u);

/// Of file `index` in its `version`-th edition.
[[nodiscard]] Bytes size_of_file(const FileSet& set, std::uint32_t index, std::uint32_t version, std::uint64_t seed);

/// The numbers of files in the order in which a step takes them; `round` tells steps of one kind apart.
[[nodiscard]] std::vector<std::uint32_t> order_of(const FileSet& set, const FileStep& step, std::uint64_t seed,
                                                  std::uint64_t round);

/// What file `index` is called, by the set's kind of names; and the file that a name is of.
[[nodiscard]] std::string name_of_file(const FileSet& set, std::uint32_t index, std::uint64_t seed);
[[nodiscard]] std::optional<std::uint32_t> file_called(const FileSet& set, std::string_view name, std::uint64_t seed);
/// Whether a job may have given a file a name with a number in it that is no WorkFolder::piece_file.
[[nodiscard]] bool is_numbered_name(std::string_view name);

/// The file of `from` that file `index` of `set` is a copy of: copies are spread over those in their order.
[[nodiscard]] std::uint32_t source_of_copy(std::uint32_t index, const FileSet& set, const FileSet& from);

/// Which of the last folders file `index` lies in.
[[nodiscard]] std::uint64_t leaf_of(const FileSet& set, std::uint32_t index);
/// "folder-3/folder-0", where file `index` lies; empty where the set has no folders.
[[nodiscard]] std::string folder_of(const FileSet& set, std::uint32_t index);
/// How many there are, on all levels.
[[nodiscard]] std::uint64_t folders_in(const FileSet& set);

/// What keeps this host's memory out of the steps of a job of files, and tells where it answered. Inner part.

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
