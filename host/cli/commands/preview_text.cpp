// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/cli/commands/preview_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "host/cli/text/text.hpp"
#include "host/plan/names.hpp"
#include "host/plan/steps.hpp"
#include "host/report/text/display_text.hpp"

namespace mediarig::cli {
namespace {

/// Returns one line with the problem; empty if the medium could be tested.
std::string problem_of(const app::CheckedMedium& medium) {
    std::string line;
    for (const Error& problem : medium.problems) line += (line.empty() ? "" : "; ") + problem.detail;
    return line;
}

/// The reasons are listed once, after the steps.
std::string ready_text(const app::CheckedMedium& medium) {
    if (!medium.problems.empty()) return "not ready, see below";
    if (medium.to_confirm.empty()) return "ready";
    return fmt::format("ready; to run, the plan needs \"confirm\": \"{}\" for it, since everything on it is erased",
                       medium.to_confirm);
}

nlohmann::json preview_json(const app::Preview& preview) {
    nlohmann::json media = nlohmann::json::array();
    for (const app::CheckedMedium& medium : preview.media) {
        nlohmann::json entry{{"name", medium.name},
                             {"target", medium.target},
                             {"problem", problem_of(medium)},
                             {"to_confirm", medium.to_confirm}};
        entry["identity"] = medium.identity ? media::to_json(*medium.identity) : nlohmann::json();
        media.push_back(std::move(entry));
    }
    nlohmann::json steps = nlohmann::json::array();
    for (const app::PreviewStep& line : preview.steps) {
        nlohmann::json entry{{"key", line.step.key},
                             {"kind", plan::name_of(line.step.kind)},
                             {"medium", preview.media[line.step.medium].name}};
        if (line.estimate) {
            entry["bytes_written"] = line.estimate->written.count;
            entry["bytes_read"] = line.estimate->read.count;
            entry["seconds"] = line.estimate->time.count();
        }
        steps.push_back(std::move(entry));
    }
    return {{"mediarig_dry_run", 1},
            {"media", media},
            {"steps", steps},
            {"bytes_written", preview.written.count},
            {"bytes_read", preview.read.count},
            {"lanes", preview.lanes},
            {"one_block", preview.one_block},
            {"whole", preview.whole},
            {"seconds", preview.time.count()}};
}

/// Returns the reasons why media are not ready, each reason once with its media.
std::vector<std::string> lacks_of(const app::Preview& preview) {
    app::MediaByReason reasons;
    for (const app::CheckedMedium& medium : preview.media)
        if (const std::string problem = problem_of(medium); !problem.empty()) reasons.add(problem, medium.name);
    std::vector<std::string> lines;
    for (const auto& [problem, media] : reasons.all())
        lines.push_back(fmt::format("Not ready: {}: {}.",
                                    media.size() == 1
                                        ? printable(media.front())
                                        : fmt::format("{} of {} media", media.size(), preview.media.size()),
                                    problem));
    return lines;
}

/// Sentences about the whole campaign, one per line.
std::vector<std::string> whole_of(const app::Preview& preview, const std::string& written) {
    const std::string lanes = preview.lanes > 1 ? fmt::format(" in {} lanes", preview.lanes) : "";
    const std::string steps = counted(preview.steps.size(), "step");
    const bool nothing_known =
        !preview.media.empty() && std::ranges::none_of(preview.media, [](const app::CheckedMedium& medium) {
            return medium.identity.has_value();
        });
    std::vector<std::string> lines;
    if (nothing_known)
        lines.push_back(
            fmt::format("The whole campaign{}: {}; how much they move and how long they take depends on media that are "
                        "not known yet.",
                        lanes, steps));
    else
        lines.push_back(fmt::format(
            "{}{}: {}, {} to write and {} to read, about {}{} at an assumed {:.0f} MB/s.",
            preview.one_block ? "The first block (the number of blocks is not fixed)" : "The whole campaign", lanes,
            steps, size_text(preview.written), size_text(preview.read), readable_time(preview.time.count()),
            preview.whole ? "" : " or more", preview.assumed.megabytes_per_second()));
    if (!nothing_known && !preview.whole)
        lines.emplace_back("Steps on media whose size is not known yet are not counted.");
    for (std::string& line : lacks_of(preview)) lines.push_back(std::move(line));
    lines.push_back(
        fmt::format("This was a dry run: nothing{} was written.", written.empty() ? "" : " but " + written));
    return lines;
}

/// The work on one medium in one block of a comparison.
struct PreviewBlock {
    std::size_t medium{};
    std::uint32_t number{};
    std::vector<std::string> order;
    plan::StepEstimate sum;
    bool whole{true}; ///< false: part of the work depends on an unknown size
};

std::vector<PreviewBlock> blocks_of(const app::Preview& preview) {
    std::vector<PreviewBlock> blocks;
    for (const app::PreviewStep& line : preview.steps) {
        if (!line.step.format) continue;
        if (blocks.empty() || blocks.back().medium != line.step.medium || blocks.back().number != line.step.repeat)
            blocks.push_back({.medium = line.step.medium, .number = line.step.repeat, .order = {}, .sum = {}});
        PreviewBlock& block = blocks.back();
        const std::string format = plan::title_of_format(line.step.format_name);
        if (block.order.empty() || block.order.back() != format) block.order.push_back(format);
        block.whole = block.whole && line.estimate.has_value();
        if (!line.estimate) continue;
        block.sum.written += line.estimate->written;
        block.sum.read += line.estimate->read;
        block.sum.time += line.estimate->time;
    }
    return blocks;
}

TextTable table_of_blocks(const app::Preview& preview) {
    TextTable table({"BLOCK", "MEDIUM", "WRITES", "READS", "ABOUT", "ORDER"});
    for (const PreviewBlock& block : blocks_of(preview)) {
        const auto known = [&](std::string text) { return block.whole ? std::move(text) : std::string("?"); };
        table.add({std::to_string(block.number), preview.media[block.medium].name, known(size_text(block.sum.written)),
                   known(size_text(block.sum.read)), known(readable_time(block.sum.time.count())),
                   fmt::format("{}", fmt::join(block.order, ", "))});
    }
    return table;
}

/// Indices of media with equal size, state and steps; the first medium represents all.
using EqualMedia = std::vector<std::size_t>;

std::vector<EqualMedia> alike_media(const app::Preview& preview) {
    std::vector<std::string> seen(preview.media.size());
    for (std::size_t i = 0; i < preview.media.size(); ++i) {
        const app::CheckedMedium& medium = preview.media[i];
        seen[i] = fmt::format("{} {}\n", medium.identity ? medium.identity->size.count : 0, ready_text(medium));
    }
    for (const app::PreviewStep& line : preview.steps) {
        std::string& of_medium = seen[line.step.medium];
        of_medium += plan::text_of(line.step);
        if (const auto& known = line.estimate)
            of_medium += fmt::format(" {} {} {}", known->written.count, known->read.count, known->time.count());
        of_medium += '\n';
    }
    std::vector<EqualMedia> groups;
    for (std::size_t i = 0; i < seen.size(); ++i) {
        const auto group =
            std::ranges::find_if(groups, [&](const EqualMedia& each) { return seen[each.front()] == seen[i]; });
        if (group == groups.end())
            groups.push_back({i});
        else
            group->push_back(i);
    }
    // List the media of groups of two separately.
    std::vector<EqualMedia> told;
    for (const EqualMedia& group : groups) {
        if (group.size() > 2)
            told.push_back(group);
        else
            for (const std::size_t medium : group) told.push_back({medium});
    }
    std::ranges::sort(told);
    return told;
}

/// E.g. "card01" or "card01 and 19 more".
std::string name_of(const app::Preview& preview, const EqualMedia& group) {
    const std::string& first = preview.media[group.front()].name;
    return group.size() == 1 ? first : fmt::format("{} and {} more", first, group.size() - 1);
}

/// "card01 and 19 more: /dev/sdb, …, 63.9 GB: ready"
std::string line_of_media(const app::Preview& preview, const EqualMedia& group) {
    const app::CheckedMedium& medium = preview.media[group.front()];
    return fmt::format("{}: {}{}, {}: {}", name_of(preview, group), medium.target, group.size() == 1 ? "" : ", …",
                       medium.identity ? report::medium_size_text(*medium.identity) : "of unknown size",
                       ready_text(medium));
}

/// "format as exFAT", "quickbench under exFAT, repeat 2"
std::string words_of(const plan::Step& step) {
    using plan::StepKind;
    const std::string format = plan::title_of_format(step.format_name);
    const auto work = [&]() -> std::string {
        switch (step.kind) {
            case StepKind::load:
                return "load into a reader";
            case StepKind::identify:
                return "identify";
            case StepKind::claim:
                return "claim for this test";
            case StepKind::discard:
                return "discard all blocks, for " + format;
            case StepKind::rest:
                return "rest, for " + format;
            case StepKind::format:
                return "format as " + format;
            case StepKind::mount:
                return "mount " + format;
            case StepKind::run:
                return step.entry + " " + plan::place_of_format(step.format_name);
            case StepKind::check:
                return "check the file system " + format;
            case StepKind::unmount:
                return "unmount " + format;
            case StepKind::release:
                return "release";
            case StepKind::verdict:
                return "judge";
            case StepKind::unload:
                return "sort by the verdict";
        }
        return plan::text_of(step);
    };
    return work() + (step.repeat > 1 ? fmt::format(", repeat {}", step.repeat) : "");
}

/// "quickbench under exFAT, repeat 2: writes 1.05 GB, reads 2.1 GB, about 3 min"
std::string line_of_step(const app::PreviewStep& step, std::size_t media) {
    std::string amounts;
    const auto add = [&](const std::string& part) { amounts += (amounts.empty() ? ": " : ", ") + part; };
    const auto& known = step.estimate;
    const std::string each = media == 1 ? "" : " each";
    if (!known) add("the amount of data depends on the medium");
    if (known && known->written > 0_B) add(fmt::format("writes {}{}", size_text(known->written), each));
    if (known && known->read > 0_B) add(fmt::format("reads {}{}", size_text(known->read), each));
    if (known && known->time.count() > 0) add(fmt::format("about {}{}", readable_time(known->time.count()), each));
    return words_of(step.step) + amounts;
}

/// One line for each medium and each of its steps.
std::string lines_of_steps(const app::Preview& preview, const std::vector<EqualMedia>& groups) {
    std::string text;
    for (const EqualMedia& group : groups) {
        text += line_of(line_of_media(preview, group));
        for (const app::PreviewStep& step : preview.steps)
            if (step.step.medium == group.front()) text += line_of("  " + line_of_step(step, group.size()));
    }
    return text;
}

void print_preview(const Console& console, const app::Preview& preview, bool compares, const std::string& written) {
    const std::vector<EqualMedia> groups = alike_media(preview);
    if (compares) {
        for (const EqualMedia& group : groups) console.out << line_of(line_of_media(preview, group));
        console.out << '\n' << table_of_blocks(preview).text(console.columns) << '\n';
    } else {
        console.out << lines_of_steps(preview, groups) << '\n';
    }
    for (const std::string& line : whole_of(preview, written)) console.out << paragraph(line, console.columns);
}

} // namespace

int dry_run(const Console& console, const plan::Plan& plan, const app::PreviewOptions& options, const Facts& facts,
            const std::string& written) {
    if (auto possible = check_json_file(facts); !possible) return report(console, possible.error());
    const auto preview = app::preview(plan, options);
    if (!preview) return report(console, preview.error());
    if (const int failed = tell(console, facts, preview_json(*preview),
                                [&] { print_preview(console, *preview, plan.compare.has_value(), written); });
        failed != 0)
        return failed;
    return app::exit_status(*preview);
}

} // namespace mediarig::cli
