// SPDX-License-Identifier: GPL-3.0-or-later
/// Default paths of files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host/base/result.hpp"

namespace mediarig::app {

/// $MEDIARIG_STORE, else $XDG_DATA_HOME/mediarig/mediarig.db, else ~/.local/share/mediarig/mediarig.db. Device logs are
/// in the folder "devices" next to the store. Empty if no variable determines the path.
[[nodiscard]] std::filesystem::path default_store();
/// True if `store` is the default store.
[[nodiscard]] bool is_default_store(const std::filesystem::path& store);
[[nodiscard]] std::filesystem::path device_log_folder(const std::filesystem::path& store);
/// Configuration files in the order of application: the file named by $MEDIARIG_CONFIG, else the files of the machine
/// and of the user.
[[nodiscard]] std::vector<std::filesystem::path> config_files();
/// True if $MEDIARIG_CONFIG names a file.
[[nodiscard]] bool is_config_file_named();
/// "mqtt.json" in the user's configuration folder: identity at MQTT brokers; empty without such a folder.
[[nodiscard]] std::filesystem::path broker_file();
/// "names.json" next to the default store; empty like default_store().
[[nodiscard]] std::filesystem::path nickname_file();
/// Fails with bad_request (the store does not exist, or `database` is empty) and store_failed (its folder cannot be
/// searched).
[[nodiscard]] Result<void> check_store_exists(const std::filesystem::path& database);
/// Creates the folder of a store if it is missing. Fails with bad_request (the name is impossible, or `store` is
/// empty), store_failed.
[[nodiscard]] Result<void> make_folder_of(const std::filesystem::path& store);
/// Folder of the contents of a campaign's emulated media, kept until the campaign is finished: "lab/STORE/CAMPAIGN"
/// next to the store. A copy of the campaign in another store has no such folder. Always a separate folder, even if an
/// imported store contains a path as an id.
[[nodiscard]] std::filesystem::path lab_media_folder(const std::filesystem::path& store, const std::string& campaign);
/// Creates a lab_media_folder() with mediarig's mark; see owned_folder.hpp. Fails with refused (the folder contains
/// other files), no_permission and io_failed.
[[nodiscard]] Result<void> make_lab_media(const std::filesystem::path& folder);
/// Like make_lab_media(), for a folder in the user's own folder, which is created if it is missing.
[[nodiscard]] Result<void> make_lab_media_in(const std::filesystem::path& users, const std::filesystem::path& folder);
/// Removes a lab_media_folder(), and the store's folder if no other campaign is left in it. Files that mediarig did not
/// make are kept: refused.
[[nodiscard]] Result<void> remove_lab_media(const std::filesystem::path& folder);

} // namespace mediarig::app
