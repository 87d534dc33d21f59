// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/base/temporary_folder.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace mediarig {

namespace fs = std::filesystem;

Result<TemporaryFolder> TemporaryFolder::make(const fs::path& parent, std::string_view prefix) {
    std::string path = (parent / fmt::format("{}XXXXXX", prefix)).string();
    if (::mkdtemp(path.data()) != nullptr) return TemporaryFolder(std::move(path));
    const Errc code = errno == EACCES || errno == EPERM || errno == EROFS ? Errc::no_permission : Errc::io_failed;
    return fail(code, fmt::format("cannot make a folder in {}: {}", parent.string(), std::strerror(errno)));
}

Result<TemporaryFolder> TemporaryFolder::make(std::string_view prefix) {
    std::error_code failed;
    const fs::path parent = fs::temp_directory_path(failed);
    if (failed) return fail(Errc::io_failed, fmt::format("no folder for temporary files: {}", failed.message()));
    return make(parent, prefix);
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
}

} // namespace mediarig
