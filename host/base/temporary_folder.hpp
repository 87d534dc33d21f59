// SPDX-License-Identifier: GPL-3.0-or-later
/// A private folder of this process, accessible to its user only. It is removed with its contents.
#pragma once

#include <filesystem>
#include <string_view>
#include <utility>

#include "host/base/result.hpp"

namespace mediarig {

class TemporaryFolder {
public:
    /// Creates `prefix`XXXXXX in `parent`. Fails with no_permission and io_failed.
    [[nodiscard]] static Result<TemporaryFolder> make(const std::filesystem::path& parent, std::string_view prefix);
    /// Like the above, in the folder for temporary files ($TMPDIR).
    [[nodiscard]] static Result<TemporaryFolder> make(std::string_view prefix);

    TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
    TemporaryFolder& operator=(TemporaryFolder&& other) noexcept {
        std::swap(path_, other.path_);
        return *this;
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder();

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    explicit TemporaryFolder(std::filesystem::path path) : path_(std::move(path)) {}
    std::filesystem::path path_; ///< empty after a move
};

} // namespace mediarig
