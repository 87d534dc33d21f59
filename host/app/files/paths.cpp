// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/app/files/paths.hpp"

#include <fmt/format.h>

#include <string_view>

#include "host/base/owned_folder.hpp"
#include "host/base/process/environment.hpp"

namespace mediarig::app {
namespace {

using process::environment;

/// Value of $VARIABLE, else `usual` in the home folder; empty if neither is known. The XDG standard requires that
/// relative paths are ignored.
std::filesystem::path below_home(const char* variable, const std::filesystem::path& usual) {
    if (const std::filesystem::path named = environment(variable); named.is_absolute()) return named;
    const std::filesystem::path home = environment("HOME");
    return home.is_absolute() ? home / usual : std::filesystem::path();
}

std::filesystem::path in_data_folder(const char* name) {
    const std::filesystem::path folder = below_home("XDG_DATA_HOME", std::filesystem::path(".local") / "share");
    return folder.empty() ? folder : folder / "mediarig" / name;
}

Error no_home() {
    return {
        Errc::bad_request,
        "neither HOME nor XDG_DATA_HOME names a folder for the store: set one of them, or name a file with --store"};
}

/// True for "slot1-genuine-own-own.card" and "slot-1.card", the contents of emulated cards, and for the folder of a
/// simulated rig.
bool is_lab_medium(std::string_view name) {
    return name == "rig" || (name.starts_with("slot") && name.ends_with(".card"));
}

constexpr const char* other_store = "choose another store with --store";

Error cannot_be_made(const std::filesystem::path& folder, const std::error_code& why) {
    return {Errc::io_failed, fmt::format("{} cannot be made: {}", folder.string(), why.message())};
}

} // namespace

std::filesystem::path default_store() {
    if (const auto named = environment("MEDIARIG_STORE"); !named.empty()) return named;
    return in_data_folder("mediarig.db");
}

bool is_default_store(const std::filesystem::path& store) {
    return !store.empty() && store == in_data_folder("mediarig.db");
}

std::vector<std::filesystem::path> config_files() {
    if (const auto named = environment("MEDIARIG_CONFIG"); !named.empty()) return {named};
    const std::filesystem::path name = std::filesystem::path("mediarig") / "config.json";
    const std::filesystem::path folder = below_home("XDG_CONFIG_HOME", ".config");
    if (folder.empty()) return {"/etc" / name};
    return {"/etc" / name, folder / name};
}

bool is_config_file_named() {
    return !environment("MEDIARIG_CONFIG").empty();
}

std::filesystem::path broker_file() {
    const std::filesystem::path folder = below_home("XDG_CONFIG_HOME", ".config");
    return folder.empty() ? folder : folder / "mediarig" / "mqtt.json";
}

std::filesystem::path nickname_file() {
    return in_data_folder("names.json");
}

std::filesystem::path device_log_folder(const std::filesystem::path& store) {
    return store.parent_path() / "devices";
}

std::filesystem::path lab_media_folder(const std::filesystem::path& store, const std::string& campaign) {
    std::error_code none;
    // An imported store may contain a path as an id, which would lead out of the folder.
    const bool one_name =
        !campaign.empty() && campaign != "." && campaign != ".." && campaign.find('/') == std::string::npos;
    const std::filesystem::path whole = std::filesystem::absolute(store, none);
    return whole.parent_path() / "lab" / whole.filename() / (one_name ? campaign : "unnamed");
}

Result<void> make_lab_media(const std::filesystem::path& folder) {
    constexpr int tries = 3; // another process may remove the store's folder if its campaign was the last one there
    std::error_code failed;
    std::filesystem::create_directories(folder.parent_path().parent_path(), failed);
    if (failed) return fail(cannot_be_made(folder.parent_path().parent_path(), failed));
    Result<OwnedFolder> made = fail(Errc::io_failed, folder.string());
    for (int i = 0; i < tries && !made && made.error().code == Errc::io_failed; ++i)
        if (auto of_store = OwnedFolder::make(folder.parent_path(), {.is_own = {}, .next_step = other_store}); of_store)
            made = OwnedFolder::make(folder, {.is_own = is_lab_medium, .next_step = other_store});
        else
            made = fail(of_store.error());
    return made ? Result<void>{} : fail(made.error());
}

Result<void> make_lab_media_in(const std::filesystem::path& users, const std::filesystem::path& folder) {
    std::error_code failed;
    std::filesystem::create_directories(users, failed);
    if (failed) return fail(cannot_be_made(users, failed));
    const auto made =
        OwnedFolder::make(folder, {.is_own = is_lab_medium, .next_step = "name another folder with --media"});
    return made ? Result<void>{} : fail(made.error());
}

Result<void> remove_lab_media(const std::filesystem::path& folder) {
    auto removed = remove_owned_tree(folder, is_lab_medium);
    if (removed) remove_owned_if_empty(folder.parent_path());
    return removed;
}

Result<void> check_store_exists(const std::filesystem::path& database) {
    if (database.empty()) return fail(no_home());
    std::error_code error;
    if (std::filesystem::exists(database, error)) return {};
    // The contents of a folder without search permission are unknown.
    if (error)
        return fail(
            Errc::store_failed,
            fmt::format(
                "{} cannot be accessed: {}; run as a user with read permission, or name another store with --store",
                database.string(), error.message()));
    return fail(
        Errc::bad_request,
        fmt::format("{} does not exist: run a campaign first, or name another store with --store", database.string()));
}

Result<void> make_folder_of(const std::filesystem::path& store) {
    if (store.empty()) return fail(no_home());
    std::error_code error;
    if (store.has_parent_path()) std::filesystem::create_directories(store.parent_path(), error);
    if (!error) return {};
    // A full or read-only disk is a fault of this machine; any other error is caused by the given name.
    const bool of_machine = error == std::errc::permission_denied || error == std::errc::operation_not_permitted ||
                            error == std::errc::read_only_file_system || error == std::errc::no_space_on_device ||
                            error == std::errc::io_error;
    return fail(of_machine ? Errc::store_failed : Errc::bad_request,
                fmt::format("{} cannot be made: {}; choose another place with --store", store.parent_path().string(),
                            error.message()));
}

} // namespace mediarig::app
