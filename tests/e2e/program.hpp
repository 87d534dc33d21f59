// SPDX-License-Identifier: GPL-3.0-or-later
/// Runs the real programs like a user: passes arguments and returns exit status and output.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tests/scratch.hpp"

namespace mediarig::e2e {

/// Path of the program of this build.
[[nodiscard]] std::string mediarig_program();

struct ProgramOutput {
    int status{}; ///< exit status, or 128 + the signal that ended it
    std::string out, err;
};

/// A program that runs in parallel with the test. The destructor kills it with all its children.
class Running {
public:
    Running(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
            const std::vector<std::string>& environment = {});
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
    ~Running();

    /// Waits until the program's standard error contains `text`. Returns false if the program ends before, or after two
    /// minutes.
    [[nodiscard]] bool says(const std::string& text);
    void signal(int number) const;
    [[nodiscard]] pid_t pid() const { return pid_; }
    /// Waits for the end of the program.
    [[nodiscard]] ProgramOutput wait();

private:
    [[nodiscard]] bool ended();
    std::filesystem::path out_, err_;
    pid_t pid_{-1};
    int status_{-1};
};

/// Runs `mediarig` and waits for its end.
[[nodiscard]] ProgramOutput call_mediarig(const std::vector<std::string>& arguments,
                                          const std::filesystem::path& folder,
                                          const std::vector<std::string>& environment = {});
/// Runs any other program, found in PATH, and waits for its end.
[[nodiscard]] ProgramOutput tool(const std::vector<std::string>& words);

using Folder = tests::Scratch;

/// Grades in the piped output of `run`: "one: PASS\n" for each medium, without reasons and counts.
[[nodiscard]] std::string grades_in(const std::string& output);

void write_file(const std::filesystem::path& file, const std::string& text);
[[nodiscard]] std::string read_file(const std::filesystem::path& file);
/// Creates a sparse file.
void make_image(const std::filesystem::path& file, std::uint64_t bytes);

[[nodiscard]] bool is_root();
/// True in a plain chroot, whose root is not a mount point. There the kernel reports the file below a loop device by
/// its path outside, so mediarig refuses such a device.
[[nodiscard]] bool is_plain_chroot();
/// Files below `folder` that are still attached or mounted, and processes that still use them, one line each. Empty if
/// nothing is left.
[[nodiscard]] std::vector<std::string> left_behind(const std::filesystem::path& folder);
/// Returns left_behind() after polling for at most a minute until it is empty.
[[nodiscard]] std::vector<std::string> left_behind_at_last(const std::filesystem::path& folder);

} // namespace mediarig::e2e
