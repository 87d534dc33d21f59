// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/store/logged_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <system_error>
#include <utility>

#include "host/store/device_log.hpp"
#include "host/store/log_lines.hpp"
#include "host/store/record_json.hpp"

namespace mediarig::store {
namespace {

class LoggedStore final : public Store {
public:
    LoggedStore(std::unique_ptr<Store> inner, std::filesystem::path directory)
        : inner_(std::move(inner)), directory_(std::move(directory)) {}

    Result<void> begin(const CampaignRecord& campaign) override {
        auto begun = inner_->begin(campaign);
        if (begun) campaigns_[campaign.id] = campaign;
        return begun;
    }

    Result<void> end(const std::string& campaign, CampaignState state, TimePoint at) override {
        const auto devices = inner_->grades(campaign);
        if (!devices) return fail(devices.error());
        for (const DeviceGrade& each : *devices)
            if (auto kept = log(each.device, log_line::campaign_end(campaign, state, at)); !kept) return kept;
        campaigns_.erase(campaign); // the state of the campaign has changed
        return inner_->end(campaign, state, at);
    }

    Result<void> journal(const std::string& campaign, const StepRecord& step) override {
        return inner_->journal(campaign, step);
    }

    Result<void> put(const std::string& campaign, const DeviceRecord& device) override {
        if (auto fits = readable(device); !fits) return fits;
        const auto record = campaign_record(campaign);
        if (!record) return fail(record.error());
        const std::array lines{log_line::campaign(*record), log_line::device(campaign, device)};
        if (auto kept = log(device.key, lines); !kept) return kept;
        return inner_->put(campaign, device);
    }

    Result<void> put(const std::string& campaign, const FormatRecord& made) override {
        if (auto fits = readable(made); !fits) return fits;
        if (auto kept = log(made.device, log_line::format(campaign, made)); !kept) return kept;
        return inner_->put(campaign, made);
    }

    Result<void> put(const std::string& campaign, const PassRecord& pass) override {
        if (auto fits = readable(pass); !fits) return fits;
        if (auto kept = log(pass.device, log_line::pass(campaign, pass)); !kept) return kept;
        auto put = inner_->put(campaign, pass);
        if (put) devices_[{campaign, pass.id}] = pass.device;
        return put;
    }

    Result<void> put_cell(const std::string& campaign, const std::string& pass,
                          const workload::CellResult& cell) override {
        if (auto fits = readable(cell); !fits) return fits;
        const auto device = device_of(campaign, pass);
        if (!device) return fail(device.error());
        if (auto kept = log(*device, log_line::cell(campaign, pass, cell)); !kept) return kept;
        return inner_->put_cell(campaign, pass, cell);
    }

    Result<void> put_end(const std::string& campaign, const std::string& pass, const PassEnd& end) override {
        if (auto fits = readable(end); !fits) return fits;
        const auto device = device_of(campaign, pass);
        if (!device) return fail(device.error());
        if (auto kept = log(*device, log_line::pass_end(campaign, pass, end)); !kept) return kept;
        return inner_->put_end(campaign, pass, end);
    }

    Result<void> add(const std::string& campaign, const std::string& device, const DeviceEntry& entry) override {
        if (auto fits = readable(entry); !fits) return fits;
        if (auto kept = log(device, log_line::entry(campaign, entry)); !kept) return kept;
        return inner_->add(campaign, device, entry);
    }

    Result<void> together(const std::function<Result<void>()>& writes) override {
        waiting_.emplace();
        auto kept = inner_->together([&]() -> Result<void> {
            if (auto written = writes(); !written) return written;
            // Append to the logs before the store commits, as with single records, so that each log contains at least
            // the content of the store.
            const auto logs = std::exchange(waiting_, std::nullopt);
            for (const auto& [device, lines] : *logs)
                if (auto logged = append(device, lines); !logged) return logged;
            return {};
        });
        waiting_.reset();
        return kept;
    }

    Result<std::vector<CampaignRecord>> campaigns() override { return inner_->campaigns(); }
    Result<CampaignView> load(const std::string& campaign) override { return inner_->load(campaign); }
    Result<CampaignView> outline(const std::string& campaign) override { return inner_->outline(campaign); }
    Result<DeviceView> load_device(const std::string& campaign, const std::string& device) override {
        return inner_->load_device(campaign, device);
    }
    Result<std::vector<DeviceGrade>> grades(const std::string& campaign) override { return inner_->grades(campaign); }
    Result<std::map<std::string, StepRecord>> steps(const std::string& campaign) override {
        return inner_->steps(campaign);
    }
    Result<std::vector<std::uint32_t>> raw_log(const std::string& campaign, const std::string& pass,
                                               const std::string& cell) override {
        return inner_->raw_log(campaign, pass, cell);
    }

private:
    Result<void> log(const std::string& device, const std::string& line) { return log(device, std::span(&line, 1)); }

    Result<void> log(const std::string& device, std::span<const std::string> lines) {
        // device_key guarantees a valid name; nevertheless reject a name that leads to another folder.
        if (device.empty() || device.front() == '.' || device.find('/') != std::string::npos)
            return fail(Errc::bad_request, fmt::format("'{}' cannot name a device's log file", device));
        if (!waiting_) return append(device, lines);
        auto& kept = (*waiting_)[device];
        kept.insert(kept.end(), lines.begin(), lines.end());
        return {};
    }

    Result<void> append(const std::string& device, std::span<const std::string> lines) {
        // A campaign may have more devices than a process may have open files.
        if (logs_.size() >= most_open && !logs_.contains(device)) logs_.clear();
        auto& log = logs_[device];
        if (!log) {
            auto opened = DeviceLog::open(directory_ / (device + device_log_suffix));
            if (!opened) return fail(std::move(opened.error()));
            log = std::move(*opened);
        }
        return log->append(lines);
    }

    /// Reads the record from the store: another process may have begun the resumed campaign.
    Result<CampaignRecord> campaign_record(const std::string& id) {
        if (const auto known = campaigns_.find(id); known != campaigns_.end()) return known->second;
        const auto all = inner_->campaigns();
        if (!all) return fail(all.error());
        for (const CampaignRecord& campaign : *all)
            if (campaign.id == id) return campaigns_[id] = campaign;
        return fail(Errc::bad_request, fmt::format("the store holds no campaign '{}'", id));
    }

    Result<std::string> device_of(const std::string& campaign, const std::string& pass) {
        if (const auto known = devices_.find({campaign, pass}); known != devices_.end()) return known->second;
        const auto view = inner_->load(campaign);
        if (!view) return fail(view.error());
        for (const DeviceView& device : view->devices)
            for (const PassView& each : device.passes)
                if (each.pass.id == pass) return devices_[{campaign, pass}] = device.device.key;
        return fail(Errc::bad_request, fmt::format("the store holds no pass '{}' in campaign '{}'", pass, campaign));
    }

    std::unique_ptr<Store> inner_;
    std::filesystem::path directory_;
    static constexpr std::size_t most_open = 64;
    std::map<std::string, std::unique_ptr<DeviceLog>> logs_;
    /// Lines of the current group by device; unset: each record is appended at once.
    std::optional<std::map<std::string, std::vector<std::string>>> waiting_;
    std::map<std::string, CampaignRecord> campaigns_;
    std::map<std::pair<std::string, std::string>, std::string> devices_; ///< campaign and pass → device
};

} // namespace

Result<std::unique_ptr<Store>> make_logged_store(std::unique_ptr<Store> store, const std::filesystem::path& directory) {
    std::error_code failed;
    std::filesystem::create_directories(directory, failed);
    if (failed)
        return fail(Errc::store_failed, fmt::format("cannot make the directory {} for device logs ({}): choose another "
                                                    "store with --store",
                                                    directory.string(), failed.message()));
    return std::make_unique<LoggedStore>(std::move(store), directory);
}

} // namespace mediarig::store
