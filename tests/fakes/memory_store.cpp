// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fakes/memory_store.hpp"

#include <algorithm>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "host/store/record_json.hpp"

namespace mediarig::store {

Result<void> MemoryStore::wrote(std::string line) {
    if (fails_from && calls_++ >= *fails_from) return fail(Errc::store_failed, "no space left on device");
    if (!fails_from) ++calls_;
    log.push_back(std::move(line));
    return {};
}

DeviceView& MemoryStore::device(const std::string& campaign, const std::string& key) {
    for (DeviceView& each : views[campaign].devices)
        if (each.device.key == key) return each;
    throw std::logic_error("the session wrote about a device that it had not put: " + key);
}

PassView& MemoryStore::pass(const std::string& campaign, const std::string& id) {
    for (DeviceView& each : views[campaign].devices)
        for (PassView& one : each.passes)
            if (one.pass.id == id) return one;
    throw std::logic_error("the session wrote about a pass that it had not put: " + id);
}

Result<void> MemoryStore::begin(const CampaignRecord& campaign) {
    if (auto done = wrote("begin"); !done) return done;
    views[campaign.id].campaign = campaign;
    return {};
}

Result<void> MemoryStore::end(const std::string& campaign, CampaignState state, TimePoint at) {
    if (auto done = wrote("end"); !done) return done;
    views[campaign].campaign.state = state;
    views[campaign].campaign.ended = at;
    return {};
}

Result<void> MemoryStore::journal(const std::string& campaign, const StepRecord& step) {
    const char* const state = step.state == StepState::started    ? "started"
                              : step.state == StepState::done     ? "done"
                              : step.state == StepState::reopened ? "reopened"
                                                                  : "failed";
    if (auto done = wrote("step " + step.key + " " + state); !done) return done;
    journals[campaign][step.key] = step;
    return {};
}

Result<void> MemoryStore::put(const std::string& campaign, const DeviceRecord& record) {
    if (auto done = wrote("device " + record.key); !done) return done;
    for (DeviceView& each : views[campaign].devices) {
        if (each.device.key != record.key) continue;
        auto found = each.device.found;
        each.device = record;
        if (found) each.device.found = std::move(found);
        each.untested.clear();
        return {};
    }
    std::erase_if(views[campaign].devices, [&](const DeviceView& each) {
        return each.device.name == record.name && is_placeholder(each.device) && !is_placeholder(record);
    });
    views[campaign].devices.push_back({.device = record});
    return {};
}

Result<void> MemoryStore::put(const std::string& campaign, const FormatRecord& record) {
    if (auto done = wrote("format " + record.step); !done) return done;
    auto& made = device(campaign, record.device).made;
    const auto found =
        std::find_if(made.begin(), made.end(), [&](const FormatRecord& each) { return each.step == record.step; });
    if (found != made.end())
        *found = record;
    else
        made.push_back(record);
    return {};
}

Result<void> MemoryStore::put(const std::string& campaign, const PassRecord& record) {
    if (auto done = wrote("pass " + record.id); !done) return done;
    auto& passes = device(campaign, record.device).passes;
    const auto found =
        std::find_if(passes.begin(), passes.end(), [&](const PassView& each) { return each.pass.id == record.id; });
    if (found != passes.end())
        found->pass = record;
    else
        passes.push_back({.pass = record});
    return {};
}

Result<void> MemoryStore::put_cell(const std::string& campaign, const std::string& id,
                                   const workload::CellResult& cell) {
    if (auto done = wrote("cell " + id + " " + cell.cell.id); !done) return done;
    pass(campaign, id).cells.push_back(cell);
    return {};
}

Result<void> MemoryStore::put_end(const std::string& campaign, const std::string& id, const PassEnd& end) {
    if (auto done = wrote("end of " + id); !done) return done;
    pass(campaign, id).end = end;
    return {};
}

Result<void> MemoryStore::add(const std::string& campaign, const std::string& key, const DeviceEntry& entry) {
    if (auto done = wrote(std::string(kind_of(entry))); !done) return done;
    DeviceView& view = device(campaign, key);
    if (const auto* finding = std::get_if<measure::Finding>(&entry))
        (finding->pass.empty() ? view.findings : pass(campaign, finding->pass).findings).push_back(*finding);
    if (const auto* check = std::get_if<media::CheckReport>(&entry)) view.checks.push_back(*check);
    if (const auto* detachment = std::get_if<rig::Detachment>(&entry)) view.detachments.push_back(*detachment);
    if (const auto* untested = std::get_if<measure::Untested>(&entry)) view.untested.push_back(*untested);
    if (const auto* verdict = std::get_if<measure::Verdict>(&entry)) view.verdict = *verdict;
    return {};
}

Result<void> MemoryStore::together(const std::function<Result<void>()>& writes) {
    const auto before = std::tuple(log, views, journals, calls_);
    auto done = writes();
    if (!done) std::tie(log, views, journals, calls_) = before;
    return done;
}

Result<std::vector<CampaignRecord>> MemoryStore::campaigns() {
    std::vector<CampaignRecord> all;
    for (const auto& [id, view] : views) all.push_back(view.campaign);
    std::reverse(all.begin(), all.end());
    return all;
}

Result<CampaignView> MemoryStore::load(const std::string& campaign) {
    const auto found = views.find(campaign);
    if (found == views.end()) return fail(Errc::bad_request, "there is no campaign " + campaign);
    return found->second;
}

Result<CampaignView> MemoryStore::outline(const std::string& campaign) {
    auto view = load(campaign);
    if (!view) return view;
    for (DeviceView& each : view->devices) {
        const DeviceView whole = std::move(each);
        each = {.device = whole.device, .verdict = whole.verdict};
        each.device.found.reset();
    }
    return view;
}

Result<DeviceView> MemoryStore::load_device(const std::string& campaign, const std::string& key) {
    ++loaded_devices;
    if (loses_devices) return fail(Errc::store_failed, "the store cannot be read");
    for (const DeviceView& each : views[campaign].devices)
        if (each.device.key == key) return each;
    return fail(Errc::bad_request, "there is no device " + key);
}

Result<std::vector<DeviceGrade>> MemoryStore::grades(const std::string& campaign) {
    std::vector<DeviceGrade> grades;
    for (const DeviceView& each : views[campaign].devices) {
        grades.push_back({.device = each.device.key, .name = each.device.name, .grade = std::nullopt});
        if (each.verdict) grades.back().grade = each.verdict->grade;
    }
    return grades;
}

Result<std::map<std::string, StepRecord>> MemoryStore::steps(const std::string& campaign) {
    return journals[campaign];
}

Result<std::vector<std::uint32_t>> MemoryStore::raw_log(const std::string& campaign, const std::string& id,
                                                        const std::string& cell) {
    for (const workload::CellResult& each : pass(campaign, id).cells)
        if (each.cell.id == cell) return each.raw_log;
    return std::vector<std::uint32_t>{};
}

} // namespace mediarig::store
