// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/figures/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "host/report/text/display_text.hpp"
#include "host/workload/titles.hpp"

namespace mediarig::report {

namespace {

/// A store may contain findings about cells that it lacks.
std::string title_of_cell(const std::string& id, const std::vector<workload::CellResult>& cells) {
    const auto found = std::ranges::find(cells, id, [](const auto& each) { return each.cell.id; });
    return workload::cell_title(found == cells.end() ? workload::CellSpec{.id = id, .table = {}} : found->cell);
}

void add_device(const store::DeviceView& device, std::size_t index, std::vector<PlacedFinding>& found) {
    const std::size_t begin = found.size();
    std::set<std::pair<std::string, std::ptrdiff_t>> again; // pass, and index of a finding that repeats
    const auto add = [&](PlacedFinding placed) {
        placed.device = index;
        const auto known =
            std::find_if(found.begin() + static_cast<std::ptrdiff_t>(begin), found.end(), [&](const auto& f) {
                const bool of_wholes = f.cell.empty() && !f.pass.empty() && !placed.pass.empty();
                return (of_wholes || f.pass == placed.pass) && f.cell == placed.cell && f.finding == placed.finding;
            });
        if (known == found.end())
            found.push_back(std::move(placed));
        else if (known->pass != placed.pass && again.insert({placed.pass, known - found.begin()}).second)
            ++known->further_passes;
    };
    for (const store::FindingRecord& record : device.findings)
        add({.pass = {}, .cell = record.cell, .place = title_of_cell(record.cell, {}), .finding = record.finding});
    for (const store::PassView& pass : device.passes) {
        const auto place = [&](const std::string& cell) {
            return fmt::format("{} pass {}{}{}", format_title(pass.pass.format), pass.pass.repeat,
                               cell.empty() ? "" : ", ", title_of_cell(cell, pass.cells));
        };
        for (const store::FindingRecord& record : pass.findings)
            add({.pass = pass.pass.id, .cell = record.cell, .place = place(record.cell), .finding = record.finding});
        for (const workload::CellResult& cell : pass.cells)
            for (const measure::Finding& finding : cell.findings)
                add({.pass = pass.pass.id, .cell = cell.cell.id, .place = place(cell.cell.id), .finding = finding});
    }
    for (PlacedFinding& placed : found)
        if (placed.device == index && placed.further_passes > 0)
            placed.place += fmt::format(" and {} more", placed.further_passes);
}

void sort_worst_first(std::vector<PlacedFinding>& found) {
    std::stable_sort(found.begin(), found.end(), [](const PlacedFinding& a, const PlacedFinding& b) {
        return a.finding.severity > b.finding.severity;
    });
}

} // namespace

std::vector<PlacedFinding> findings_of(const store::CampaignView& campaign) {
    std::vector<PlacedFinding> found;
    for (std::size_t i = 0; i < campaign.devices.size(); ++i) add_device(campaign.devices[i], i, found);
    sort_worst_first(found);
    return found;
}

std::vector<PlacedFinding> findings_of(const store::DeviceView& device) {
    std::vector<PlacedFinding> found;
    add_device(device, 0, found);
    sort_worst_first(found);
    return found;
}

} // namespace mediarig::report
