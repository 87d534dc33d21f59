// SPDX-License-Identifier: GPL-3.0-or-later
/// Collects a campaign's measured values by device, format and metric. Tables and charts use these values.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "host/store/record.hpp"
#include "host/workload/suites/suite.hpp"

namespace mediarig::report {

/// One device under one format: a column group of a table, a line of a chart.
struct Subject {
    std::size_t device{}; ///< index into CampaignView::devices
    std::string format{};
    std::string title{}; ///< "fast · exFAT"; without the device if there is only one; not escaped
    bool operator==(const Subject&) const = default;
};

/// A row of a block-size table.
struct SweepRow {
    std::string table{};
    Bytes block;
    bool operator==(const SweepRow&) const = default;
};

class Figures {
public:
    /// Reads all passes. Keeps no reference to `campaign`.
    explicit Figures(const store::CampaignView& campaign);
    /// Reads only these devices, indices into CampaignView::devices in any order.
    Figures(const store::CampaignView& campaign, const std::vector<std::size_t>& devices);
    /// Returns the headline figures from the verdicts. The result contains no passes, and so no rows and accesses.
    [[nodiscard]] static Figures verdict_figures(const store::CampaignView& campaign);

    /// The suites in the order in which they first ran.
    [[nodiscard]] const std::vector<std::string>& suites() const { return suites_; }
    /// Returns the subjects that ran `suite`: devices in the campaign's order, formats in the order in which they first
    /// ran.
    [[nodiscard]] std::vector<Subject> subjects(std::string_view suite) const;
    /// Returns every table and block size of the cells of `suite`, tables in the order in which they first ran.
    [[nodiscard]] std::vector<SweepRow> rows(std::string_view suite) const;
    /// Returns the accesses of a table of `suite`, reads before writes, sequential before random.
    [[nodiscard]] std::vector<workload::Access> accesses(std::string_view suite, std::string_view table) const;
    /// Returns one value per pass. A maximum latency has one value, the maximum over all passes. Returns an empty list
    /// if it was not measured.
    [[nodiscard]] const std::vector<double>& passes(const Subject& subject, std::string_view suite,
                                                    const suites::Metric& metric) const;

    /// Returns true if a cell has so few operations that a single pause determines the figure.
    [[nodiscard]] bool has_few_samples(const Subject& subject, std::string_view suite, const SweepRow& row,
                                       workload::Access access) const;

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

    Figures() = default;
    void see(const store::CampaignView& campaign, std::size_t device, const std::string& suite,
             const std::string& format);
    void see(const std::string& suite, const workload::CellResult& cell);
    void add(std::size_t device, const measure::MetricValues& measured);

    std::vector<std::string> suites_{};
    std::vector<Seen> seen_{};
    std::set<std::tuple<std::string, std::size_t, std::string>> known_; ///< suite, device, format of `seen_`
    std::vector<SeenCell> cells_{};
    std::map<Key, std::vector<double>> values_;
    /// Device, format, suite, table, block, access.
    std::set<std::tuple<std::size_t, std::string, std::string, std::string, Bytes, workload::Access>> few_;
};

} // namespace mediarig::report
