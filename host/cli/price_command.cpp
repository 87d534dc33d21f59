// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "host/app/price.hpp"
#include "host/app/text_file.hpp"
#include "host/cli/command.hpp"
#include "host/cli/play.hpp"
#include "host/cli/preview_text.hpp"
#include "host/cli/text.hpp"

namespace mediarig::cli {
namespace {

struct PriceOptions {
    app::PriceRequest request;
    app::AgentChoice agent;
    std::string store, plan_file;
    Facts facts;
    bool dry_run{}, quiet{};
};

/// Kept, so that a campaign of hours can be resumed: under a name of its own, since an earlier one may be resumed too.
Result<std::filesystem::path> written(const plan::Plan& plan, const PriceOptions& options) {
    const std::filesystem::path asked = options.plan_file, beside = options.store;
    const std::filesystem::path folder = (asked.empty() ? beside : asked).parent_path();
    std::error_code ignored; // the write below fails then, and says why
    if (!folder.empty()) std::filesystem::create_directories(folder, ignored);
    const std::string text = plan::to_json(plan).dump(2) + '\n';
    if (asked.empty()) return app::write_new_text(folder, "price", ".plan.json", text);
    if (auto kept = app::write_text(asked, text, options.facts.existing()); !kept) return fail(kept.error());
    return asked;
}

/// What would be done. The plan goes where the user asked for it; where nowhere, nothing is written.
int show(const Console& console, const plan::Plan& plan, const PriceOptions& options) {
    if (!options.plan_file.empty()) {
        const auto file = written(plan, options);
        if (!file) return report(console, file.error());
        console.err << line_of("the plan is in " + file->string());
    }
    if (!options.facts.json.on_stdout()) {
        console.out << fmt::format("{} repeats of {} formats\n", plan.repeats, plan.formats.size());
        for (const std::string& deviation : plan.price->deviations) console.out << line_of("deviation: " + deviation);
    }
    return dry_run(console, plan, options.agent, {}, options.facts);
}

int price(const Console& console, PriceOptions options) {
    options.request.target.elsewhere = options.agent.how == "lab";
    if (const auto fs = media::file_system_from(options.request.fs)) options.request.fs = media::name_of(*fs);
    // A plan that is kept will be run.
    options.request.only_to_look = options.dry_run && options.plan_file.empty();
    const auto plan = app::price_plan(options.request);
    if (!plan) return report(console, plan.error());
    // Before the plan is written.
    if (auto possible = check_json_file(options.facts); !possible) return report(console, possible.error());
    if (options.dry_run) return show(console, *plan, options);
    const auto file = written(*plan, options);
    if (!file) return report(console, file.error());
    const std::string resume = fmt::format("mediarig run {} --resume --store {}", file->string(), options.store);
    return play(console, *plan, {.agent = options.agent, .store = options.store, .resume_with = resume},
                {.quiet = options.quiet, .tables = true, .facts = options.facts});
}

} // namespace

void add_price_command(CLI::App& app, Console& console, Action& action) {
    auto options = std::make_shared<PriceOptions>();
    CLI::App* command = app.add_subcommand(
        "price",
        "what deviations from a format cost in MB/s and IOPS, with an interval; destroys what is on the medium");
    command->add_option("target", options->request.target.name, "block device or image file")->required();
    add_confirm_option(*command, options->request.target.confirm);
    command->add_option("--fs", options->request.fs,
                        "the file system of the baseline (default: exfat, or the profile's)");
    command->add_option("--profile", options->request.profile,
                        "the baseline as a profile makes it: sd, windows, macos or linux (default: none, the file "
                        "system takes the whole medium)");
    command->add_option("--deviation", options->request.deviations,
                        "what differs from it, such as misaligned, cluster_size:4KiB, fs:hfs+ or a JSON object as in a "
                        "plan; may be given several times (default: what is worth trying there)");
    command->add_option("--repeats", options->request.repeats,
                        "an even number from 4 on (default: at least 6, each format at each place equally often)");
    command->add_flag("--quick", options->request.quick, "the same with the smallest volume that still makes sense");
    command->add_option("--plan", options->plan_file,
                        "where the plan is written (default: beside the store, under a name of its own)");
    command->add_flag("--dry-run", options->dry_run, "write the plan where --plan says, and nothing else");
    add_json_option(*command, options->facts);
    command->add_flag("--quiet", options->quiet, "no progress, the result only");
    add_agent_option(*command, options->agent);
    add_store_option(*command, options->store);
    command->callback(
        [options, &console, &action] { action = [options, &console] { return price(console, *options); }; });
}

} // namespace mediarig::cli
