// SPDX-License-Identifier: GPL-3.0-or-later
/// A campaign's measured values by device, format and metric: what tables and charts are made of.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "host/store/record.hpp"
#include "host/suites/suite.hpp"

namespace mediarig::report {

/// One device under one format: a column group of a table, a line of a chart.
struct Subject {
    std::size_t device{}; ///< index into CampaignView::devices
    std::string format;
    std::string title; ///< "fast · exFAT"; without the device where there is only one. Not escaped
    bool operator==(const Subject&) const = default;
};

/// A row of a block-size table.
struct SweepRow {
    std::string table;
    Bytes block;
    bool operator==(const SweepRow&) const = default;
};

/// Which values are kept: a campaign of a thousand devices has millions.
enum class Kept : std::uint8_t { all, headlines };

class Figures {
public:
    /// Keeps no reference to `campaign`.
    explicit Figures(const store::CampaignView& campaign, Kept kept = Kept::all);
    /// Of these devices alone, which are indices into CampaignView::devices, ascending or not.
    Figures(const store::CampaignView& campaign, const std::vector<std::size_t>& devices, Kept kept = Kept::all);

    /// In the order in which they first ran.
    [[nodiscard]] const std::vector<std::string>& suites() const { return suites_; }
    /// Those that ran `suite`: devices in the campaign's order, formats in the order in which they first ran.
    [[nodiscard]] std::vector<Subject> subjects(std::string_view suite) const;
    /// Every table and block size that a cell of `suite` had, tables in the order in which they first ran.
    [[nodiscard]] std::vector<SweepRow> rows(std::string_view suite) const;
    /// The accesses that a table of `suite` had, reads before writes, sequential before random.
    [[nodiscard]] std::vector<workload::Access> accesses(std::string_view suite, std::string_view table) const;
    /// One value a pass; empty where it was not measured.
    [[nodiscard]] const std::vector<double>& passes(const Subject& subject, std::string_view suite,
                                                    const suites::Metric& metric) const;

private:
    struct Seen {
        std::string suite;
        Subject subject;
    };
    struct SeenCell {
        std::string suite;
        SweepRow row;
        workload::Access access{};
    };
    using Key = std::tuple<std::size_t, std::string, std::string, std::string>;

    void take(std::size_t device, const Subject& subject, const store::PassView& pass);
    [[nodiscard]] bool is_kept(std::string_view suite, std::string_view metric) const;

    Kept kept_;
    std::vector<std::string> suites_;
    std::vector<Seen> seen_;
    std::set<std::tuple<std::string, std::size_t, std::string>> known_; ///< suite, device, format of `seen_`
    std::vector<SeenCell> cells_;
    std::map<Key, std::vector<double>> values_;
};

} // namespace mediarig::report
