// SPDX-License-Identifier: GPL-3.0-or-later
/// Lists, finds, deletes, exports and imports the campaigns of a store.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host/app/files/text_file.hpp"
#include "host/base/result.hpp"
#include "host/store/sqlite/archive.hpp"

namespace mediarig::app {

/// All campaigns of an existing store, newest first; read access suffices. The state is `running` only while a process
/// runs the campaign; a killed campaign is interrupted. Fails with bad_request (no such store) or store_failed.
[[nodiscard]] Result<std::vector<store::ListedCampaign>> list_campaigns(const std::filesystem::path& database);

/// Resolves `word`: a number; an id or its beginning; a name; a device in the campaign by key, name, serial or nickname
/// (the newest such campaign); "last" or an empty word for the newest. `campaigns` come from list_campaigns(). Fails
/// with bad_request if no campaign or several ids match.
[[nodiscard]] Result<store::ListedCampaign> choose_campaign(const std::vector<store::ListedCampaign>& campaigns,
                                                            const std::string& word);
/// choose_campaign() among the campaigns of the store.
[[nodiscard]] Result<store::ListedCampaign> find_campaign(const std::filesystem::path& database,
                                                          const std::string& word);

/// Like find_campaign(), among the campaigns that compare formats: an empty word means the newest comparison. Also
/// fails with bad_request if the campaign compares nothing.
[[nodiscard]] Result<store::ListedCampaign> find_comparison(const std::filesystem::path& database,
                                                            const std::string& word);

/// True if a process is starting a campaign that is not in the store yet: its lab boots or its agent starts. False if
/// that cannot be determined.
[[nodiscard]] bool is_campaign_starting(const std::filesystem::path& database);

/// Deletes a campaign and its lab media; device logs are kept. Returns the deleted campaign. Fails like
/// find_campaign(), with refused (the campaign is running) and with store_failed.
[[nodiscard]] Result<store::ListedCampaign> delete_campaign(const std::filesystem::path& database,
                                                            const std::string& word);

/// Copies a campaign into a new store file. Fails like find_campaign(), with bad_request if `file` must not be replaced
/// or cannot be a store, with refused (the campaign is running), and with store_failed.
[[nodiscard]] Result<store::ListedCampaign> export_campaign(const std::filesystem::path& database,
                                                            const std::string& word, const std::filesystem::path& file,
                                                            Existing existing);

struct ImportResult {
    std::vector<store::ListedCampaign> taken; ///< imported campaigns, as numbered in this store, oldest first
    std::size_t known{};                      ///< number of campaigns in the file that the store already had
};
/// Imports every campaign of the store `file` that `database` does not contain; creates `database` if it is missing.
/// Fails with bad_request (no such file) or store_failed; campaigns that were imported before the failure remain.
[[nodiscard]] Result<ImportResult> import_campaigns(const std::filesystem::path& database,
                                                    const std::filesystem::path& file);

} // namespace mediarig::app
