// SPDX-License-Identifier: GPL-3.0-or-later
/// A real block device for a test: a sparse image on a loop device, claimed in the same way as by the agent.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "common/units.hpp"
#include "host/base/process/run_process.hpp"
#include "host/media/claim/claim.hpp"
#include "host/media/claim/image/loop.hpp"
#include "host/media/claim/linux/linux_media.hpp"
#include "tests/catch.hpp"

namespace mediarig::test {

/// A file, removed by the destructor.
class TemporaryFile {
public:
    explicit TemporaryFile(Bytes size);
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    ~TemporaryFile();
    [[nodiscard]] const std::string& path() const { return path_; }

private:
    std::string path_;
};

/// A folder for scripts that replace other programs, removed by the destructor.
class ToolFolder {
public:
    ToolFolder();
    ToolFolder(const ToolFolder&) = delete;
    ToolFolder& operator=(const ToolFolder&) = delete;
    ~ToolFolder();
    /// Adds a shell script with that name.
    void add(const std::string& program, const std::string& script);
    /// This folder, followed by the system's search path.
    [[nodiscard]] std::string search_path() const { return path_ + ":" + process::system_search_path; }
    [[nodiscard]] const std::string& path() const { return path_; }

private:
    std::string path_;
};

class LoopMedium {
public:
    /// Needs permission for loop devices (see may_make_loops()).
    explicit LoopMedium(Bytes size, std::uint32_t sector_size = 512);
    [[nodiscard]] const std::string& node() const { return loop_->node(); }
    /// The file below the device.
    [[nodiscard]] const std::string& image() const { return image_.path(); }
    [[nodiscard]] media::Discovery& discovery() { return *discovery_; }
    /// The claim, made at the first call.
    [[nodiscard]] media::ErasableMedium& claim();
    void release() { claim_.reset(); }
    /// Leaves the device and its file open for reading only: a claim of a forked process is refused while this process
    /// can write to them.
    void release_for_fork();
    void write(std::uint64_t offset, const std::string& bytes) const;
    [[nodiscard]] std::string read(std::uint64_t offset, std::size_t length) const;
    /// True if only this claim holds the device.
    [[nodiscard]] bool is_free() const;

private:
    TemporaryFile image_;
    std::unique_ptr<media::Discovery> discovery_;
    std::optional<media::LoopDevice> loop_;
    std::optional<media::ErasableMedium> claim_;
};

[[nodiscard]] bool may_make_loops();
/// Output of a program. The test fails if it cannot be run.
[[nodiscard]] process::Finished run_checker(const std::string& program, const std::vector<std::string>& arguments);
/// The text after `label` on its line without surrounding blanks, or "(none)".
[[nodiscard]] std::string field(const std::string& said, const std::string& label);
[[nodiscard]] bool is_installed(const std::string& program);

} // namespace mediarig::test

#define NEEDS_LOOPS() \
    if (!mediarig::test::may_make_loops()) MEDIARIG_SKIP("loop devices need root and /dev/loop-control")
