// SPDX-License-Identifier: GPL-3.0-or-later
/// An image file in its own folder. Finds the loop devices and mounts of this machine that use the image.
#pragma once

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "tests/scratch.hpp"

namespace mediarig::agent {

class ScratchImage {
public:
    explicit ScratchImage(std::uint64_t size) : path_(folder_.image("card.img", Bytes{size})) {}
    [[nodiscard]] const std::string& path() const { return path_; }

    /// True if a loop device is attached to the image.
    [[nodiscard]] bool attached() const {
        for (const auto& entry : std::filesystem::directory_iterator("/sys/block")) {
            std::ifstream backing(entry.path() / "loop/backing_file");
            std::string line;
            // In a chroot the kernel may prepend the path of the root to the file name.
            if (std::getline(backing, line) && line.ends_with(path())) return true;
        }
        return false;
    }

private:
    tests::Scratch folder_{"/var/tmp"};
    std::string path_;
};

/// Polls for at most a minute.
template <class Condition>
bool comes_true(Condition condition) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (!condition()) {
        if (std::chrono::steady_clock::now() > until) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
}

inline bool lives(pid_t pid) {
    return ::kill(pid, 0) == 0;
}

/// Mount points of the agent with this process id that still exist, as folders in /run.
inline bool has_run_folder(pid_t pid) {
    const std::string mine = "mediarig-" + std::to_string(pid) + "-";
    for (const auto& entry : std::filesystem::directory_iterator("/run"))
        if (entry.path().filename().string().starts_with(mine)) return true;
    return false;
}

} // namespace mediarig::agent
