// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/base/temporary_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "host/base/owned_folder.hpp"

namespace mediarig {

namespace fs = std::filesystem;

Result<TemporaryFolder> TemporaryFolder::make(const fs::path& parent, std::string_view prefix) {
    std::string path = (parent / fmt::format("{}XXXXXX", prefix)).string();
    if (::mkdtemp(path.data()) != nullptr) {
        TemporaryFolder made(std::move(path));
        const Descriptor opened(::open(made.path_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        if (auto marked = mark_folder(opened.get(), made.path_); !marked) return fail(marked.error());
        return made;
    }
    const Errc code = errno == EACCES || errno == EPERM || errno == EROFS ? Errc::no_permission : Errc::io_failed;
    return fail(code, fmt::format("cannot make a folder in {}: {}", parent.string(), std::strerror(errno)));
}

Result<TemporaryFolder> TemporaryFolder::make(std::string_view prefix) {
    std::error_code failed;
    const fs::path parent = fs::temp_directory_path(failed);
    if (failed) return fail(Errc::io_failed, fmt::format("no folder for temporary files: {}", failed.message()));
    return make(parent, prefix);
}

Result<void> TemporaryFolder::set_owner(uid_t user, gid_t group) {
    if (::lchown(path_.c_str(), user, group) != 0)
        return fail(Errc::io_failed,
                    fmt::format("cannot give {} to user {}: {}", path_.string(), user, std::strerror(errno)));
    given_to_ = user;
    return {};
}

TemporaryFolder::~TemporaryFolder() {
    if (path_.empty()) return;
    (void)(given_to_ ? remove_given_tree(path_, *given_to_) : remove_owned_tree(path_));
}

} // namespace mediarig
