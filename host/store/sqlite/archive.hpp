// SPDX-License-Identifier: GPL-3.0-or-later
/// Manages a store as a list of campaigns: removes campaigns and copies them to another store.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/measure/verdict.hpp"
#include "host/store/record.hpp"
#include "host/store/sqlite/advice.hpp"

namespace mediarig::store {

struct ListedDevice {
    std::string key, name, lot, model, serial; ///< as in DeviceRecord and its identity
    std::string confirmation;            ///< confirms erasing the device: its serial, or its path if it has no serial
    std::optional<measure::Grade> grade; ///< unset: not judged
    std::string nickname;                ///< set by the user who views it; not stored
};

struct ListedCampaign {
    std::uint64_t number{}; ///< number from 1 in the order of arrival in this store; never reused
    std::string id, name;
    TimePoint started{};
    std::optional<TimePoint> ended;
    CampaignState state{};
    std::vector<ListedDevice> devices;        ///< in the order in which they were first stored
    std::vector<std::string> formats, suites; ///< distinct values in the passes of the campaign, sorted
};

class Connection;

/// Use of the number of a removed campaign.
enum class Number : std::uint8_t {
    kept,      ///< not assigned again
    given_back ///< no user saw the number: if it is the newest, the next campaign gets it
};

/// Origin of a copied campaign. The resume command of an unfinished campaign from elsewhere is removed: the command may
/// name files of another machine, or anything that the author of the file wants a user to type. A finished campaign
/// keeps its resume command, so that the hash of its record does not change.
enum class CampaignOrigin : std::uint8_t { here, elsewhere };

/// Only one thread may use an archive at a time.
class Archive {
public:
    /// Creates the store if it is missing. Fails like open_store().
    [[nodiscard]] static Result<Archive> open(const std::filesystem::path& file);
    /// Fails like open_store_read_only().
    [[nodiscard]] static Result<Archive> open_to_read(const std::filesystem::path& file,
                                                      const Advice& advice = about_a_store);
    Archive(Archive&&) noexcept;
    Archive& operator=(Archive&&) noexcept;
    ~Archive();

    /// Lists campaigns, newest first; `only`: lists only the campaign with this id, if it exists.
    [[nodiscard]] Result<std::vector<ListedCampaign>> list(const std::string& only = {});
    /// Removes a campaign with all its records in this store, completely or not at all; `id` is a complete id. Device
    /// logs are kept. Fails with bad_request (no such campaign) or store_failed.
    [[nodiscard]] Result<void> remove(const std::string& id, Number number = Number::kept);
    /// Succeeds if `other` has the tables of this store and nothing else: no trigger, no view. Otherwise fails with
    /// bad_request; on a read error fails with store_failed.
    [[nodiscard]] Result<void> check_tables_of(Archive& other);
    /// Succeeds if each number column of all campaigns contains a number of 0 or more, or is NULL (SQLite stores any
    /// value in any column). Otherwise fails with bad_request, which names table and column; on a read error fails with
    /// store_failed.
    [[nodiscard]] Result<void> check_numbers();
    /// Copies a campaign of `other` to this store, completely or not at all; this store assigns a new number. Fails
    /// with bad_request (no such campaign in `other`, or it already exists here) or store_failed.
    [[nodiscard]] Result<void> take_over(Archive& other, const std::string& id, CampaignOrigin made);

private:
    explicit Archive(std::unique_ptr<Connection> connection);
    std::unique_ptr<Connection> connection_;
};

} // namespace mediarig::store
