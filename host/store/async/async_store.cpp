// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/store/async/async_store.hpp"

#include <utility>

namespace mediarig::store {
namespace {

namespace asio = boost::asio;

void put_together(Store& store, std::vector<WorkThread::Job>& jobs) {
    const auto all = store.together([&]() -> Result<void> {
        for (const WorkThread::Job& job : jobs)
            if (auto kept = job.work(); !kept) return kept;
        return {};
    });
    // A failed group stored nothing: store its writes individually, so that each succeeds or reports its own error.
    for (const WorkThread::Job& job : jobs) job.finish(all ? Result<void>{} : job.work());
}

} // namespace

AsyncStore::AsyncStore(Store& store, asio::any_io_executor executor)
    : store_(store),
      thread_(std::move(executor), [&store](std::vector<WorkThread::Job>& jobs) { put_together(store, jobs); }) {}

auto AsyncStore::write(WorkThread::Work work) -> Answer<void> {
    return thread_.perform(std::move(work), true);
}

template <class T>
auto AsyncStore::read(std::function<Result<T>()> work) -> Answer<T> {
    return thread_.ask<T>(std::move(work));
}

auto AsyncStore::begin(CampaignRecord campaign) -> Answer<void> {
    return write([this, campaign = std::move(campaign)] { return store_.begin(campaign); });
}

auto AsyncStore::end(std::string campaign, CampaignState state, TimePoint at) -> Answer<void> {
    return write([this, campaign = std::move(campaign), state, at] { return store_.end(campaign, state, at); });
}

auto AsyncStore::journal(std::string campaign, StepRecord step) -> Answer<void> {
    return write(
        [this, campaign = std::move(campaign), step = std::move(step)] { return store_.journal(campaign, step); });
}

auto AsyncStore::put(std::string campaign, DeviceRecord device) -> Answer<void> {
    return write(
        [this, campaign = std::move(campaign), device = std::move(device)] { return store_.put(campaign, device); });
}

auto AsyncStore::put(std::string campaign, MadeFormat made) -> Answer<void> {
    return write([this, campaign = std::move(campaign), made = std::move(made)] { return store_.put(campaign, made); });
}

auto AsyncStore::put(std::string campaign, PassRecord pass) -> Answer<void> {
    return write([this, campaign = std::move(campaign), pass = std::move(pass)] { return store_.put(campaign, pass); });
}

auto AsyncStore::put_cell(std::string campaign, std::string pass, workload::CellResult cell) -> Answer<void> {
    return write([this, campaign = std::move(campaign), pass = std::move(pass), cell = std::move(cell)] {
        return store_.put_cell(campaign, pass, cell);
    });
}

auto AsyncStore::put_end(std::string campaign, std::string pass, PassEnd end) -> Answer<void> {
    return write([this, campaign = std::move(campaign), pass = std::move(pass), end = std::move(end)] {
        return store_.put_end(campaign, pass, end);
    });
}

auto AsyncStore::add_finding(std::string campaign, std::string device, measure::Finding finding) -> Answer<void> {
    return write([this, campaign = std::move(campaign), device = std::move(device), finding = std::move(finding)] {
        return store_.add_finding(campaign, device, finding);
    });
}

auto AsyncStore::add_check(std::string campaign, std::string device, media::CheckReport check) -> Answer<void> {
    return write([this, campaign = std::move(campaign), device = std::move(device), check = std::move(check)] {
        return store_.add_check(campaign, device, check);
    });
}

auto AsyncStore::add_detachment(std::string campaign, std::string device, rig::Detachment detachment) -> Answer<void> {
    return write([this, campaign = std::move(campaign), device = std::move(device),
                  detachment = std::move(detachment)] { return store_.add_detachment(campaign, device, detachment); });
}

auto AsyncStore::add_untested(std::string campaign, std::string device, measure::Untested untested) -> Answer<void> {
    return write([this, campaign = std::move(campaign), device = std::move(device), untested = std::move(untested)] {
        return store_.add_untested(campaign, device, untested);
    });
}

auto AsyncStore::put_verdict(std::string campaign, std::string device, measure::Verdict verdict) -> Answer<void> {
    return write([this, campaign = std::move(campaign), device = std::move(device), verdict = std::move(verdict)] {
        return store_.put_verdict(campaign, device, verdict);
    });
}

auto AsyncStore::campaigns() -> Answer<std::vector<CampaignRecord>> {
    return read<std::vector<CampaignRecord>>([this] { return store_.campaigns(); });
}

auto AsyncStore::outline(std::string campaign) -> Answer<CampaignView> {
    return read<CampaignView>([this, campaign = std::move(campaign)] { return store_.outline(campaign); });
}

auto AsyncStore::load_device(std::string campaign, std::string device) -> Answer<DeviceView> {
    return read<DeviceView>([this, campaign = std::move(campaign), device = std::move(device)] {
        return store_.load_device(campaign, device);
    });
}

auto AsyncStore::grades(std::string campaign) -> Answer<std::vector<DeviceGrade>> {
    return read<std::vector<DeviceGrade>>([this, campaign = std::move(campaign)] { return store_.grades(campaign); });
}

auto AsyncStore::steps(std::string campaign) -> Answer<std::map<std::string, StepRecord>> {
    using Steps = std::map<std::string, StepRecord>;
    return read<Steps>([this, campaign = std::move(campaign)] { return store_.steps(campaign); });
}

} // namespace mediarig::store
