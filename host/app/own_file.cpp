// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/app/own_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "host/app/paths.hpp"
#include "host/store/sqlite/open_store.hpp"

namespace mediarig::app {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view folder_of_sockets = ".sockets";
constexpr std::array<std::string_view, 4> endings_beside_store = {".lock", "-wal", "-shm", "-journal"};

fs::path without(const fs::path& file, std::string_view ending) {
    const std::string name = file.string();
    return name.ends_with(ending) ? fs::path(name.substr(0, name.size() - ending.size())) : fs::path();
}

/// The store that keeps its own things under this name; empty for none.
fs::path owner_of(const fs::path& file) {
    for (const std::string_view ending : endings_beside_store)
        if (fs::path owner = without(file, ending); store::is_database(owner)) return owner;
    const fs::path folder = file.parent_path();
    if (fs::path owner = without(folder, folder_of_sockets); store::is_database(owner)) return owner;
    if (folder.filename() != device_logs_beside(folder).filename()) return {};
    std::error_code unknown;
    for (const fs::directory_entry& each : fs::directory_iterator(folder.parent_path(), unknown))
        if (store::is_database(each.path())) return each.path();
    return {};
}

} // namespace

Result<void> check_not_own(const fs::path& file) {
    std::error_code unknown;
    const fs::path place = fs::weakly_canonical(fs::absolute(file, unknown), unknown);
    if (unknown) return {};
    if (const fs::path store = owner_of(place); !store.empty())
        return fail(Errc::bad_request,
                    fmt::format("{} is kept by the store {}: name another file", file.string(), store.string()));
    const fs::path names = fs::weakly_canonical(nickname_file(), unknown);
    if (!names.empty() && (place == names || place == names.string() + ".lock"))
        return fail(Errc::bad_request,
                    fmt::format("{} holds the names of media or is their lock: name another file", file.string()));
    return {};
}

} // namespace mediarig::app
