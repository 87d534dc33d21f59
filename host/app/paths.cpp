// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/app/paths.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

namespace mediarig::app {
namespace {

std::string_view environment(const char* name) {
    const char* value = std::getenv(name); // NOLINT(concurrency-mt-unsafe): read once, before any thread exists
    return value == nullptr ? std::string_view{} : std::string_view{value};
}

} // namespace

std::filesystem::path default_store() {
    if (const auto named = environment("MEDIARIG_STORE"); !named.empty()) return named;
    std::filesystem::path data;
    if (const auto xdg = environment("XDG_DATA_HOME"); !xdg.empty())
        data = xdg;
    else
        data = std::filesystem::path(environment("HOME").empty() ? "." : environment("HOME")) / ".local" / "share";
    return data / "mediarig" / "mediarig.db";
}

std::filesystem::path device_logs_beside(const std::filesystem::path& store) {
    return store.parent_path() / "devices";
}

std::filesystem::path lab_media_beside(const std::filesystem::path& store, const std::string& campaign) {
    std::error_code none;
    // A store may come from anybody: an id that is a path would lead out of the folder.
    const bool one_name =
        !campaign.empty() && campaign != "." && campaign != ".." && campaign.find('/') == std::string::npos;
    return std::filesystem::absolute(store, none).parent_path() / "lab" / (one_name ? campaign : "unnamed");
}

Result<void> check_store_exists(const std::filesystem::path& database) {
    std::error_code error;
    if (std::filesystem::exists(database, error)) return {};
    // A folder that may not be entered does not tell what is in it.
    if (error)
        return fail(Errc::store_failed,
                    fmt::format("{} cannot be looked at: {}; become a user who may, or name another "
                                "store with --store",
                                database.string(), error.message()));
    return fail(
        Errc::bad_request,
        fmt::format("{} does not exist: run a campaign first, or name another store with --store", database.string()));
}

Result<void> make_folder_of(const std::filesystem::path& store) {
    std::error_code error;
    if (store.has_parent_path()) std::filesystem::create_directories(store.parent_path(), error);
    if (!error) return {};
    // A disk that is full or may not be written is this machine's; anything else is in the name.
    const bool of_machine = error == std::errc::permission_denied || error == std::errc::operation_not_permitted ||
                            error == std::errc::read_only_file_system || error == std::errc::no_space_on_device ||
                            error == std::errc::io_error;
    return fail(of_machine ? Errc::store_failed : Errc::bad_request,
                fmt::format("{} cannot be made: {}; choose another place with --store", store.parent_path().string(),
                            error.message()));
}

} // namespace mediarig::app
