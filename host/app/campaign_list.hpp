// SPDX-License-Identifier: GPL-3.0-or-later
/// The campaigns of a store: found by whatever a person calls them, deleted, and carried from one store to another.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host/app/files/text_file.hpp"
#include "host/base/result.hpp"
#include "host/store/sqlite/archive.hpp"

namespace mediarig::app {

/// All campaigns of a store that exists and need not be writable, newest first. `running` is said of those alone that
/// a process is at work on: one that was killed is interrupted. Fails with bad_request (no such store) or store_failed.
[[nodiscard]] Result<std::vector<store::ListedCampaign>> list_campaigns(const std::filesystem::path& database);

/// Which one `word` means: its number; its id or the beginning of it; its name, or a device in it by key, name,
/// serial or nickname (the newest such campaign); "last" or nothing for the newest. `campaigns` as list_campaigns()
/// gives them. Fails with bad_request: none, or several ids that begin so.
[[nodiscard]] Result<store::ListedCampaign> choose_campaign(const std::vector<store::ListedCampaign>& campaigns,
                                                            const std::string& word);
/// The same from a store.
[[nodiscard]] Result<store::ListedCampaign> find_campaign(const std::filesystem::path& database,
                                                          const std::string& word);

/// The same among the campaigns that compare formats, so that nothing means the newest comparison. Fails as
/// find_campaign(), and with bad_request where the word means a campaign that compares nothing.
[[nodiscard]] Result<store::ListedCampaign> find_comparison(const std::filesystem::path& database,
                                                            const std::string& word);

/// Whether a process has begun a campaign that is not in the store yet: its lab boots, or its agent is started. False
/// where that cannot be told.
[[nodiscard]] bool is_campaign_starting(const std::filesystem::path& database);

/// Removes a campaign and what its lab kept; device logs stay. Gives what was removed. Fails as find_campaign(), with
/// refused (it is running) and with store_failed.
[[nodiscard]] Result<store::ListedCampaign> delete_campaign(const std::filesystem::path& database,
                                                            const std::string& word);

/// Copies a campaign into a store file of its own. Fails as find_campaign(), with bad_request where `file` is to stay
/// or cannot be one, with refused (it is running), and with store_failed.
[[nodiscard]] Result<store::ListedCampaign> export_campaign(const std::filesystem::path& database,
                                                            const std::string& word, const std::filesystem::path& file,
                                                            Existing existing);

struct Imported {
    std::vector<store::ListedCampaign> taken; ///< as this store has them now, oldest first
    std::size_t known{};                      ///< how many of the file's were here already
};
/// Takes over every campaign of the store in `file` that `database` does not hold; makes `database` where it is
/// missing. Fails with bad_request (no such file) or store_failed; what was taken over before stays.
[[nodiscard]] Result<Imported> import_campaigns(const std::filesystem::path& database,
                                                const std::filesystem::path& file);

} // namespace mediarig::app
