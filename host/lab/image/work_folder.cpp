// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/image/work_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "host/base/descriptor.hpp"
#include "host/base/owned_folder.hpp"

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
    if (fs::is_directory(finished, failed)) {
        const Descriptor opened(::open(finished.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        if (auto marked = mark_folder(opened.get(), finished); !marked) return marked;
        // A folder cannot be renamed onto one with contents. The old folder was found incomplete.
        if (auto removed = remove_owned_tree(place); !removed) return removed;
    }
    fs::rename(finished, place, failed);
    if (failed) return fail(Errc::io_failed, fmt::format("cannot write {}: {}", place.string(), failed.message()));
    return {};
}

void remove_stale_work(const fs::path& cache) {
    std::error_code ignored;
    std::vector<fs::path> left;
    for (const auto& entry : fs::directory_iterator(cache, ignored))
        if (entry.path().filename().string().starts_with(unfinished_prefix)) left.push_back(entry.path());
    for (const fs::path& path : left) (void)remove_owned_tree(path);
}

void keep_newest(const fs::path& folder, std::size_t count) {
    std::error_code ignored;
    std::vector<std::pair<fs::file_time_type, fs::path>> found;
    for (const auto& entry : fs::directory_iterator(folder, ignored))
        if (is_marked(entry.path())) found.emplace_back(fs::last_write_time(entry.path(), ignored), entry.path());
    std::sort(found.rbegin(), found.rend());
    for (std::size_t i = count; i < found.size(); ++i) (void)remove_owned_tree(found[i].second);
}

Result<void> claim_cache(const fs::path& cache) {
    constexpr std::array entries{"apt", "packages", "modules", "parts",    "images",
                                 "uml", "virtual",  "lock",    "kvm-probe"};
    std::error_code failed;
    fs::create_directories(cache.parent_path(), failed);
    if (failed)
        return fail(Errc::io_failed, fmt::format("cannot make {}: {}", cache.parent_path().string(), failed.message()));
    const auto is_own = [&](std::string_view name) {
        return name.starts_with(unfinished_prefix) || name.starts_with("kvm-probe.") ||
               std::ranges::find(entries, name) != entries.end();
    };
    const auto made = OwnedFolder::make(cache, {.is_own = is_own,
                                                .next_step = "set XDG_CACHE_HOME to another folder",
                                                .may_adopt = true,
                                                .others_may_read = true});
    return made ? Result<void>{} : fail(made.error());
}

} // namespace mediarig::lab
