// SPDX-License-Identifier: GPL-3.0-or-later
/// One step of a files job. Inner part.
#pragma once

#include <vector>

#include "common/split_mix.hpp"
#include "host/workload/io/io_errors.hpp"
#include "host/workload/io/job_control.hpp"
#include "host/workload/io/platform/buffer.hpp"
#include "host/workload/io/platform/clock.hpp"
#include "host/workload/io/recorder.hpp"
#include "host/workload/io/system.hpp"
#include "host/workload/payload/payload.hpp"

namespace mediarig::workload {

class FileStepRun {
public:
    /// `present`: the existing files of the step's set; kept up to date. `cells`: a single cell, or one cell per file
    /// size.
    FileStepRun(const TickClock& clock, const JobSpec& job, const FileStep& step, std::uint32_t number,
                const FileTree& root, std::vector<bool>& present, std::vector<Tally>& cells, IoErrors& errors,
                JobControl& control);

    /// Returns `volume` when the step is complete, `cancelled`, or `error` if the error policy stops the job. Fails
    /// with io_failed on lack of memory, and with the error of the permit.
    [[nodiscard]] Result<CellEnd> run();

private:
    /// Result of the work on one file: continue, or the end of the step.
    using StepEnd = std::optional<CellEnd>;

    [[nodiscard]] Result<StepEnd> process_file(std::uint32_t index);
    [[nodiscard]] StepEnd write_file(std::uint32_t index, const std::string& name, Bytes size);
    [[nodiscard]] StepEnd read_file(std::uint32_t index, bool writes_back);
    [[nodiscard]] StepEnd replace_file(std::uint32_t index);
    [[nodiscard]] StepEnd rename_file(std::uint32_t index);
    [[nodiscard]] StepEnd copy_file(std::uint32_t index);
    [[nodiscard]] StepEnd count_pieces(std::uint32_t index);
    [[nodiscard]] StepEnd simple(std::uint32_t index);
    [[nodiscard]] Result<CellEnd> run_in_listed_order();
    [[nodiscard]] CellEnd walk();
    [[nodiscard]] StepEnd finish();

    /// The last used folder of the step's set, and that of the set from which files are copied.
    struct Kept {
        std::uint64_t leaf{};
        FileTree::OpenedFolder folder;
        std::string parent_path;
        FileTree::OpenedFolder parent; ///< only for folders that are created
    };
    /// The folder of a file, kept open while the next files use the same one; null with the errno in `kept`. A folder
    /// is created just before its first file: its parent is then still open, and the file system has both in memory.
    [[nodiscard]] const FileTree* folder(std::uint32_t index) { return folder(set_, index, kept_, makes_files()); }
    [[nodiscard]] const FileTree* folder(const FileSet& set, std::uint32_t index, Kept& kept, bool make) const;
    [[nodiscard]] FileTree::OpenedFolder made_folder(const std::string& path, Kept& kept) const;
    [[nodiscard]] bool makes_files() const {
        return step_.work == FileWork::write || step_.work == FileWork::create || step_.work == FileWork::copy;
    }
    [[nodiscard]] Tally& cell_of(std::uint32_t index);
    /// Returns 0 or an errno.
    [[nodiscard]] int flush(const MediumFile& file) const;
    /// Records a failed call; it took the time since `began_`.
    [[nodiscard]] StepEnd failed(bool writing, std::uint64_t offset, Bytes length, int error);
    [[nodiscard]] bool cancelled() const { return control_.cancel.load(std::memory_order_relaxed); }
    [[nodiscard]] Tally::Duration since(Ticks start) const {
        return Tally::Duration(clock_.to_ns(clock_.now() - start));
    }
    [[nodiscard]] std::span<std::byte> filled(std::uint32_t index, std::uint64_t offset, std::uint64_t length);
    [[nodiscard]] std::string name_of(std::uint32_t index) const;
    /// The temporary name during a replacement or renaming.
    [[nodiscard]] std::string other_name_of(std::uint32_t index) const;
    [[nodiscard]] Bytes size_of(std::uint32_t index) const;

    const TickClock& clock_;
    const JobSpec& job_;
    const FileStep& step_;
    std::uint32_t number_;
    const FileSet& set_;
    const FileSet& from_; ///< the source set
    const FileTree& root_;
    std::vector<bool>& present_;
    std::vector<Tally>& cells_;
    IoErrors& errors_;
    Ticks began_{}; ///< work on the present file or listing
    JobControl& control_;
    PayloadSource payload_;
    TransferBuffer buffer_;
    Kept kept_, kept_from_;
};

} // namespace mediarig::workload
