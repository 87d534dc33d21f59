// SPDX-License-Identifier: GPL-3.0-or-later
/// A marked folder of this process, accessible only to its user. The destructor removes the folder with its contents.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "host/base/result.hpp"

namespace mediarig {

class TemporaryFolder {
public:
    /// Creates the folder `prefix`XXXXXX in `parent`. Fails with no_permission and io_failed.
    [[nodiscard]] static Result<TemporaryFolder> make(const std::filesystem::path& parent, std::string_view prefix);
    /// Like make(parent, prefix), in the folder for temporary files ($TMPDIR).
    [[nodiscard]] static Result<TemporaryFolder> make(std::string_view prefix);

    TemporaryFolder(TemporaryFolder&& other) noexcept
        : path_(std::exchange(other.path_, {})), given_to_(other.given_to_) {}
    TemporaryFolder& operator=(TemporaryFolder&& other) noexcept {
        std::swap(path_, other.path_);
        std::swap(given_to_, other.given_to_);
        return *this;
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder();

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    /// Gives the folder to another user. Files of that user in the folder are removed with it. Fails with io_failed.
    [[nodiscard]] Result<void> set_owner(uid_t user, gid_t group);

private:
    explicit TemporaryFolder(std::filesystem::path path) : path_(std::move(path)) {}
    std::filesystem::path path_; ///< empty after a move
    std::optional<uid_t> given_to_;
};

} // namespace mediarig
