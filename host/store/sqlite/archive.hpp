// SPDX-License-Identifier: GPL-3.0-or-later
/// A store as a list of campaigns: what each is called, and whole campaigns that are removed or carried to another
/// store.
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
    std::string confirmation;                  ///< what confirms its erasure: its serial, its path where it has none
    std::optional<measure::Grade> grade;       ///< unset: not judged
    std::string nickname;                      ///< of the user who looks at it: no store keeps one
};

struct ListedCampaign {
    std::uint64_t number{}; ///< from 1, in the order in which this store got them; never given twice
    std::string id, name;
    TimePoint started{};
    std::optional<TimePoint> ended;
    CampaignState state{};
    std::vector<ListedDevice> devices;        ///< in the order in which they were first put
    std::vector<std::string> formats, suites; ///< of its passes, each once, by name
};

class Connection;

/// What becomes of the number of a campaign that is removed.
enum class Number : std::uint8_t {
    kept,      ///< it is not given again
    given_back ///< nobody has seen it: where it is the newest, the next campaign gets it
};

/// Where a copied campaign was made. The command that goes on with one from elsewhere is left out: it names files of
/// another machine, or whatever who made the file wants to have typed. A finished one's stays, as its record's sum
/// does.
enum class Made : std::uint8_t { here, elsewhere };

/// One thread at a time.
class Archive {
public:
    /// Makes the store where it is missing. Fails as open_store().
    [[nodiscard]] static Result<Archive> open(const std::filesystem::path& file);
    /// Fails as open_store_to_read().
    [[nodiscard]] static Result<Archive> open_to_read(const std::filesystem::path& file,
                                                      const Advice& advice = about_a_store);
    Archive(Archive&&) noexcept;
    Archive& operator=(Archive&&) noexcept;
    ~Archive();

    /// Newest first; `only`: the one with this id, if it is there.
    [[nodiscard]] Result<std::vector<ListedCampaign>> list(const std::string& only = {});
    /// With everything that was kept of it here, all or nothing; `id` is a whole one. Device logs are not touched.
    /// Fails with bad_request (no such campaign) or store_failed.
    [[nodiscard]] Result<void> remove(const std::string& id, Number number = Number::kept);
    /// Whether `other` has the tables of this one and nothing else: no trigger, no view. Fails with bad_request where
    /// it has not, and with store_failed.
    [[nodiscard]] Result<void> check_tables_of(Archive& other);
    /// Takes over a copy of a campaign of `other`, all or nothing, under a number of this store's. Fails with
    /// bad_request (no such campaign there, or it is here already) or store_failed.
    [[nodiscard]] Result<void> take_over(Archive& other, const std::string& id, Made made);

private:
    explicit Archive(std::unique_ptr<Connection> connection);
    std::unique_ptr<Connection> connection_;
};

} // namespace mediarig::store
