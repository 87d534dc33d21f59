// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/store/sqlite/database_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>

#include "host/base/descriptor.hpp"

namespace mediarig::store {

bool is_database(const std::filesystem::path& file) {
    // https://sqlite.org/fileformat.html, 1.2: the header string.
    constexpr std::string_view magic("SQLite format 3\0", 16);
    std::error_code unknown;
    if (!std::filesystem::is_regular_file(file, unknown)) return false;
    // A process that closes any descriptor of a file loses all its locks of that file (fcntl(2)), also those of open
    // connections: another process would then remove their write-ahead log. So one descriptor of each database is kept.
    static std::mutex exclusive;
    static std::multimap<std::pair<dev_t, ino_t>, Descriptor> kept;
    const std::scoped_lock lock(exclusive);
    struct stat status {};
    std::array<char, magic.size()> head{};
    const auto is_magic = [&](int descriptor) {
        return ::pread(descriptor, head.data(), head.size(), 0) == static_cast<ssize_t>(head.size()) &&
               std::string_view(head.data(), head.size()) == magic;
    };
    if (::stat(file.c_str(), &status) != 0) return false;
    if (const auto known = kept.find({status.st_dev, status.st_ino}); known != kept.end())
        return is_magic(known->second.get());
    Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (!opened || ::fstat(opened.get(), &status) != 0 || !is_magic(opened.get())) return false;
    constexpr std::size_t most_kept = 100; // a folder of many databases must not use up the process's descriptors
    if (kept.size() < most_kept) kept.emplace(std::pair{status.st_dev, status.st_ino}, std::move(opened));
    return true;
}

} // namespace mediarig::store
