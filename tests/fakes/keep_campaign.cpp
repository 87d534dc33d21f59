// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fakes/keep_campaign.hpp"

#include <string>

namespace mediarig::fakes {
namespace {

/// Result of the calls up to the first failure.
class Kept {
public:
    void operator()(Result<void> done) {
        if (done_) done_ = std::move(done);
    }
    [[nodiscard]] Result<void> done() const { return done_; }

private:
    Result<void> done_;
};

Result<void> keep_device(store::Store& store, const std::string& id, const store::DeviceView& device,
                         const std::string& number) {
    Kept kept;
    store::DeviceRecord record = device.device;
    record.key += number;
    kept(store.put(id, record));
    for (store::FormatRecord made : device.made) {
        made.device = record.key;
        made.step += number;
        kept(store.put(id, made));
    }
    for (std::size_t i = 0; i < device.passes.size(); ++i) {
        const store::PassView& view = device.passes[i];
        store::PassRecord pass = view.pass;
        pass.device = record.key;
        pass.id += number + "." + std::to_string(i);
        kept(store.put(id, pass));
        for (const workload::CellResult& cell : view.cells) kept(store.put_cell(id, pass.id, cell));
        for (measure::Finding finding : view.findings) {
            finding.pass = pass.id;
            kept(store.add(id, record.key, finding));
        }
        if (view.end) kept(store.put_end(id, pass.id, *view.end));
    }
    for (const media::CheckReport& check : device.checks) kept(store.add(id, record.key, check));
    for (const measure::Untested& what : device.untested) kept(store.add(id, record.key, what));
    if (device.verdict) kept(store.add(id, record.key, *device.verdict));
    return kept.done();
}

} // namespace

Result<void> keep_campaign(store::Store& store, const store::CampaignView& view, std::size_t devices) {
    const std::string& id = view.campaign.id;
    if (auto begun = store.begin(view.campaign); !begun) return begun;
    for (std::size_t i = 0; i < devices; ++i) {
        auto kept = store.together(
            [&] { return keep_device(store, id, view.devices[i % view.devices.size()], std::to_string(i)); });
        if (!kept) return kept;
    }
    return store.end(id, store::CampaignState::finished, view.campaign.ended.value_or(store::TimePoint{}));
}

} // namespace mediarig::fakes
