// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/store/async/async_store.hpp"

#include <functional>
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
    // A failed group stored nothing: store its writes individually, so that each write succeeds or reports its own
    // error.
    for (const WorkThread::Job& job : jobs) job.finish(all ? Result<void>{} : job.work());
}

constexpr auto write_to = [](Store& store, const std::string& campaign, const auto& record) {
    return store.put(campaign, record);
};

} // namespace

AsyncStore::AsyncStore(Store& store, asio::any_io_executor executor)
    : store_(store),
      thread_(std::move(executor), [&store](std::vector<WorkThread::Job>& jobs) { put_together(store, jobs); }) {}

template <class Call, class... Arguments>
auto AsyncStore::write(Call call, Arguments... arguments) -> Answer<void> {
    return thread_.perform([this, call, ... kept = std::move(arguments)] { return std::invoke(call, store_, kept...); },
                           true);
}

template <class T, class... Parameters, class... Arguments>
auto AsyncStore::read(Result<T> (Store::*call)(Parameters...), Arguments... arguments) -> Answer<T> {
    return thread_.ask<T>([this, call, ... kept = std::move(arguments)] { return (store_.*call)(kept...); });
}

auto AsyncStore::begin(CampaignRecord campaign) -> Answer<void> {
    return write(&Store::begin, std::move(campaign));
}
auto AsyncStore::end(std::string campaign, CampaignState state, TimePoint at) -> Answer<void> {
    return write(&Store::end, std::move(campaign), state, at);
}
auto AsyncStore::journal(std::string campaign, StepRecord step) -> Answer<void> {
    return write(&Store::journal, std::move(campaign), std::move(step));
}
auto AsyncStore::put(std::string campaign, DeviceRecord device) -> Answer<void> {
    return write(write_to, std::move(campaign), std::move(device));
}
auto AsyncStore::put(std::string campaign, FormatRecord made) -> Answer<void> {
    return write(write_to, std::move(campaign), std::move(made));
}
auto AsyncStore::put(std::string campaign, PassRecord pass) -> Answer<void> {
    return write(write_to, std::move(campaign), std::move(pass));
}
auto AsyncStore::put_cell(std::string campaign, std::string pass, workload::CellResult cell) -> Answer<void> {
    return write(&Store::put_cell, std::move(campaign), std::move(pass), std::move(cell));
}
auto AsyncStore::put_end(std::string campaign, std::string pass, PassEnd end) -> Answer<void> {
    return write(&Store::put_end, std::move(campaign), std::move(pass), std::move(end));
}
auto AsyncStore::add(std::string campaign, std::string device, DeviceEntry entry) -> Answer<void> {
    return write(&Store::add, std::move(campaign), std::move(device), std::move(entry));
}

auto AsyncStore::campaigns() -> Answer<std::vector<CampaignRecord>> {
    return read(&Store::campaigns);
}
auto AsyncStore::outline(std::string campaign) -> Answer<CampaignView> {
    return read(&Store::outline, std::move(campaign));
}
auto AsyncStore::load_device(std::string campaign, std::string device) -> Answer<DeviceView> {
    return read(&Store::load_device, std::move(campaign), std::move(device));
}
auto AsyncStore::grades(std::string campaign) -> Answer<std::vector<DeviceGrade>> {
    return read(&Store::grades, std::move(campaign));
}
auto AsyncStore::steps(std::string campaign) -> Answer<std::map<std::string, StepRecord>> {
    return read(&Store::steps, std::move(campaign));
}

} // namespace mediarig::store
