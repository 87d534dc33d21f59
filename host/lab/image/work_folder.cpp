// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/image/work_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace mediarig::lab {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view unfinished_prefix = ".building-";

/// After a power loss an image must not appear complete with empty files.
void sync_file_system_of(const fs::path& path) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return;
    ::syncfs(descriptor);
    ::close(descriptor);
}

} // namespace

Result<TemporaryFolder> make_work_folder(const fs::path& cache) {
    return TemporaryFolder::make(cache, unfinished_prefix);
}

Result<void> publish(const fs::path& finished, const fs::path& place) {
    sync_file_system_of(finished);
    std::error_code failed;
    fs::create_directories(place.parent_path(), failed);
    // rename() cannot replace a folder that is not empty; the existing one is invalid.
    if (fs::is_directory(place, failed)) fs::remove_all(place, failed);
    fs::rename(finished, place, failed);
    if (failed) return fail(Errc::io_failed, fmt::format("cannot write {}: {}", place.string(), failed.message()));
    return {};
}

void remove_left_work(const fs::path& cache) {
    std::error_code ignored;
    std::vector<fs::path> left;
    for (const auto& entry : fs::directory_iterator(cache, ignored))
        if (entry.path().filename().string().starts_with(unfinished_prefix)) left.push_back(entry.path());
    for (const fs::path& path : left) fs::remove_all(path, ignored);
}

void keep_newest(const fs::path& folder, std::size_t count) {
    std::error_code ignored;
    std::vector<std::pair<fs::file_time_type, fs::path>> found;
    for (const auto& entry : fs::directory_iterator(folder, ignored))
        found.emplace_back(fs::last_write_time(entry.path(), ignored), entry.path());
    std::sort(found.rbegin(), found.rend());
    for (std::size_t i = count; i < found.size(); ++i) fs::remove_all(found[i].second, ignored);
}

} // namespace mediarig::lab
