// SPDX-License-Identifier: GPL-3.0-or-later
/// The directory of one running machine with its sockets and logs. It is removed with its owner, or by a later machine
/// if its owner was killed.
#pragma once

#include <string>
#include <utility>

#include "host/base/descriptor.hpp"
#include "host/base/result.hpp"
#include "host/base/temporary_folder.hpp"

namespace mediarig::lab {

class PrivateDirectory {
public:
    /// Makes "mediarig-lab-XXXXXX" in `parent`, accessible to this user only, and removes such directories there
    /// without a live owner. Empty `parent`: $XDG_RUNTIME_DIR if that is short enough for sockets, else /tmp. Fails
    /// with bad_request (the paths of sockets would be too long), no_permission, io_failed.
    [[nodiscard]] static Result<PrivateDirectory> make(const std::string& parent);

    [[nodiscard]] const std::string& path() const { return folder_.path().native(); }

private:
    PrivateDirectory(Descriptor lock, TemporaryFolder folder) : lock_(std::move(lock)), folder_(std::move(folder)) {}
    Descriptor lock_; ///< held while the owner lives; the kernel releases it when the owner dies
    TemporaryFolder folder_;
};

} // namespace mediarig::lab
