// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/campaign/schedule.hpp"

#include <fmt/format.h>

#include <deque>
#include <utility>

#include "host/campaign/comparison/comparison_text.hpp"
#include "host/campaign/comparison/recorded_comparison.hpp"

namespace mediarig::campaign {
namespace {

class ListedSchedule final : public Schedule {
public:
    explicit ListedSchedule(std::vector<plan::StepGroup> groups) : groups_(std::move(groups)) {}

    std::optional<plan::StepGroup> next(const MediumResults&) override {
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

namespace {

class CompareSchedule final : public Schedule {
public:
    CompareSchedule(const plan::Plan& plan, std::size_t medium) : plan_(plan), medium_(medium) {}

    std::optional<plan::StepGroup> next(const MediumResults& tested) override {
        if (block_.empty() && !ask(tested)) return std::nullopt;
        const std::size_t format = block_.front();
        block_.pop_front();
        return plan::group_of_block(plan_, medium_, given_, format);
    }

    std::optional<Conclusion> conclusion(const MediumResults& tested, bool over) override {
        const comparison_campaign::Course course = course_of(tested, over);
        if (course.blocks.empty() || (!over && !course.blocks.back().whole)) return std::nullopt;
        const bool is_last = course.comparison.ended();
        if (course.blocks.size() <= reported_ && (!is_last || reported_last_)) return std::nullopt;
        reported_ = course.blocks.size();
        reported_last_ = is_last;
        // Interrupted blocks have a number but do not count against the budget.
        const std::size_t most = plan_.repeats + course.blocks.size() - course.comparison.blocks();
        const std::string of = plan_.compare->endless ? "" : fmt::format(" of at most {}", most);
        return Conclusion{
            .key = plan::StepKey{.medium = medium_,
                                 .repeat = course.blocks.back().number,
                                 .what = std::string(plan::StepKey::conclusion)}
                       .text(),
            .text = comparison_campaign::answer_of(course, plan_),
            .decisions = comparison_campaign::decisions_of(course, plan_),
            .lines = comparison_campaign::running_lines(course, plan_),
            .title = fmt::format("block {}{}{}", course.blocks.back().number, of, is_last ? ", the last one" : "")};
    }

    [[nodiscard]] std::string depends_on_results() const override {
        return "blocks that no longer affect the comparison are not measured";
    }

private:
    [[nodiscard]] comparison_campaign::Course course_of(const MediumResults& tested, bool over) const {
        return comparison_campaign::course_of(
            plan_, {.passes = tested.passes, .untested = tested.untested, .closed = over, .cut_off = tested.cut_off});
    }

    /// Returns false if no block remains.
    bool ask(const MediumResults& tested) {
        const comparison_campaign::Course course = course_of(tested, false);
        // The last block that was returned gave neither a figure nor a failure.
        if (course.wanted.empty() || course.next <= given_) return false;
        given_ = course.next;
        block_.assign(course.wanted.begin(), course.wanted.end());
        return true;
    }

    const plan::Plan& plan_;
    std::size_t medium_;
    std::deque<std::size_t> block_; ///< remaining formats of the current block
    std::uint32_t given_{};         ///< number of the current block
    std::size_t reported_{};        ///< number of blocks reported
    bool reported_last_{};
};

} // namespace

std::unique_ptr<Schedule> compare_schedule(const plan::Plan& plan, std::size_t medium) {
    return std::make_unique<CompareSchedule>(plan, medium);
}

} // namespace mediarig::campaign
