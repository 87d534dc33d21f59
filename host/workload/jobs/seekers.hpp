// SPDX-License-Identifier: GPL-3.0-or-later
/// Parallel seeks in the files of a set, as in Bonnie++: one thread per seeker, each with separately opened files.
/// Inner part.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <vector>

#include "host/workload/io/io_errors.hpp"
#include "host/workload/io/job_control.hpp"
#include "host/workload/io/platform/clock.hpp"
#include "host/workload/io/recorder.hpp"
#include "host/workload/io/system.hpp"

namespace mediarig::workload {

class Seekers {
public:
    Seekers(const TickClock& clock, const JobSpec& job, const FileStep& step, std::uint32_t number,
            const FileTree& root, const std::vector<bool>& present, Tally& cell, IoErrors& errors, JobControl& control);

    /// Like FileStepRun::run().
    [[nodiscard]] Result<CellEnd> run();

private:
    struct Seek {
        Ticks start{}, finish{};
        Bytes moved;
        std::uint64_t block{}; ///< block number over all files
    };
    struct Seeker {
        std::vector<FileTree::OpenedFile> files; ///< the files that contain at least one block
        std::vector<Seek> seeks;
        Tally::Duration processor{};
        std::uint64_t seed{};
    };
    /// Returns 0 or an errno.
    [[nodiscard]] int open_files(Seeker& seeker);
    void seek(Seeker& seeker);
    /// Returns true if the seekers continue after a failed transfer. `length`: its time; transfers of several seekers
    /// fail at the same time.
    [[nodiscard]] bool failed(bool writing, std::uint64_t offset, int error, Ticks length);
    [[nodiscard]] bool may_write();
    void stop(CellEnd end);

    const TickClock& clock_;
    const JobSpec& job_;
    const FileStep& step_;
    std::uint32_t number_;
    const FileSet& set_;
    const FileTree& root_;
    const std::vector<bool>& present_;
    Tally& cell_;
    IoErrors& errors_;
    JobControl& control_;
    std::vector<std::uint64_t> blocks_, first_block_; ///< per opened file
    std::atomic<std::uint64_t> begun_{};
    std::atomic<bool> stopped_{};
    std::mutex mutex_; ///< protects errors_, the permit and the members below
    CellEnd end_{CellEnd::volume};
    std::optional<Error> refused_;
};

} // namespace mediarig::workload
