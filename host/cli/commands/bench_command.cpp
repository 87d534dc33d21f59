// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "host/app/compare.hpp"
#include "host/app/files/nickname_file.hpp"
#include "host/app/preflight.hpp"
#include "host/cli/command.hpp"
#include "host/cli/commands/ask_confirmation.hpp"
#include "host/cli/commands/read_kept_data.hpp"
#include "host/cli/commands/run_in_terminal.hpp"
#include "host/cli/manual/manual.hpp"
#include "host/media/identity/medium.hpp"
#include "host/plan/sections.hpp"
#include "host/workload/outcome.hpp"
#include "host/workload/suites/suite.hpp"

namespace mediarig::cli {
namespace {

struct BenchOptions {
    app::SingleRequest request;
    app::AgentChoice agent;
    std::string store;
    Facts facts;
    std::vector<std::string> tables;
    std::vector<std::string> original; ///< options of the original benchmark
    std::string engine, cache, on_io_error;
    bool raw{}, quick{}, raw_log{}, quiet{};
    bool verify{}; ///< called as `verify`, not as `bench --suite verify`
    bool probe{}, full{};
    bool read_only{};                   ///< reads the data of an earlier test back
    std::optional<Bytes> assumed_cache; ///< cache size that the probe assumes
};

void apply(const BenchOptions& options, plan::SuiteEntry& suite) {
    suites::SuiteRequest& request = suite.request;
    request.quick = options.quick;
    request.tables = options.tables;
    request.options = options.original;
    request.keep_raw_log = options.raw_log;
    // The parser has already checked the names.
    if (const auto engine = from_name<workload::Engine>(options.engine)) request.engine = *engine;
    if (const auto cache = from_name<workload::CachePolicy>(options.cache)) request.cache = *cache;
    if (const auto reaction = from_name<workload::OnIoError>(options.on_io_error)) request.on_io_error = *reaction;
    if (options.raw) suite.where = plan::SuiteTarget::raw;
}

bool is_directory(const std::string& target) {
    std::error_code error;
    return std::filesystem::is_directory(target, error);
}

int run(const Console& console, BenchOptions options) {
    const auto target = app::target_called(options.agent, options.request.target);
    if (!target) return report(console, target.error());
    options.request.target = *target;
    if (options.read_only)
        return read_kept_data(
            console,
            {.target = options.request.target, .agent = options.agent, .facts = options.facts, .quiet = options.quiet});
    // verify fills the free space of a directory; any other target can only be verified as a bare device.
    options.request.elsewhere = options.agent.how == "lab";
    if (options.verify) options.raw = options.request.elsewhere || !is_directory(options.request.target);
    if (options.probe && !options.raw)
        return report(console, {Errc::bad_request, options.request.target +
                                                       ": --probe needs a device or an image: the file system of a "
                                                       "directory chooses the place of the data; leave --probe out"});
    if (options.request.suite.request.from && !options.raw)
        return report(console,
                      {Errc::bad_request,
                       options.verify ? "--from needs a device or an image: the file system of a directory chooses the "
                                        "place of the data; leave --from out"
                                      : "--from needs --raw: a file system chooses the place of the data"});
    const bool only_probe = options.probe && !options.full;
    if (options.request.suite.replug && !options.raw)
        return report(console, {Errc::bad_request, options.request.target +
                                                       ": --replug needs a device: a directory is in use while its "
                                                       "medium is removed; leave --replug out"});
    if (options.request.suite.replug && only_probe)
        return report(console, {Errc::bad_request,
                                "--replug separates the writing of all data from its reading, and a "
                                "probe has several of both: add --full, or leave --replug out"});
    if (only_probe) {
        options.request.suite.request.name = "capacity";
        options.request.name = "probe"; // as in the command
    }
    apply(options, options.request.suite);
    if (options.probe && options.full) {
        plan::SuiteEntry probe{.request = {.name = "capacity"}, .where = plan::SuiteTarget::raw};
        probe.request.quick = options.quick;
        probe.request.assumed_cache = options.assumed_cache;
        probe.request.on_io_error = options.request.suite.request.on_io_error;
        options.request.before = {probe};
    } else if (only_probe) {
        options.request.suite.request.assumed_cache = options.assumed_cache;
    }
    if (options.raw && options.request.confirm.empty())
        if (const auto refusal = app::permanent_refusal(options.agent, options.request.target))
            return report(console, *refusal);
    options.request.may_lack_confirmation = console.answers != nullptr;
    auto plan = app::single_plan(options.request);
    if (!plan) return report(console, plan.error());
    if (auto confirmed = ask_confirmations(console, options.agent, *plan); !confirmed)
        return report(console, confirmed.error());
    return run_in_terminal(
        console, *plan,
        {.agent = options.agent, .store = options.store, .discard_refused = true, .named_after_medium = true},
        {.quiet = options.quiet, .tables = true, .facts = options.facts});
}

std::vector<std::string> names() {
    std::vector<std::string> result;
    for (const std::string_view name : suites::suite_names()) result.emplace_back(name);
    return result;
}

void add_common(CLI::App& command, BenchOptions& options) {
    command.add_option("target", options.request.target, "block device, image file or directory")->required();
    command.add_option("--engine", options.engine, "interface that issues the operations")
        ->check(CLI::IsMember(choices<workload::Engine>()))
        ->configurable();
    command
        .add_option("--on-io-error", options.on_io_error,
                    "after a failed transfer: stop, go_on, or bounded: go on until failures have taken 5 minutes (the "
                    "default)")
        ->check(CLI::IsMember(choices<workload::OnIoError>()));
    add_confirm_option(command, options.request.confirm);
    add_contents_option(command, options.request.contents_unknown);
    add_use_option(command, options.request.use_unknown);
    add_json_option(command, options.facts);
    add_quiet_option(command, options.quiet);
    add_agent_option(command, options.agent);
    add_store_option(command, options.store);
}

void add_place_options(CLI::App& command, const std::shared_ptr<BenchOptions>& options) {
    suites::SuiteRequest& request = options->request.suite.request;
    const auto add = [&](const char* name, std::optional<Bytes>& to, const char* help) {
        command
            .add_option_function<std::uint64_t>(
                name, [options, &to](const std::uint64_t& bytes) { to = Bytes{bytes}; }, help)
            ->transform(as_size());
    };
    add("--from", request.from, "start at this position of a bare device, in whole MiB");
    add("--length", request.span, "use only this much of the medium");
    add("--rate-limit", request.rate_limit,
        "at most this number of bytes per second, with pauses between the transfers (not with queues)");
}

void on_run(CLI::App& command, const std::shared_ptr<BenchOptions>& options, Console& console, Action& action) {
    command.callback([options, &console, &action] { action = [options, &console] { return run(console, *options); }; });
}

} // namespace

void add_bench_command(CLI::App& app, Console& console, Action& action) {
    auto options = std::make_shared<BenchOptions>();
    CLI::App* command = app.add_subcommand("bench", "run one suite on a device, an image or a directory");
    add_common(*command, *options);
    command->add_flag("--quick", options->quick,
                      "the same protocol with the least data that still gives a meaningful result");
    options->request.suite.request.name = "quickbench";
    command
        ->add_option("--suite", options->request.suite.request.name,
                     "the suite to run; 'mediarig suites' describes them")
        ->check(CLI::IsMember(names()))
        ->capture_default_str()
        ->configurable();
    command
        ->add_option("--repeat", options->request.repeats,
                     "number of passes; 4 or more show the scatter of the figures")
        ->check(CLI::Range(1U, plan::most_repeats))
        ->capture_default_str();
    suites::SuiteRequest& request = options->request.suite.request;
    command
        ->add_option_function<std::uint64_t>(
            "--size", [&request](const std::uint64_t& bytes) { request.span = Bytes{bytes}; },
            "size of the test file (default: that of the suite)")
        ->transform(as_size());
    command
        ->add_option_function<std::uint32_t>(
            "--time", [&request](const std::uint32_t& seconds) { request.time_limit = std::chrono::seconds(seconds); },
            "longest time of one cell in seconds (default: that of the suite)")
        ->check(CLI::Range(1U, 86'400U));
    command
        ->add_option_function<std::uint64_t>(
            "--block", [&request](const std::uint64_t& bytes) { request.blocks.push_back(Bytes{bytes}); },
            "block size, such as 64KiB; may be repeated (default: those of the suite)")
        ->transform(as_size())
        ->trigger_on_parse();
    command
        ->add_option_function<std::uint32_t>(
            "--depth", [&request](const std::uint32_t& depth) { request.queue_depth = depth; },
            "transfers in flight (default: that of the suite)")
        ->check(CLI::Range(1U, 256U));
    CLI::Option* const tables =
        command
            ->add_option(
                "--table", options->tables,
                "which tables of the suite (quickbench: standard, large, extended; disktester: sequential, iops)")
            ->configurable();
    std::vector<std::string> several;
    for (const suites::Suite* suite : suites::all_suites())
        if (suite->tables.size() > 1)
            for (const suites::SuiteTable& table : suite->tables) several.emplace_back(table.name);
    propose(*tables, several);
    command->add_option("--option", options->original,
                        "an option of the original benchmark under its original name: file-io-mode=mmap "
                        "(sysbench-fileio); may be repeated");
    command->add_option("--cache", options->cache, "treatment of this machine's cache of the medium")
        ->check(CLI::IsMember(choices<workload::CachePolicy>()))
        ->configurable();
    command
        ->add_option("--partition", options->request.partition,
                     "partition that holds the file system (the first that can be mounted)")
        ->check(CLI::Range(1u, media::highest_partition));
    command->add_flag("--raw", options->raw, "work on the bare device; destroys all data on it");
    add_place_options(*command, options);
    command->add_flag("--raw-log", options->raw_log, "record the latency of each operation")->configurable();
    on_run(*command, options, console, action);
}

void add_verify_command(CLI::App& app, Console& console, Action& action) {
    auto options = std::make_shared<BenchOptions>();
    CLI::App* command = app.add_subcommand(
        "verify", "write, read back and check every byte, or probe the true capacity; destroys all data on a device");
    add_common(*command, *options);
    options->request.suite.request.name = "verify";
    options->verify = true;
    command->add_flag("--quick", options->quick,
                      "test only a small part: finds damage there but cannot detect a fake, so a device without damage "
                      "there is SAMPLED (status 3); with --probe: fewer places");
    command->add_flag(
        "--probe", options->probe,
        "find the real capacity with few writes, in about half a minute; on a fake with a large cache up to five times "
        "the size of this cache is written; without a sign of a fake the medium is PROBED (status 3), which proves "
        "nothing; with --full, before the full write");
    command->add_flag("--full", options->full, "write and read back every byte (the default)")
        ->excludes(command->get_option("--quick"));
    command->add_flag("--replug", options->request.suite.replug,
                      "before reading back, ask to remove the medium and connect it again: a cache without power "
                      "cannot hide an error");
    add_place_options(*command, options);
    command
        ->add_flag("--read-only", options->read_only,
                   "write nothing: compare the data that an earlier verify left on a device or image, or the files of "
                   "H2testw or f3 in a folder, and report their age")
        ->excludes(command->get_option("--quick"))
        ->excludes(command->get_option("--probe"))
        ->excludes(command->get_option("--replug"))
        ->excludes(command->get_option("--confirm"));
    command
        ->add_option_function<std::uint64_t>(
            "--assumed-cache", [options](const std::uint64_t& bytes) { options->assumed_cache = Bytes{bytes}; },
            "for --probe: the largest cache that the medium may have (the amount that it writes in 8 s, at most 1 GiB)")
        ->transform(as_size())
        ->needs("--probe");
    on_run(*command, options, console, action);
}

} // namespace mediarig::cli
