// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/cli/commands/compare_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <random>
#include <string>
#include <string_view>

#include "host/app/compare.hpp"
#include "host/app/files/nickname_file.hpp"
#include "host/app/files/text_file.hpp"
#include "host/app/preflight.hpp"
#include "host/base/json/json_text.hpp"
#include "host/base/shell_word.hpp"
#include "host/campaign/comparison/comparison_text.hpp"
#include "host/cli/command.hpp"
#include "host/cli/commands/ask_confirmation.hpp"
#include "host/cli/commands/compare_media.hpp"
#include "host/cli/commands/preview_text.hpp"
#include "host/cli/commands/run_in_terminal.hpp"
#include "host/cli/manual/manual.hpp"
#include "host/cli/text/text.hpp"
#include "host/measure/comparison/lines/dialog.hpp"
#include "host/media/format/profiles.hpp"

namespace mediarig::cli {
namespace {

/// In bytes. Eight formats with the longest names and their rates need about a tenth of this limit. It bounds input
/// without line ends.
constexpr std::size_t longest_line = 64 * 1024;

/// Answers each line before reading the next line: the writer may wait for the answer. `name` is used in messages.
Result<void> answer_lines(const Console& console, std::istream& in, const std::string& name) {
    measure::comparison::Dialog dialog;
    std::string line(longest_line, '\0');
    while (in.getline(line.data(), static_cast<std::streamsize>(line.size()))) {
        const auto length = static_cast<std::size_t>(in.gcount()) - (in.eof() ? 0 : 1);
        const auto answer = dialog.answer(std::string_view(line).substr(0, length));
        if (!answer) return fail(answer.error().code, name + ", " + answer.error().detail);
        if (!*answer) continue;
        console.out << codec::json_text(**answer, -1) << '\n';
        console.out.flush();
        if (!console.out) return {}; // main() reports the error
    }
    if (in.bad()) return fail(Errc::bad_request, name + " cannot be read; check the file");
    if (!in.eof())
        return fail(Errc::bad_request, name + " has a line of more than " + std::to_string(longest_line) +
                                           " bytes, more than any block needs");
    if (!dialog.was_asked())
        return fail(Errc::bad_request, name + " is empty: write one line of JSON for the start and one for each block");
    if (dialog.is_undecided()) console.err << "mediarig: " << name << " ends before the trial is decided\n";
    return {};
}

Result<void> answer_all(const Console& console, const std::string& from) {
    const bool is_input = from == "-";
    const std::string name = is_input ? "standard input" : from;
    std::error_code unknown;
    if (std::filesystem::is_directory(is_input ? "/dev/stdin" : from, unknown))
        return fail(Errc::bad_request, name + " is a directory; name a file");
    if (is_input) return answer_lines(console, std::cin, name);
    if (app::is_not_text(from))
        return fail(Errc::bad_request, from + " contains no text: name a file of JSON lines, or - for standard input");
    // The input may have any length and may be a FIFO: the writer may wait for each answer, as on standard input.
    std::ifstream in(from);
    if (!in) return fail(Errc::bad_request, from + " cannot be read: " + std::strerror(errno) + "; check the name");
    return answer_lines(console, in, name);
}

} // namespace

int answer_lines_of(const Console& console, const std::string& from) {
    const Result<void> done = answer_all(console, from);
    return done ? 0 : report(console, done.error());
}

namespace {

struct CompareOptions {
    app::CompareRequest request;
    app::AgentChoice agent;
    std::string store, plan_file, from;
    std::vector<std::string> media;
    std::optional<std::uint32_t> minutes;
    std::optional<std::uint64_t> seed;
    Facts facts;
    bool dry_run{}, quiet{};
    std::vector<std::string> given; ///< the other options that were typed: "--formats"
};

/// Refuses measuring options for a request that measures nothing; options about locations (`taken`) are allowed.
Result<void> check_alone(const CompareOptions& options, std::string_view way, std::string_view measures,
                         const std::vector<std::string>& taken) {
    std::string others;
    for (const std::string& option : options.given)
        if (option != way && std::find(taken.begin(), taken.end(), option) == taken.end())
            others += (others.empty() ? "" : ", ") + (option == "target" ? options.request.target.name : option);
    if (others.empty()) return {};
    return fail(Errc::bad_request, fmt::format("{} {}: leave out {}", way, measures, others));
}

/// Writes the plan to a file so that the campaign can be resumed. Without --plan the file name is new: an earlier
/// campaign may still need its plan.
Result<std::filesystem::path> written(const plan::Plan& plan, const CompareOptions& options) {
    const std::filesystem::path asked = options.plan_file, beside = options.store;
    const std::filesystem::path folder = (asked.empty() ? beside : asked).parent_path();
    std::error_code ignored; // if this call fails, the write below fails too and gives the reason
    if (!folder.empty()) std::filesystem::create_directories(folder, ignored);
    const std::string text = codec::json_text(plan::to_json(plan)) + '\n';
    if (asked.empty()) return app::write_new_text(folder, "compare", ".plan.json", text);
    // --force does not apply: the plan may have been edited, and an earlier campaign may need it.
    if (app::read_text(asked).value_or("") != "")
        return fail(Errc::bad_request,
                    fmt::format("{} exists already, and a plan is never replaced: name another file, or remove it",
                                asked.string()));
    if (auto kept = app::write_text(asked, text, app::Existing::kept); !kept) return fail(kept.error());
    return asked;
}

/// Dry run: prints the planned work. Writes the plan only if the user named a file.
int show(const Console& console, const plan::Plan& plan, const CompareOptions& options) {
    std::string kept;
    if (!options.plan_file.empty()) {
        const auto file = written(plan, options);
        if (!file) return report(console, file.error());
        console.err << line_of("the plan is in " + file->string());
        kept = file->string();
    }
    if (!options.facts.json.on_stdout()) {
        const std::string budget =
            plan.compare->endless ? "blocks until the decision" : fmt::format("at most {} blocks", plan.repeats);
        console.out << fmt::format("{} of {} formats, margin {:.3g} %\n", budget, plan.formats.size(),
                                   plan.compare->margin_percent);
        for (const std::string& title : comparison_campaign::titles_of(plan))
            console.out << line_of("format: " + title);
    }
    return dry_run(console, plan, {.agent = options.agent}, options.facts, kept);
}

int compare_formats(const Console& console, CompareOptions options) {
    const auto target = app::target_called(options.agent, options.request.target.name);
    if (!target) return report(console, target.error());
    options.request.target.name = *target;
    options.request.target.elsewhere = options.agent.how == "lab";
    if (const auto fs = media::file_system_from(options.request.fs)) options.request.fs = media::name_of(*fs);
    if (options.minutes) options.request.time = std::chrono::minutes(*options.minutes);
    options.request.seed = options.seed ? *options.seed : std::random_device{}();
    // A plan that is written to a file will be run later, so it needs the confirmation.
    const bool only_to_look = options.dry_run && options.plan_file.empty();
    options.request.may_lack_confirmation = only_to_look || console.answers != nullptr;
    if (options.request.target.confirm.empty() && !only_to_look)
        if (const auto refusal = app::permanent_refusal(options.agent, options.request.target.name))
            return report(console, *refusal);
    auto plan = app::compare_plan(options.request);
    if (!plan) return report(console, plan.error());
    // Check the output before the plan is written.
    if (auto possible = check_json_file(options.facts); !possible) return report(console, possible.error());
    if (!only_to_look)
        if (auto confirmed = ask_confirmations(console, options.agent, *plan); !confirmed)
            return report(console, confirmed.error());
    if (options.dry_run) return show(console, *plan, options);
    const auto keep_plan = [&]() -> Result<std::string> {
        const auto file = written(*plan, options);
        if (!file) return fail(file.error());
        return fmt::format("mediarig run {} --resume{}", shell_word(file->string()), store_text(options.store));
    };
    return run_in_terminal(
        console, *plan,
        {.agent = options.agent, .store = options.store, .named_after_medium = true, .keep_plan = keep_plan},
        {.quiet = options.quiet, .tables = true, .facts = options.facts});
}

int compare(const Console& console, const CompareOptions& options) {
    if (!options.from.empty()) {
        if (auto alone = check_alone(options, "--from", "measures nothing", {"--agent", "--store", "--quiet"}); !alone)
            return report(console, alone.error());
        return answer_lines_of(console, options.from);
    }
    if (!options.media.empty()) {
        if (auto alone = check_alone(options, "--media", "measures nothing and reads no file",
                                     {"--agent", "--store", "--quiet", "--margin", "--json", "--force"});
            !alone)
            return report(console, alone.error());
        return compare_media(console, options.store, options.media, options.request.margin_percent.value_or(5) / 100,
                             options.facts);
    }
    if (options.request.target.name.empty())
        return report(console, {Errc::bad_request,
                                "target is required, or --from FILE for measurements from elsewhere, or --media for "
                                "media that were measured (see mediarig compare --help)"});
    return compare_formats(console, options);
}

} // namespace

void add_compare_command(CLI::App& app, Console& console, Action& action) {
    auto options = std::make_shared<CompareOptions>();
    app::CompareRequest& request = options->request;
    CLI::App* command = app.add_subcommand(
        "compare",
        "find the fastest of several formats on a medium, which is erased, or the fastest of several measured media");
    command->add_option("target", request.target.name, "block device or image file");
    add_confirm_option(*command, request.target.confirm);
    add_use_option(*command, request.target.use_unknown);
    command->add_option("--formats", request.formats, "file systems to compare, such as exfat,hfs+j,apfs")
        ->delimiter(',');
    propose(
        *command->add_option("--fs", request.fs, "the file system of a baseline (default: exfat, or the profile's)"),
        media::file_system_names());
    propose(*command->add_option("--profile", request.profile,
                                 "a baseline as a profile makes it: sd, windows, macos or linux (default: none, the "
                                 "file system takes the whole medium)"),
            choices<media::FormatProfile>());
    command->add_option("--deviation", request.deviations,
                        "deviation to compare with the baseline, such as misaligned, cluster_size:4KiB, fs:hfs+ or a "
                        "JSON object as in a plan; may be given several times");
    command->add_flag("--self-test", request.self_test,
                      "compare the baseline with itself: no difference should be found");
    command
        ->add_option("--blocks", request.blocks,
                     "measure each format at most this many times: 4 to 60, or endless (default: 12)")
        ->configurable();
    command->add_option("--minutes", options->minutes, "begin no pass after this many minutes (default: no limit)")
        ->check(CLI::Range(1U, 500'000U));
    command->add_flag(
        "--no-discard", request.no_discard,
        "do not discard the medium before each pass (default: discard all of it if the medium supports that)");
    command->add_option("--rest", request.rest_s,
                        "leave the medium idle for this many seconds before each pass, and then until its temperature "
                        "or rate equals that before the first pass (default: 0)");
    command->add_option("--rest-at-most", request.longest_rest_s,
                        "begin a pass anyway after this many seconds (default: ten times --rest)");
    command->add_option(
        "--fill", request.fill,
        "amount written sequentially before each pass to a medium without discard, or 0 (default: 1GiB)");
    command
        ->add_option("--margin", request.margin_percent,
                     "differences of at most this many per cent count as equality (default: 5)")
        ->check(CLI::Validator(
            [](const std::string& given) {
                double value{};
                const bool number = CLI::detail::lexical_cast(given, value) && std::isfinite(value);
                return number ? std::string() : "Value " + given + " not in range 0.1 - 100";
            },
            ""));
    command
        ->add_option("--media", options->media,
                     "measure nothing: compare media that were measured by the same cells; CAMPAIGN selects all its "
                     "media, CAMPAIGN/DEVICE one")
        ->delimiter(',');
    command
        ->add_option("--headlines", request.headlines,
                     "the operations that decide the comparison, such as seq_write,random_read (default: all measured "
                     "operations)")
        ->delimiter(',');
    command->add_option("--seed", options->seed, "start value of the random order (default: a new one)");
    command->add_flag("--quick", request.quick,
                      "the same protocol with the least data that still gives a meaningful result");
    command->add_option("--plan", options->plan_file,
                        "file for the plan (default: in the folder of the store, under a unique name)");
    command->add_flag(
        "--dry-run", options->dry_run,
        "print the planned steps, block by block, and their duration; write only the plan, if --plan names a file");
    command
        ->add_option("--from", options->from,
                     "measure nothing: read measurements made elsewhere from a file, one line of JSON per block "
                     "(docs/guide/comparison.md); -: standard input")
        ->check([](const std::string& given) { return given.empty() ? "needs a value" : std::string(); });
    add_json_option(*command, options->facts);
    add_quiet_option(*command, options->quiet);
    add_agent_option(*command, options->agent);
    add_store_option(*command, options->store);
    command->callback([command, options, &console, &action] {
        for (const CLI::Option* option : command->get_options())
            if (option->count() > 0) options->given.push_back(option->get_name());
        action = [options, &console] { return compare(console, *options); };
    });
}

} // namespace mediarig::cli
