// SPDX-License-Identifier: GPL-3.0-or-later
/// Where things are kept unless the user says otherwise.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host/base/result.hpp"

namespace mediarig::app {

/// $MEDIARIG_STORE, else $XDG_DATA_HOME/mediarig/mediarig.db, else ~/.local/share/mediarig/mediarig.db. The logs of
/// devices lie in "devices" beside it. Empty where no variable says where it would be.
[[nodiscard]] std::filesystem::path default_store();
/// Whether it is the one that is used where nobody names another.
[[nodiscard]] bool is_users_own(const std::filesystem::path& store);
[[nodiscard]] std::filesystem::path device_logs_beside(const std::filesystem::path& store);
/// Where configuration is looked for, in the order in which it is applied: the file that $MEDIARIG_CONFIG names, else
/// the machine's and the user's.
[[nodiscard]] std::vector<std::filesystem::path> config_files();
/// Whether $MEDIARIG_CONFIG names one.
[[nodiscard]] bool is_config_file_named();
/// "mqtt.json" in the user's folder of configuration: who we are at brokers; empty where there is no such folder.
[[nodiscard]] std::filesystem::path broker_file();
/// "names.json" beside the store that is used where none is named by anybody; empty as default_store().
[[nodiscard]] std::filesystem::path nickname_file();
/// Fails with bad_request (there is none, or `database` is empty) and store_failed (its folder may not be looked into).
[[nodiscard]] Result<void> check_store_exists(const std::filesystem::path& database);
/// Makes the folder of a store where there is none. Fails with bad_request (there cannot be one of
/// this name, or `store` is empty), store_failed.
[[nodiscard]] Result<void> make_folder_of(const std::filesystem::path& store);
/// What the emulated media of a campaign hold, until it is finished: "lab/STORE/CAMPAIGN" beside the store. A copy of
/// the campaign in another store has none of it. Always a folder of its own, also where a store that was imported gives
/// a path for an id.
[[nodiscard]] std::filesystem::path lab_media_beside(const std::filesystem::path& store, const std::string& campaign);
/// Makes such a folder, marked as mediarig's; see owned_folder.hpp. Fails with refused (it contains other files),
/// no_permission and io_failed.
[[nodiscard]] Result<void> make_lab_media(const std::filesystem::path& folder);
/// The same of a folder in the user's own folder, which is made if it is missing.
[[nodiscard]] Result<void> make_lab_media_in(const std::filesystem::path& users, const std::filesystem::path& folder);
/// Removes such a folder and the store's if that was the last one in it. Files that mediarig did not make stay:
/// refused.
[[nodiscard]] Result<void> remove_lab_media(const std::filesystem::path& folder);

} // namespace mediarig::app
