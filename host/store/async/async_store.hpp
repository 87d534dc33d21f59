// SPDX-License-Identifier: GPL-3.0-or-later
/// A store for coroutines. It runs on a separate thread, so that a slow disk does not delay other work on the loop.
/// Calls are performed in the order in which they are made and start at once, even if the result is not awaited.
/// Waiting writes are grouped; each write is durable when its await returns, and fails only for its own reason.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "host/base/async/work_thread.hpp"
#include "host/store/store.hpp"

namespace mediarig::store {

class AsyncStore {
public:
    /// `store` is used only on the thread of this object. `store` and the loop of `executor` must outlive this object.
    AsyncStore(Store& store, boost::asio::any_io_executor executor);

    template <class T>
    using Answer = boost::asio::awaitable<Result<T>>;

    // The calls of Store, for coroutines.
    [[nodiscard]] Answer<void> begin(CampaignRecord campaign);
    [[nodiscard]] Answer<void> end(std::string campaign, CampaignState state, TimePoint at);
    [[nodiscard]] Answer<void> journal(std::string campaign, StepRecord step);
    [[nodiscard]] Answer<void> put(std::string campaign, DeviceRecord device);
    [[nodiscard]] Answer<void> put(std::string campaign, FormatRecord made);
    [[nodiscard]] Answer<void> put(std::string campaign, PassRecord pass);
    [[nodiscard]] Answer<void> put_cell(std::string campaign, std::string pass, workload::CellResult cell);
    [[nodiscard]] Answer<void> put_end(std::string campaign, std::string pass, PassEnd end);
    [[nodiscard]] Answer<void> add(std::string campaign, std::string device, DeviceEntry entry);
    [[nodiscard]] Answer<std::vector<CampaignRecord>> campaigns();
    [[nodiscard]] Answer<CampaignView> outline(std::string campaign);
    [[nodiscard]] Answer<DeviceView> load_device(std::string campaign, std::string device);
    [[nodiscard]] Answer<std::vector<DeviceGrade>> grades(std::string campaign);
    [[nodiscard]] Answer<std::map<std::string, StepRecord>> steps(std::string campaign);

private:
    template <class Call, class... Arguments>
    [[nodiscard]] Answer<void> write(Call call, Arguments... arguments);
    template <class T, class... Parameters, class... Arguments>
    [[nodiscard]] Answer<T> read(Result<T> (Store::*call)(Parameters...), Arguments... arguments);

    Store& store_;
    WorkThread thread_;
};

} // namespace mediarig::store
