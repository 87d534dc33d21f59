// SPDX-License-Identifier: GPL-3.0-or-later
/// The directory of one running machine: its sockets and logs. It ends with its owner, also with one that was killed.
#pragma once

#include <string>
#include <utility>

#include "host/base/descriptor.hpp"
#include "host/base/result.hpp"
#include "host/base/temporary_folder.hpp"

namespace mediarig::lab {

class PrivateDirectory {
public:
    /// Makes "mediarig-lab-XXXXXX" in `parent`, for this user alone, and removes those there whose owner is gone.
    /// Empty `parent`: $XDG_RUNTIME_DIR where that is short enough for sockets, else /tmp. Fails with bad_request
    /// (sockets in it would have too long a path), no_permission, io_failed.
    [[nodiscard]] static Result<PrivateDirectory> make(const std::string& parent);

    [[nodiscard]] const std::string& path() const { return folder_.path().native(); }

private:
    PrivateDirectory(Descriptor lock, TemporaryFolder folder) : lock_(std::move(lock)), folder_(std::move(folder)) {}
    Descriptor lock_; ///< held as long as the owner lives; the kernel lets it go when it dies
    TemporaryFolder folder_;
};

} // namespace mediarig::lab
