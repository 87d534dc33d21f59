// SPDX-License-Identifier: GPL-3.0-or-later
/// A volatile ledger of a rig that fails on request.
#pragma once

#include <algorithm>
#include <optional>

#include "host/rig/port/rig_log.hpp"

namespace mediarig::rig {

class MemoryRigLog : public RigLog {
public:
    /// The writing call with this index (from 0) fails, and so does every later call.
    std::optional<std::size_t> fails_from;
    std::string board;
    std::vector<LoggedJob> jobs; ///< oldest first
    std::vector<LoggedEvent> events;
    std::uint32_t epoch{1};

    Result<std::uint32_t> open(const std::string& name) override {
        board = name;
        return newest();
    }
    Result<std::uint32_t> intend(const Intent& intent) override {
        if (auto wrote = write(); !wrote) return fail(wrote.error());
        jobs.push_back({.job = newest() + 1, .intent = intent});
        return jobs.back().job;
    }
    Result<void> pass_over(std::uint32_t job) override {
        if (auto wrote = write(); !wrote) return wrote;
        passed_over_ = std::max(passed_over_, job);
        return {};
    }
    Result<void> resolve(std::uint32_t job, LoggedJob::State state, rigproto::Fault fault,
                         std::uint8_t detail) override {
        if (auto wrote = write(); !wrote) return wrote;
        const auto found =
            std::find_if(jobs.begin(), jobs.end(), [&](const LoggedJob& each) { return each.job == job; });
        if (found == jobs.end()) return fail(Errc::bad_request, "the rig's ledger holds no such job");
        found->state = state;
        found->fault = fault;
        found->detail = detail;
        return {};
    }
    Result<std::vector<LoggedJob>> latest(std::size_t count) override {
        std::vector<LoggedJob> newest_first(jobs.rbegin(), jobs.rend());
        if (newest_first.size() > count) newest_first.resize(count);
        return newest_first;
    }
    Result<void> keep(const LoggedEvent& event) override {
        if (auto wrote = write(); !wrote) return wrote;
        const bool known = std::any_of(events.begin(), events.end(), [&](const LoggedEvent& each) {
            return each.epoch == event.epoch && each.id == event.id;
        });
        if (!known) events.push_back(event);
        return {};
    }
    Result<std::pair<std::uint32_t, std::uint32_t>> newest_event() override {
        std::uint32_t id = 0;
        for (const LoggedEvent& each : events)
            if (each.epoch == epoch) id = std::max(id, each.id);
        return std::pair(epoch, id);
    }
    Result<std::uint32_t> begin_epoch() override {
        if (auto wrote = write(); !wrote) return fail(wrote.error());
        return ++epoch;
    }

private:
    [[nodiscard]] std::uint32_t newest() const { return std::max(passed_over_, jobs.empty() ? 0 : jobs.back().job); }
    Result<void> write() {
        if (fails_from && calls_++ >= *fails_from) return fail(Errc::store_failed, "no space left for the ledger");
        return {};
    }
    std::uint32_t passed_over_{};
    std::size_t calls_{};
};

} // namespace mediarig::rig
