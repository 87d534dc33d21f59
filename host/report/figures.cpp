// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/figures.hpp"

#include <algorithm>
#include <numeric>

#include "host/metrics/metrics.hpp"
#include "host/report/display_text.hpp"

namespace mediarig::report {

namespace {

std::vector<std::size_t> all_of(const store::CampaignView& campaign) {
    std::vector<std::size_t> devices(campaign.devices.size());
    std::iota(devices.begin(), devices.end(), std::size_t{});
    return devices;
}

} // namespace

Figures::Figures(const store::CampaignView& campaign, Kept kept) : Figures(campaign, all_of(campaign), kept) {}

Figures::Figures(const store::CampaignView& campaign, const std::vector<std::size_t>& devices, Kept kept)
    : kept_(kept) {
    for (const std::size_t device : devices) {
        const store::DeviceView& view = campaign.devices[device];
        for (const store::PassView& pass : view.passes) {
            std::string title = format_title(pass.pass.format);
            if (campaign.devices.size() > 1) title.insert(0, view.device.name + " · ");
            take(device, {.device = device, .format = pass.pass.format, .title = title}, pass);
        }
    }
}

void Figures::take(std::size_t device, const Subject& subject, const store::PassView& pass) {
    const std::string& suite = pass.pass.job.suite;
    if (std::find(suites_.begin(), suites_.end(), suite) == suites_.end()) suites_.push_back(suite);
    if (known_.emplace(suite, device, subject.format).second) seen_.push_back({suite, subject});

    for (const workload::CellResult& cell : pass.cells) {
        const SeenCell seen{suite, {cell.cell.table, cell.cell.block}, cell.cell.access};
        const bool old = std::any_of(cells_.begin(), cells_.end(), [&](const SeenCell& c) {
            return c.suite == seen.suite && c.row == seen.row && c.access == seen.access;
        });
        if (!old) cells_.push_back(seen);
    }
    for (measure::Measured& metric : metrics::metrics_of(suite, pass.pass.format, pass.cells)) {
        if (!is_kept(suite, metric.metric)) continue;
        std::vector<double>& values = values_[{device, pass.pass.format, suite, metric.metric}];
        values.insert(values.end(), metric.values.begin(), metric.values.end());
    }
}

bool Figures::is_kept(std::string_view suite, std::string_view metric) const {
    if (kept_ == Kept::all) return true;
    const suites::Suite* known = suites::find_suite(suite);
    return known != nullptr && std::ranges::any_of(known->headlines, [&](const suites::Headline& headline) {
               return metrics::name_of(headline.metric) == metric;
           });
}

std::vector<Subject> Figures::subjects(std::string_view suite) const {
    std::vector<Subject> result;
    for (const Seen& seen : seen_)
        if (seen.suite == suite) result.push_back(seen.subject);
    return result;
}

std::vector<SweepRow> Figures::rows(std::string_view suite) const {
    std::vector<std::string> tables;
    for (const SeenCell& cell : cells_)
        if (cell.suite == suite && std::find(tables.begin(), tables.end(), cell.row.table) == tables.end())
            tables.push_back(cell.row.table);
    std::vector<SweepRow> result;
    for (const std::string& table : tables) {
        std::vector<Bytes> blocks;
        for (const SeenCell& cell : cells_)
            if (cell.suite == suite && cell.row.table == table) blocks.push_back(cell.row.block);
        std::sort(blocks.begin(), blocks.end());
        blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
        for (const Bytes block : blocks) result.push_back({table, block});
    }
    return result;
}

std::vector<workload::Access> Figures::accesses(std::string_view suite, std::string_view table) const {
    using workload::Access;
    std::vector<Access> result;
    for (const Access access :
         {Access::sequential_read, Access::sequential_write, Access::random_read, Access::random_write})
        if (std::any_of(cells_.begin(), cells_.end(), [&](const SeenCell& cell) {
                return cell.suite == suite && cell.row.table == table && cell.access == access;
            }))
            result.push_back(access);
    return result;
}

const std::vector<double>& Figures::passes(const Subject& subject, std::string_view suite,
                                           const suites::Metric& metric) const {
    static const std::vector<double> none;
    const auto found = values_.find({subject.device, subject.format, std::string(suite), metrics::name_of(metric)});
    return found == values_.end() ? none : found->second;
}

} // namespace mediarig::report
