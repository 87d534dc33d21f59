// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <boost/asio/this_coro.hpp>
#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

#include "host/app/compare.hpp"
#include "host/app/files/nickname_file.hpp"
#include "host/app/preflight.hpp"
#include "host/app/target.hpp"
#include "host/base/text.hpp"
#include "host/campaign/run/step_actions.hpp"
#include "host/cli/command.hpp"
#include "host/cli/commands/ask_confirmation.hpp"
#include "host/cli/commands/run_in_terminal.hpp"
#include "host/cli/facts.hpp"
#include "host/cli/manual/manual.hpp"
#include "host/cli/text/text.hpp"
#include "host/workload/json.hpp"

namespace mediarig::cli {
namespace {

using workload::RestoreMode;

struct CheckOptions {
    app::SingleRequest request;
    app::AgentChoice agent;
    std::string store, on_io_error;
    Facts facts;
    bool quick{}, quiet{};
    bool restore{}, changed{}, forget{};
};

int check(const Console& console, CheckOptions options) {
    suites::SuiteRequest& suite = options.request.suite.request;
    suite.name = "check";
    suite.quick = options.quick;
    if (const auto reaction = from_name<workload::OnIoError>(options.on_io_error)) suite.on_io_error = *reaction;
    options.request.suite.where = plan::SuiteTarget::raw;
    options.request.keeps_data = true;
    if (options.request.confirm.empty())
        if (const auto refusal = app::permanent_refusal(options.agent, options.request.target))
            return report(console, *refusal);
    options.request.may_lack_confirmation = console.answers != nullptr;
    auto plan = app::single_plan(options.request);
    if (!plan) return report(console, plan.error());
    if (auto confirmed = ask_confirmations(console, options.agent, *plan, WriteEffect::keeps_contents); !confirmed)
        return report(console, confirmed.error());
    return run_in_terminal(
        console, *plan,
        {.agent = options.agent, .store = options.store, .discard_refused = true, .named_after_medium = true},
        {.quiet = options.quiet, .tables = true, .facts = options.facts});
}

RestoreMode mode_of(const CheckOptions& options) {
    if (options.forget) return options.changed ? RestoreMode::none_forced : RestoreMode::none;
    return options.changed ? RestoreMode::all : RestoreMode::unchanged;
}

std::string result_text(const CheckOptions& options, const workload::RestoreReport& restored) {
    const std::string& target = options.request.target;
    if (options.forget)
        return fmt::format("The undo file of {} is removed; the medium keeps its present content.", target);
    if (restored.written == 0_B)
        return fmt::format("{}: all {} places already have their former content; the undo file is removed.", target,
                           restored.places);
    if (restored.lost == 0)
        return fmt::format("{}: {} places, {}, are restored and compared.", target, restored.places,
                           size_text(restored.bytes));
    return fmt::format(
        "{}: {} sectors do not accept their former content, the first at byte {}; the undo file is kept: "
        "try again in another reader.",
        target, restored.lost, restored.first_lost.value_or(0_B).count);
}

int restore(const Console& console, CheckOptions options) {
    if (auto possible = check_json_file(options.facts); !possible) return report(console, possible.error());
    app::SingleRequest& request = options.request;
    if (request.confirm.empty() && console.answers == nullptr)
        return report(console,
                      app::unconfirmed({.name = request.target, .elsewhere = request.elsewhere, .keeps_data = true}));
    if (request.confirm.empty()) {
        auto confirmed = ask_confirmation(console, options.agent, request.target,
                                          options.forget ? WriteEffect::forgets : WriteEffect::writes_back);
        if (!confirmed) return report(console, confirmed.error());
        request.confirm = std::move(*confirmed);
    }
    std::error_code unknown;
    if (std::filesystem::is_regular_file(request.target, unknown) || request.confirm.find('/') != std::string::npos)
        request.confirm = app::canonical_path(request.confirm);
    campaign::StopSignal stop;
    std::optional<workload::RestoreReport> restored;
    app::AgentChoice choice = options.agent;
    choice.devices = {request.target};
    const auto done = app::with_agent(
        choice, stop,
        [&](agent::AgentClient& agent, const agent::HelloReport&) -> boost::asio::awaitable<Result<void>> {
            // Sectors that an interrupted write has destroyed must not prevent the restore.
            const auto use = request.use_unknown ? media::Use::may_be_unknown : media::Use::must_be_known;
            // Created outside the co_await expression, because GCC 12 destroys such an aggregate twice.
            const media::ClaimRequest wanted{.target = request.target,
                                             .confirm = request.confirm,
                                             .presence = {},
                                             .contents = media::Contents::may_be_unknown,
                                             .use = use,
                                             .restores = true};
            auto claimed = co_await agent.claim(wanted);
            if (!claimed) co_return fail(claimed.error());
            const auto executor = co_await boost::asio::this_coro::executor;
            stop.on_request([&] { campaign::cancel_soon(executor, agent); });
            auto report = co_await agent.restore(claimed->claim, mode_of(options));
            stop.on_request({});
            auto released = co_await agent.release(claimed->claim);
            if (!report) co_return fail(report.error());
            restored = *report;
            if (!released) co_return fail(released.error());
            co_return Result<void>{};
        });
    if (!done) return report(console, done.error());
    const nlohmann::json found{{"mediarig_restore", 1}, {"restore", workload::to_json(*restored)}};
    const auto print = [&] { console.out << paragraph(result_text(options, *restored), console.columns); };
    if (const int failed = tell(console, options.facts, found, print); failed != 0) return failed;
    return restored->lost == 0 ? 0 : 1;
}

int run(const Console& console, CheckOptions options) {
    const auto target = app::target_called(options.agent, options.request.target);
    if (!target) return report(console, target.error());
    options.request.target = *target;
    options.request.elsewhere = options.agent.how == "lab";
    if (options.changed && !options.restore && !options.forget)
        return report(console, Error{Errc::bad_request, "--changed is used with --restore or --forget"});
    return options.restore || options.forget ? restore(console, std::move(options))
                                             : check(console, std::move(options));
}

} // namespace

void add_check_command(CLI::App& app, Console& console, Action& action) {
    auto options = std::make_shared<CheckOptions>();
    CLI::App* command = app.add_subcommand(
        "check", "look for a fake and for weak places with few writes, then restore the data of the medium");
    command->add_option("target", options->request.target, "block device or image file")->required();
    command->add_flag("--quick", options->quick, "write 32 MiB at most: a larger cache can mislead the check");
    command
        ->add_option_function<std::uint64_t>(
            "--assumed-cache",
            [options](const std::uint64_t& bytes) { options->request.suite.request.assumed_cache = Bytes{bytes}; },
            "the largest cache that the medium may have (the amount that is saved and written in 12 s, at most 512 "
            "MiB)")
        ->transform(as_size());
    command
        ->add_option_function<std::uint32_t>(
            "--until-sure",
            [options](const std::uint32_t& minutes) {
                options->request.suite.request.time_limit = std::chrono::minutes(minutes);
            },
            "then write all other content again, for at most this number of minutes, so that no cache smaller than "
            "the medium can mislead the check")
        ->type_name("MINUTES")
        ->check(CLI::Range(1u, 10'080u));
    command
        ->add_option("--on-io-error", options->on_io_error,
                     "after a failed transfer: stop, go_on, or bounded: go on until failures have taken 5 minutes (the "
                     "default)")
        ->check(CLI::IsMember(choices<workload::OnIoError>()));
    command->add_flag("--restore", options->restore, "restore the data after an interrupted check; checks nothing");
    command->add_flag("--changed", options->changed,
                      "with --restore or --forget: also on a medium that was written after the check");
    command
        ->add_flag("--forget", options->forget,
                   "after an interrupted check: remove the saved data, and keep the present content of the medium")
        ->excludes("--restore");
    add_confirm_option(*command, options->request.confirm);
    add_contents_option(*command, options->request.contents_unknown);
    add_use_option(*command, options->request.use_unknown);
    add_json_option(*command, options->facts);
    add_quiet_option(*command, options->quiet);
    add_agent_option(*command, options->agent);
    add_store_option(*command, options->store);
    command->callback(
        [options, &console, &action] { action = [options, &console] { return run(console, *options); }; });
}

} // namespace mediarig::cli
