// SPDX-License-Identifier: GPL-3.0-or-later
/// The directory of one running machine: its sockets and logs. It ends with its owner, also with one that was killed.
#pragma once

#include <string>

#include "host/result.hpp"

namespace mediarig::lab {

class PrivateDirectory {
public:
    /// Makes "mediarig-lab-XXXXXX" in `parent`, for this user alone, and removes those there whose owner is gone.
    /// Empty `parent`: $XDG_RUNTIME_DIR where that is short enough for sockets, else /tmp. Fails with bad_request
    /// (sockets in it would have too long a path), no_permission, io_failed.
    [[nodiscard]] static Result<PrivateDirectory> make(const std::string& parent);

    PrivateDirectory(PrivateDirectory&& other) noexcept;
    PrivateDirectory& operator=(PrivateDirectory&& other) noexcept;
    PrivateDirectory(const PrivateDirectory&) = delete;
    PrivateDirectory& operator=(const PrivateDirectory&) = delete;
    /// Removes it with all that is in it.
    ~PrivateDirectory();

    [[nodiscard]] const std::string& path() const { return path_; }

private:
    PrivateDirectory(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}
    std::string path_;
    int lock_{-1}; ///< held as long as the owner lives; the kernel lets it go when it dies
};

} // namespace mediarig::lab
