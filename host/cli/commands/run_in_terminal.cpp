// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/cli/commands/run_in_terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <utility>

#include "host/cli/text/progress.hpp"
#include "host/cli/text/text.hpp"
#include "host/report/output/results_json.hpp"
#include "host/report/output/terminal.hpp"
#include "host/report/tables/comparison_record.hpp"

namespace mediarig::cli {
namespace {

ProgressView view_for(const Console& console, const TerminalRunOptions& options) {
    if (options.quiet) return ProgressView(ProgressStyle::quiet, console.columns);
    return ProgressView(console.terminal ? ProgressStyle::live : ProgressStyle::plain, console.columns);
}

report::TableOptions table_options(const Console& console) {
    return {.width = console.columns, .colour = console.colour ? Colour::ansi : Colour::plain};
}

int print_json(const Console& console, const app::RunOptions& run, const TerminalRunOptions& options,
               const campaign::Summary& summary) {
    if (!options.facts.json.asked()) return 0;
    auto record = app::open_campaign(run.store, summary.campaign, app::CampaignForm::record);
    if (!record) return report(console, record.error());
    return print_in_parts(console, options.facts, [&](const app::WritePart& write) {
        return report::write_results_json(std::move(record->outline), record->load, write);
    });
}

/// Returns the result of each medium, and at the end, where a terminal shows them, the summary and the commands that
/// show more.
Result<std::string> cards_and_summary(const Console& console, const app::RunOptions& run,
                                      const app::OpenCampaign& campaign, const campaign::Summary& summary) {
    report::TableOptions options = table_options(console);
    options.media = summary.media;
    store::CampaignView outline = campaign.outline;
    const auto results = report::render_cards(std::move(outline), campaign.load, options);
    if (!results) return fail(results.error());
    const std::string where = std::to_string(campaign.number) + store_text(run.store);
    return results->cards + "\n" + report::last_screen(results->summary, options) +
           line_of("Tables: mediarig results " + where) + line_of("Page:   mediarig report " + where);
}

/// Returns the card and the tables of a single suite; the verdict is repeated if the card scrolls off the screen.
Result<std::string> cards_and_tables(const Console& console, const app::RunOptions& run,
                                     const campaign::Summary& summary) {
    auto campaign = app::open_campaign(run.store, summary.campaign);
    if (!campaign) return fail(campaign.error());
    const auto view = app::load_campaign(run.store, summary.campaign);
    if (!view) return fail(view.error());
    store::CampaignView outline = campaign->outline;
    const auto results = report::render_cards(std::move(outline), campaign->load, table_options(console));
    if (!results) return fail(results.error());
    std::string text = results->cards;
    if (const std::string tables = report::render_tables_only(*view, table_options(console)); !tables.empty())
        text += "\n" + tables;
    text += '\n';
    // If there are more lines than this, they scroll off a screen of 24 lines together with the text after them.
    constexpr auto most_seen = 20;
    if (std::ranges::count(text, '\n') > most_seen) {
        const auto verdicts = report::render_verdicts(std::move(campaign->outline), campaign->load, summary.media,
                                                      table_options(console).colour);
        if (!verdicts) return fail(verdicts.error());
        text += *verdicts;
    }
    return text + line_of(fmt::format("Page:   mediarig report {}{}", campaign->number, store_text(run.store)));
}

/// Returns the full text of a comparison; on a terminal the answers are repeated below the tables, where they are
/// visible.
Result<std::string> comparison(const Console& console, const app::RunOptions& run, const campaign::Summary& summary) {
    const auto view = app::load_campaign(run.store, summary.campaign);
    if (!view) return fail(view.error());
    std::string text = report::render_tables(*view, table_options(console));
    if (!console.out_terminal) return text;
    text += '\n';
    for (const std::string& answer : report::comparison_answers_of(*view)) text += line_of(answer);
    return text;
}

/// Returns the result of each medium for a person, and its grade with the reason for a program; with --tables, tables
/// for both.
Result<std::string> answers(const Console& console, const app::RunOptions& run, const TerminalRunOptions& options,
                            const campaign::Summary& summary, bool compares) {
    if (compares && options.tables) return comparison(console, run, summary);
    if (console.out_terminal && options.tables) return cards_and_tables(console, run, summary);
    auto campaign = app::open_campaign(run.store, summary.campaign);
    if (!campaign) return fail(campaign.error());
    if (console.out_terminal) return cards_and_summary(console, run, *campaign, summary);
    if (options.tables)
        return report::render_tables(std::move(campaign->outline), campaign->load, table_options(console));
    return report::render_verdicts(std::move(campaign->outline), campaign->load, summary.media,
                                   table_options(console).colour);
}

int print_results(const Console& console, const app::RunOptions& run, const TerminalRunOptions& options,
                  const campaign::Summary& summary, bool compares) {
    int status = 0;
    if (!options.facts.json.on_stdout()) {
        const auto text = answers(console, run, options, summary, compares);
        if (text)
            console.out << *text;
        else
            status = report(console, text.error());
    }
    return std::max(status, print_json(console, run, options, summary));
}

/// True for steps that do more than inspect and claim the medium.
bool works_on_medium(const campaign::SessionEvent& event) {
    const auto* const started = std::get_if<campaign::StepStarted>(&event.body);
    if (started == nullptr) return false;
    const plan::StepTraits& traits = traits_of(started->step.kind);
    return traits.of_group() && !traits.is_cleanup;
}

/// Returns the progress of an interrupted pass; empty if the pass does not verify.
std::string checked_by(const store::PassView& pass) {
    if (pass.end || !pass.pass.job.as<workload::VerifyJob>()) return {};
    Bytes total, written, read;
    for (const workload::CellResult& cell : pass.cells) {
        if (cell.cell.id == workload::verify_write_id) {
            total = cell.cell.volume;
            written = cell.moved;
        } else if (cell.cell.id == workload::verify_read_id) {
            read = cell.moved;
        }
    }
    if (written == 0_B) return "nothing has been checked yet";
    const std::string so_far = fmt::format("{} of {} were written", size_text(written), size_text(total));
    if (read == 0_B) return so_far + ", but nothing was read back: no result yet";
    return fmt::format("{}, and the first {} were read back without an error; the rest was not checked", so_far,
                       size_text(read));
}

/// Prints the partial result of an interrupted verify.
void print_checked(const Console& console, const app::RunOptions& run, const campaign::Summary& summary) {
    const auto view = app::load_campaign(run.store, summary.campaign);
    if (!view) return; // the final message contains the error
    for (const store::DeviceView& device : view->devices)
        for (const store::PassView& pass : device.passes)
            if (const std::string checked = checked_by(pass); !checked.empty())
                console.err << line_of(device.device.name + ": " + checked);
}

/// Suggests how to continue an unfinished campaign.
std::string next_step(const app::RunOptions& run, const campaign::Summary& summary) {
    const auto record = app::open_campaign(run.store, summary.campaign);
    if (!record)
        return fmt::format(
            "; {} no longer contains it: resume it from the present location of its store, or run it again "
            "from the start",
            run.store.string());
    const std::string& resume = record->outline.campaign.origin.resume_with;
    if (resume.empty())
        return summary.incomplete
                   ? ""
                   : "; a single suite starts over: to resume, run it from a plan with mediarig run --resume";
    if (!summary.incomplete) return "; resume with: " + resume;
    return fmt::format("; resume with: {}; or close it with: mediarig run --abandon {}{}", resume, summary.campaign,
                       store_text(run.store));
}

} // namespace

int run_in_terminal(const Console& console, const plan::Plan& plan, const app::RunOptions& run,
                    const TerminalRunOptions& options) {
    // Check the output before a medium is erased, not after hours of work.
    if (auto possible = check_json_file(options.facts); !possible) return report(console, possible.error());
    ProgressView progress = view_for(console, options);
    // A campaign that is refused before any work leaves no record: hold back the progress and print only the reason.
    bool may_be_refused = run.discard_refused;
    std::string held;
    app::RunOptions with_warnings = run;
    with_warnings.warn = [&](const std::string& line) { console.err << line_of("mediarig: " + line) << std::flush; };
    if (console.terminal && !options.quiet && !plan.lab.empty())
        console.err << "booting the machine of the lab …\n" << std::flush;
    const auto summary = app::run_plan(plan, with_warnings, [&](const campaign::SessionEvent& event) {
        held += progress.show(event);
        if (may_be_refused && !works_on_medium(event)) return;
        may_be_refused = false;
        console.err << std::exchange(held, {}) << std::flush;
    });
    held += progress.close();
    const bool refused =
        !summary && (summary.error().code == Errc::refused || summary.error().code == Errc::bad_request);
    if (!may_be_refused || !refused) console.err << held << std::flush;
    if (!summary) return report(console, summary.error());
    // A failure to write the results does not discard the measurement.
    const int failed = print_results(console, run, options, *summary, plan.compare.has_value());
    for (const uplink::MeasuredCeiling& each : summary->uplinks)
        console.err << line_of(fmt::format("mediarig: {} media together: {:.1f} MB/s through {}", each.media,
                                           each.bytes_per_second / 1e6, each.uplink));
    if (run.measure_uplinks && summary->uplinks.empty())
        console.err
            << "mediarig: no uplink was measured: no two media of one uplink transferred for 5 s without a pause; set "
               "larger volumes, and as many --lanes as media\n";
    if (summary->state != store::CampaignState::finished) {
        print_checked(console, run, *summary);
        console.err << line_of(fmt::format("mediarig: campaign {} did not finish: {}{}", summary->campaign,
                                           summary->detail, next_step(run, *summary)));
    }
    const int status = campaign::exit_status(*summary);
    return status != 0 ? status : failed;
}

} // namespace mediarig::cli
