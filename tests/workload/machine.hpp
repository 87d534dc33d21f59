// SPDX-License-Identifier: GPL-3.0-or-later
/// Resources of this machine for tests: folders, loop devices, mounts, programs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/units.hpp"
#include "host/workload/jobs/job.hpp"
#include "tests/scratch.hpp"

namespace mediarig::tests {

/// A folder on a real file system (never tmpfs), removed with its contents.
struct Folder : Scratch {
    Folder() : Scratch("/var/tmp") {}
    [[nodiscard]] bool empty() const { return std::filesystem::is_empty(path()); }
};

/// Creates a file of `size` bytes of zeros that are all allocated.
void make_file(const std::string& path, Bytes size);
[[nodiscard]] std::vector<std::byte> read_part(const std::string& path, std::uint64_t offset, std::size_t length);
void write_part(const std::string& path, std::uint64_t offset, std::span<const std::byte> bytes);

/// A loop device over a file, detached by the kernel when the last user closes it, even if the test is killed.
class Loop {
public:
    /// Returns nothing if this machine or user has no loop devices.
    [[nodiscard]] static std::optional<Loop> over(const std::string& file);
    /// Makes a loop device with direct I/O, without the page cache of the file system that contains the file.
    [[nodiscard]] static std::optional<Loop> directly_over(const std::string& file);
    ~Loop();
    Loop(Loop&& other) noexcept;
    Loop& operator=(Loop&& other) noexcept;
    [[nodiscard]] const std::string& node() const { return node_; }
    [[nodiscard]] int fd() const { return fd_; }
    /// Reads the size of the file again.
    void refresh_size();

private:
    static std::optional<Loop> attach(const std::string& file, unsigned flags);
    Loop(std::string node, int fd) : node_(std::move(node)), fd_(fd) {}
    std::string node_;
    int fd_;
};

/// A disk in memory for one test.
class Zram {
public:
    explicit Zram(Bytes size);
    ~Zram();
    Zram(const Zram&) = delete;
    Zram& operator=(const Zram&) = delete;
    [[nodiscard]] std::string node() const { return "/dev/zram" + number_; }
    [[nodiscard]] int fd() const { return fd_; } ///< negative if not available

private:
    std::string number_;
    int fd_{-1};
};

/// A mount in the test's private mount namespace: it is invisible to other processes and ends with
/// this process.
class Mount {
public:
    [[nodiscard]] static std::optional<Mount> of(const std::string& node, const std::string& directory,
                                                 const char* type, const char* options = "");
    ~Mount();
    Mount(Mount&& other) noexcept : directory_(std::move(other.directory_)) { other.directory_.clear(); }
    Mount& operator=(Mount&&) = delete;

private:
    explicit Mount(std::string directory) : directory_(std::move(directory)) {}
    std::string directory_;
};

/// exFAT on a loop device, served by exfat-fuse, and unmounted with it.
class ServedExfat {
public:
    /// Returns nothing if this machine or user cannot have it, with the reason in `why_not`. `directory` is made.
    /// `options` are options of the driver: "-o umask=022".
    [[nodiscard]] static std::optional<ServedExfat> on(const Loop& loop, const std::string& directory,
                                                       std::string& why_not, const std::string& options = {});
    ~ServedExfat() { (void)unmount(); }
    ServedExfat(ServedExfat&& other) noexcept : directory_(std::move(other.directory_)) { other.directory_.clear(); }
    ServedExfat& operator=(ServedExfat&&) = delete;
    bool unmount();

private:
    explicit ServedExfat(std::string directory) : directory_(std::move(directory)) {}
    std::string directory_; ///< empty if unmounted
};

struct Ran {
    int status{-1}; ///< exit status; -1 if the program was killed
    std::string output;
};
/// Runs a command in the shell and captures its standard output.
[[nodiscard]] Ran run(const std::string& command);
[[nodiscard]] bool have(const std::string& program);
[[nodiscard]] bool are_root();

/// Stores the reports of a job, and calls a function of the test at the beginning of a phase.
class Watcher final : public workload::JobObserver {
public:
    std::vector<std::string> phases;
    std::vector<workload::CellResult> cells;
    measure::Findings findings;
    std::function<void(const std::string&)> when_phase;
    std::function<void(const workload::CellResult&)> when_cell;

    void on_phase(const std::string& name) override {
        phases.push_back(name);
        if (when_phase) when_phase(name);
    }
    void on_cell(const workload::CellResult& result) override {
        cells.push_back(result);
        if (when_cell) when_cell(result);
    }
    void on_finding(const measure::Finding& finding) override { findings.push_back(finding); }

    [[nodiscard]] const measure::Finding* found(measure::FindingKind kind) const {
        for (const auto& finding : findings)
            if (finding.kind == kind) return &finding;
        return nullptr;
    }
};

/// Runs a job on this machine.
[[nodiscard]] Result<workload::JobOutcome> run_job(const workload::JobSpec& job, const workload::JobTarget& target,
                                                   const std::vector<workload::PreviousCell>& already_done,
                                                   workload::JobControl& control, workload::JobObserver& observer);

/// A small sweep. Tests change the relevant members.
[[nodiscard]] workload::JobSpec sweep_of(std::vector<workload::CellSpec> cells, Bytes span);
[[nodiscard]] workload::CellSpec cell_of(workload::Access access, Bytes block, Bytes volume);
[[nodiscard]] workload::JobSpec verify_of(Bytes span);
/// `backing` outlives the target.
[[nodiscard]] workload::JobTarget directory(const std::string& path, const Loop* backing = nullptr);
[[nodiscard]] workload::JobTarget device(const Loop& loop);

} // namespace mediarig::tests
