// SPDX-License-Identifier: GPL-3.0-or-later
/// The result of a campaign at a glance: one row for each medium, and a sentence that orders the media. Terminal, page,
/// CSV and window show this summary. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.hpp"
#include "host/measure/verdict.hpp"
#include "host/report/cards/lot.hpp"
#include "host/report/text/display_text.hpp"
#include "host/store/record.hpp"
#include "host/workload/spec.hpp"

namespace mediarig::report {

/// Rates and counts per second only: the larger figure is better.
struct SummaryColumn {
    workload::Access access{};
    std::string unit; ///< "MB/s", "ops/s"
};

struct SummaryFigure {
    std::vector<double> passes; ///< one value per pass; empty if it was not measured
    bool best{};                ///< of the formats of this medium, significantly the fastest
};

struct SummaryRow {
    std::size_t device{}; ///< index into CampaignView::devices
    std::optional<measure::Grade> grade;
    std::string cause; ///< reason for the grade in at most four words: "holds 8.05 GB"
    std::string name;
    std::string size;    ///< "63.9 GB"; empty if unknown
    std::string genuine; ///< "genuine", "fake" or "unproven"; empty for a folder, or if it is unknown
    /// Kinds of findings of severity warning or fault; unset if it is unknown.
    std::optional<std::size_t> warnings;
    /// Indexed by ResultSummary::formats, then by ResultSummary::columns. Empty lists of passes for formats that were
    /// not measured.
    std::vector<std::vector<SummaryFigure>> figures;

    [[nodiscard]] bool has_figures(std::size_t format) const;
};

struct ResultSummary {
    std::string source; ///< origin of the figures: "QuickBench averages, 2 passes"; empty without figures
    /// Sequential read, sequential write, random read and random write, as far as they were measured.
    std::vector<SummaryColumn> columns;
    std::vector<std::string> formats; ///< with figures, in the order in which they first ran; the bare device last
    std::vector<SummaryRow> rows;     ///< worst first
    std::string ranking;              ///< orders the media, or the formats of a single medium; may be empty
    std::string counts;               ///< "20 media: 18 PASS, 2 FAIL"; empty for a single medium
};

/// Collects the rows while the devices of an outline are loaded one after the other.
class SummaryMaker {
public:
    /// Reads identities, grades and headline figures of the verdicts.
    explicit SummaryMaker(const store::CampaignView& outline);
    /// Adds evidence of the capacity, findings and all rates of a loaded device.
    void add(const store::CampaignView& campaign, std::size_t device);
    /// `media`: number of media in the plan, including those never begun.
    [[nodiscard]] ResultSummary finish(std::size_t media) const;

    /// A figure of one medium that may become a column.
    struct Candidate {
        std::string suite, format, table;
        workload::Access access{};
        std::optional<Bytes> block; ///< unset: a headline figure of the suite
        std::string unit;
        bool average{}; ///< mean of several block sizes
        std::vector<double> passes;
    };

private:
    struct Medium {
        SummaryRow row;
        std::vector<Candidate> candidates;
        std::vector<std::string> formats; ///< in the order in which they first ran
    };
    std::vector<Medium> media_; ///< by device
    std::vector<std::size_t> order_;
    std::vector<GradeCount> counts_;
    bool compares_formats_{};
};

/// Requires loaded devices. `media`: see SummaryMaker::finish().
[[nodiscard]] ResultSummary summary_of(const store::CampaignView& campaign, std::size_t media = 0);

/// Returns the mean of the passes with three digits: "90.1"; "–" without a pass.
[[nodiscard]] std::string text_of(const SummaryFigure& figure);

/// Returns "20 media: 18 PASS, 2 FAIL", or "3 of 4 media judged: 3 PASS".
[[nodiscard]] std::string counts_text(const std::vector<GradeCount>& counts, std::size_t media);

/// A row for each medium and format (RFC 4180, CRLF), worst first, below a header line. The rates are means over the
/// passes; a field that was not measured is empty.
[[nodiscard]] std::string render_summary_csv(const ResultSummary& summary);
/// Renders an outline, whose devices are loaded one after the other. Fails as `load`.
[[nodiscard]] Result<std::string> render_summary_csv(store::CampaignView&& outline, const LoadDevice& load);

} // namespace mediarig::report
