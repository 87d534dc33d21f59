// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/plan/steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "host/plan/names.hpp"
#include "host/plan/step_count.hpp"

namespace mediarig::plan {
namespace {

/// One plan, written down step by step.
class Unroller {
public:
    explicit Unroller(const Plan& plan)
        : plan_(plan), orders_(format_order(plan)), format_names_(mediarig::plan::format_names(plan)) {
        steps_.reserve(step_count(plan));
        for (const SuiteEntry& suite : plan.suites)
            (suite.where == Where::raw ? raw_suites_ : file_suites_).push_back(suite);
    }

    std::vector<Step> unroll() {
        for (medium_ = 0; medium_ < plan_.media.size(); ++medium_) {
            const bool is_directory = !plan_.media[medium_].directory.empty();
            const bool in_slot = plan_.media[medium_].slot.has_value();
            if (in_slot) of_medium(StepKind::load);
            of_medium(StepKind::identify);
            if (!is_directory) of_medium(StepKind::claim);
            for (repeat_ = 1; repeat_ <= plan_.repeats; ++repeat_) {
                if (is_directory) {
                    runs("directory", std::nullopt, file_suites_);
                    continue;
                }
                runs("raw", std::nullopt, raw_suites_);
                for (const std::size_t index : orders_[repeat_ - 1]) format(index);
            }
            if (!is_directory) of_medium(StepKind::release);
            of_medium(StepKind::verdict);
            // Behind the verdict, which says where the medium goes.
            if (in_slot) of_medium(StepKind::unload);
        }
        return std::move(steps_);
    }

private:
    void of_medium(StepKind kind) {
        steps_.push_back({.key = fmt::format("m{}.{}", medium_, name_of(kind)),
                          .kind = kind,
                          .medium = medium_,
                          .repeat = 1,
                          .format = std::nullopt,
                          .format_name = {},
                          .suite = std::nullopt,
                          .pass = {}});
    }

    void of_format(StepKind kind, const std::string& name, const FormatEntry& entry) {
        steps_.push_back({.key = fmt::format("m{}.r{}.{}.{}", medium_, repeat_, name, name_of(kind)),
                          .kind = kind,
                          .medium = medium_,
                          .repeat = repeat_,
                          .format = entry,
                          .format_name = name,
                          .suite = std::nullopt,
                          .pass = {}});
    }

    void runs(const std::string& format_name, const std::optional<FormatEntry>& entry,
              const std::vector<SuiteEntry>& suites) {
        std::map<std::string_view, std::size_t> seen;
        for (const SuiteEntry& suite : suites) {
            const std::string name = numbered(suite.request.name, seen[suite.request.name]++);
            const std::string pass = fmt::format("m{}.r{}.{}.{}", medium_, repeat_, format_name, name);
            steps_.push_back({.key = pass + ".run",
                              .kind = StepKind::run,
                              .medium = medium_,
                              .repeat = repeat_,
                              .format = entry,
                              .format_name = format_name,
                              .suite = suite,
                              .pass = pass});
        }
    }

    void format(std::size_t index) {
        const FormatEntry& entry = plan_.formats[index];
        const std::string& name = format_names_[index];
        const std::vector<SuiteEntry>& suites = entry.suites ? *entry.suites : file_suites_;
        if (!entry.keep) of_format(StepKind::format, name, entry);
        if (!suites.empty()) {
            of_format(StepKind::mount, name, entry);
            runs(name, entry, suites);
            of_format(StepKind::unmount, name, entry);
        }
        of_format(StepKind::check, name, entry);
    }

    const Plan& plan_;
    std::vector<std::vector<std::size_t>> orders_;
    std::vector<std::string> format_names_;
    std::vector<SuiteEntry> raw_suites_, file_suites_;
    std::vector<Step> steps_;
    std::size_t medium_{};
    std::uint32_t repeat_{1};
};

} // namespace

std::string_view name_of(StepKind kind) {
    switch (kind) {
        case StepKind::load:
            return "load";
        case StepKind::identify:
            return "identify";
        case StepKind::claim:
            return "claim";
        case StepKind::format:
            return "format";
        case StepKind::mount:
            return "mount";
        case StepKind::run:
            return "run";
        case StepKind::check:
            return "check";
        case StepKind::unmount:
            return "unmount";
        case StepKind::release:
            return "release";
        case StepKind::unload:
            return "unload";
        case StepKind::verdict:
            return "verdict";
    }
    return "";
}

std::vector<Step> unroll(const Plan& plan) {
    return Unroller(plan).unroll();
}

std::uint64_t step_count(const Plan& plan) {
    std::uint64_t raw = 0;
    for (const SuiteEntry& suite : plan.suites) raw += suite.where == Where::raw ? 1 : 0;
    const std::uint64_t in_files = plan.suites.size() - raw;
    std::uint64_t repeat = raw;
    for (const FormatEntry& format : plan.formats) {
        const std::uint64_t suites = format.suites ? format.suites->size() : in_files;
        repeat += (format.keep ? 1 : 2) + (suites > 0 ? suites + 2 : 0);
    }
    std::uint64_t all = 0;
    for (const MediumRef& medium : plan.media)
        all += medium.directory.empty() ? (medium.slot ? 6 : 4) + repeat * plan.repeats : 2 + in_files * plan.repeats;
    return all;
}

} // namespace mediarig::plan
