// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <ostream>
#include <utility>

#include "host/app/campaigns.hpp"
#include "host/app/retest.hpp"
#include "host/app/rig/rig_route.hpp"
#include "host/base/shell_word.hpp"
#include "host/cli/command.hpp"
#include "host/cli/commands/ask_confirmation.hpp"
#include "host/cli/commands/preview_text.hpp"
#include "host/cli/commands/run_in_terminal.hpp"
#include "host/cli/facts.hpp"
#include "host/cli/manual/manual.hpp"
#include "host/cli/text/text.hpp"

namespace mediarig::cli {
namespace {

struct RunOptions {
    std::string plan;
    app::AgentChoice agent;
    app::RigChoice rig;
    std::string store;
    std::string abandon; ///< a campaign, in any form that find_campaign() accepts
    bool resume{};
    std::vector<std::string> retest; ///< verdicts
    std::optional<unsigned> lanes;
    bool measure_uplinks{};
    std::optional<double> audited; ///< fraction in percent
    bool while_locked{};
    bool dry_run{};
    Facts facts;
    bool quiet{};
};

/// Loads the plan. On failure prints its faults and returns the exit status.
tl::expected<plan::Plan, int> load(const Console& console, const std::string& file, bool only_to_look) {
    std::vector<std::string> faults;
    auto plan = only_to_look ? app::load_plan_to_look(file, faults) : app::load_plan(file, faults);
    if (plan) return std::move(*plan);
    const int status = report(console, plan.error());
    // report() prints the first fault; print the others in the order of the plan.
    for (std::size_t i = 1; i < faults.size(); ++i) console.err << line_of(fmt::format("{}: {}", file, faults[i]));
    return tl::unexpected(status);
}

int abandon(const Console& console, const RunOptions& options) {
    const auto summary = app::abandon_campaign(options.store, options.abandon);
    if (!summary) return report(console, summary.error());
    for (const campaign::MediumGrade& medium : summary->grades)
        console.out << fmt::format("{}: {}\n", medium.medium, measure::name_of(medium.grade));
    console.err << fmt::format("mediarig: campaign {} was closed: the remaining work is recorded as untested\n",
                               summary->campaign);
    return 0;
}

/// Verdicts that --retest accepts.
constexpr measure::Grade retested[] = {measure::Grade::inconclusive, measure::Grade::fail, measure::Grade::fake,
                                       measure::Grade::marginal};

std::string word_for(measure::Grade grade) {
    return CLI::detail::to_lower(std::string(measure::name_of(grade)));
}

Result<app::Retest> retest_for(const RunOptions& options, const plan::Plan& plan) {
    const auto resolved = app::plan_on(options.rig, plan);
    if (!resolved) return fail(resolved.error());
    std::vector<measure::Grade> grades;
    for (const measure::Grade grade : retested)
        if (std::ranges::find(options.retest, word_for(grade)) != options.retest.end()) grades.push_back(grade);
    return app::choose_retest(options.store, *resolved, grades);
}

int run(const Console& console, const RunOptions& options) {
    if (!options.abandon.empty()) return abandon(console, options);
    if (options.plan.empty())
        return report(console,
                      {Errc::bad_request, options.resume ? "plan is required: the plan of the campaign to resume; "
                                                           "'mediarig campaigns plan' prints the plan of any campaign"
                                                         : "plan is required (see mediarig run --help)"});
    auto plan = load(console, options.plan, options.dry_run || console.answers != nullptr);
    if (!plan) return plan.error();
    std::string retest_of;
    if (!options.retest.empty()) {
        auto retest = retest_for(options, *plan);
        if (!retest) return report(console, retest.error());
        *plan = std::move(retest->plan);
        retest_of = std::move(retest->of);
    }
    if (options.dry_run)
        return dry_run(console, *plan, {.agent = options.agent, .rig = options.rig, .lanes = options.lanes},
                       options.facts);
    if (auto confirmed = ask_confirmations(console, options.agent, *plan); !confirmed)
        return report(console, confirmed.error());
    const std::string rig = options.rig.how.empty() ? "" : " --rig " + shell_word(options.rig.how);
    const std::string lanes = options.lanes ? fmt::format(" --lanes {}", *options.lanes) : "";
    const std::string resume =
        fmt::format("mediarig run {} --resume{}{}{}", shell_word(options.plan), store_text(options.store), rig, lanes);
    return run_in_terminal(console, *plan,
                           {.agent = options.agent,
                            .store = options.store,
                            .rig = options.rig,
                            .resume = options.resume,
                            .lanes = options.lanes,
                            .measure_uplinks = options.measure_uplinks,
                            .audited = options.audited ? std::optional(*options.audited / 100) : std::nullopt,
                            .while_locked = options.while_locked,
                            .retest_of = retest_of,
                            // The plan file does not contain this selection of media.
                            .resume_with = retest_of.empty() ? resume : std::string()},
                           {.quiet = options.quiet, .facts = options.facts});
}

} // namespace

void add_run_command(CLI::App& app, Console& console, Action& action) {
    auto options = std::make_shared<RunOptions>();
    CLI::App* command = app.add_subcommand("run", "run the campaign that a plan file describes");
    CLI::Option* plan = command->add_option("plan", options->plan, "plan file (JSON, see docs/guide/plan.md)");
    command->add_flag("--resume", options->resume,
                      "resume the newest campaign of this plan that was not finished or has untested work");
    std::vector<std::string> verdicts;
    for (const measure::Grade grade : retested) verdicts.push_back(word_for(grade));
    command
        ->add_option("--retest", options->retest,
                     "test the media with these verdicts in the newest campaign of this plan again, as a new campaign: "
                     "inconclusive, fail, fake, marginal; several with commas")
        ->type_name("VERDICT")
        ->delimiter(',')
        ->check(CLI::IsMember(verdicts))
        ->excludes("--resume");
    CLI::Option* abandon =
        command
            ->add_option(
                "--abandon", options->abandon,
                "close this campaign (as named by 'mediarig campaigns'): the remaining work is recorded as untested")
            ->type_name("CAMPAIGN")
            ->excludes(plan);
    command->add_flag("--dry-run", options->dry_run,
                      "print a line for each medium and step, with the bytes and the time; write nothing");
    command->add_option("--lanes", options->lanes, "media tested in parallel (default: as in the plan, else 1)")
        ->check(CLI::Range(1U, plan::most_lanes))
        ->type_name("N")
        ->configurable();
    command->add_flag("--measure-uplinks", options->measure_uplinks,
                      "measure the throughput of each host controller and USB hub with all lanes, for later campaigns");
    command
        ->add_option("--audit", options->audited,
                     "per cent of the passes measured in parallel that are repeated alone (default: 5)")
        ->check(CLI::Range(0.0, 100.0))
        ->type_name("PERCENT")
        ->configurable();
    command->add_flag("--while-locked", options->while_locked,
                      "run also on a station that its golden medium has locked (mediarig rig control-chart --lock)");
    add_json_option(*command, options->facts);
    add_quiet_option(*command, options->quiet);
    CLI::Option* const rig = command->add_option(
        "--rig", options->rig.how,
        "loader of the slots: sim (the simulated rig, with the plan's lab), sim-bank (the same without a carriage), "
        "manual (you), auto (the board that is plugged in), a board's line, or a rig file (*.json)");
    rig->configurable();
    propose(*rig, {app::rig_words.begin(), app::rig_words.end()});
    command
        ->add_option("--rig-script", options->rig.script,
                     "faults of the simulated rig, one per line (docs/reference/simulated-rig.md)")
        ->check(CLI::ExistingFile);
    add_agent_option(*command, options->agent);
    add_store_option(*command, options->store);
    for (const char* other : {"--resume", "--retest", "--dry-run", "--lanes", "--measure-uplinks", "--audit",
                              "--while-locked", "--json", "--quiet", "--rig", "--rig-script"})
        abandon->excludes(command->get_option(other));
    command->callback(
        [options, &console, &action] { action = [options, &console] { return run(console, *options); }; });
}

} // namespace mediarig::cli
