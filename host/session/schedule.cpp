// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/session/schedule.hpp"

#include <utility>

namespace mediarig::session {
namespace {

class ListedSchedule final : public Schedule {
public:
    explicit ListedSchedule(std::vector<plan::StepGroup> groups) : groups_(std::move(groups)) {}

    std::optional<plan::StepGroup> next(const Tested&) override {
        if (given_ == groups_.size()) return std::nullopt;
        return std::move(groups_[given_++]);
    }

private:
    std::vector<plan::StepGroup> groups_;
    std::size_t given_{};
};

} // namespace

std::unique_ptr<Schedule> listed_schedule(const plan::Plan& plan, std::size_t medium) {
    return std::make_unique<ListedSchedule>(plan::groups_of(plan, medium));
}

std::unique_ptr<Schedule> schedule_for(const plan::Plan& plan, std::size_t medium) {
    return plan.compare ? compare_schedule(plan, medium) : listed_schedule(plan, medium);
}

} // namespace mediarig::session
