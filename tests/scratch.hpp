// SPDX-License-Identifier: GPL-3.0-or-later
/// A folder for the files of one test. The standard library removes it, not code of this project.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>

#include "common/units.hpp"

namespace mediarig::tests {

/// Creates missing folders.
inline void write(const std::filesystem::path& file, const std::string& text) {
    std::error_code ignored;
    std::filesystem::create_directories(file.parent_path(), ignored);
    std::ofstream(file, std::ios::binary) << text;
}

/// Empty if the file cannot be read.
[[nodiscard]] inline std::string text_of(const std::filesystem::path& file) {
    // An iterator of the buffer would throw if a file of /sys vanishes while it is read.
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
}

class Scratch {
public:
    explicit Scratch(const std::filesystem::path& parent = std::filesystem::temp_directory_path()) {
        std::string name = (parent / "mediarig-test-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a folder in " + parent.string());
        path_ = std::filesystem::canonical(name);
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    ~Scratch() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
    /// The same path as text, for arguments of a program.
    [[nodiscard]] std::string path(const std::string& name) const { return (path_ / name).string(); }
    /// Writes a file and returns its path.
    std::string write(const std::string& name, const std::string& text) const {
        tests::write(path_ / name, text);
        return path(name);
    }
    /// Creates a sparse image file and returns its path.
    [[nodiscard]] std::string image(const std::string& name, Bytes size) const {
        write(name, "");
        std::filesystem::resize_file(path_ / name, size.count);
        return path(name);
    }

private:
    std::filesystem::path path_;
};

/// Parent for tests of dying processes, not of disks: syncing takes no time there.
[[nodiscard]] inline std::filesystem::path in_memory() {
    return std::filesystem::is_directory("/dev/shm") ? "/dev/shm" : std::filesystem::temp_directory_path();
}

} // namespace mediarig::tests
