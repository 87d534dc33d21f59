// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/figures/figures.hpp"

#include <algorithm>
#include <numeric>

#include "host/report/text/display_text.hpp"
#include "host/workload/metrics/metrics.hpp"

namespace mediarig::report {

namespace {

std::vector<std::size_t> all_of(const store::CampaignView& campaign) {
    std::vector<std::size_t> devices(campaign.devices.size());
    std::iota(devices.begin(), devices.end(), std::size_t{});
    return devices;
}

} // namespace

Figures::Figures(const store::CampaignView& campaign) : Figures(campaign, all_of(campaign)) {}

Figures::Figures(const store::CampaignView& campaign, const std::vector<std::size_t>& devices) {
    for (const std::size_t device : devices)
        for (const store::PassView& pass : campaign.devices[device].passes) {
            const std::string& suite = pass.pass.job.suite;
            see(campaign, device, suite, pass.pass.format);
            for (const workload::CellResult& cell : pass.cells) {
                see(suite, cell);
                if (metrics::has_few_operations(cell))
                    few_.emplace(device, pass.pass.format, suite, cell.cell.table, cell.cell.block, cell.cell.access);
            }
            for (const measure::MetricValues& measured : metrics::metrics_of(suite, pass.pass.format, pass.cells))
                add(device, measured);
        }
}

Figures Figures::verdict_figures(const store::CampaignView& campaign) {
    Figures figures;
    for (std::size_t device = 0; device < campaign.devices.size(); ++device) {
        if (!campaign.devices[device].verdict) continue;
        for (const measure::MetricValues& measured : campaign.devices[device].verdict->headlines) {
            figures.see(campaign, device, measured.suite, measured.format);
            figures.add(device, measured);
        }
    }
    return figures;
}

void Figures::see(const store::CampaignView& campaign, std::size_t device, const std::string& suite,
                  const std::string& format) {
    if (std::find(suites_.begin(), suites_.end(), suite) == suites_.end()) suites_.push_back(suite);
    if (!known_.emplace(suite, device, format).second) return;
    std::string title = format_title(format);
    if (campaign.devices.size() > 1) title.insert(0, campaign.devices[device].device.name + " · ");
    seen_.push_back({suite, {.device = device, .format = format, .title = std::move(title)}});
}

void Figures::see(const std::string& suite, const workload::CellResult& cell) {
    const SeenCell seen{suite, {cell.cell.table, cell.cell.block}, cell.cell.access};
    const bool old = std::any_of(cells_.begin(), cells_.end(), [&](const SeenCell& c) {
        return c.suite == seen.suite && c.row == seen.row && c.access == seen.access;
    });
    if (!old) cells_.push_back(seen);
}

void Figures::add(std::size_t device, const measure::MetricValues& measured) {
    std::vector<double>& values = values_[{device, measured.format, measured.suite, measured.metric}];
    values.insert(values.end(), measured.values.begin(), measured.values.end());
    if (measured.extreme && !values.empty()) values = {std::ranges::max(values)};
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

bool Figures::has_few_samples(const Subject& subject, std::string_view suite, const SweepRow& row,
                              workload::Access access) const {
    return few_.contains({subject.device, subject.format, std::string(suite), row.table, row.block, access});
}

} // namespace mediarig::report
