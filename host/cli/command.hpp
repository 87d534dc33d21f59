// SPDX-License-Identifier: GPL-3.0-or-later
/// Functions that all commands share. A command reads its options, calls the application and prints the result; it
/// contains no logic.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "host/app/agent/agent_runner.hpp"
#include "host/app/files/paths.hpp"
#include "host/base/result.hpp"
#include "host/media/identity/indications.hpp"

namespace mediarig::cli {

struct ConfigFile;

struct Console {
    std::ostream& out;
    std::ostream& err;
    bool terminal{};      ///< `err`, which shows the progress, is a terminal
    bool out_terminal{};  ///< `out` is a terminal, so a person reads the output
    bool colour{};        ///< colour is allowed on `out`
    unsigned columns{80}; ///< width of the terminal; 80 without one
    /// Standard input, if it, `out` and `err` are a terminal: a person sees questions and can answer. Otherwise null.
    std::istream* answers{};
};

/// Runs the chosen command; returns the exit status.
using Action = std::function<int()>;

/// Prints the error as one line and returns its documented exit status.
[[nodiscard]] int report(const Console& console, const Error& error);

/// Current month of this machine's clock, in UTC.
[[nodiscard]] media::CalendarMonth this_month();

/// Options that several commands share.
void add_agent_option(CLI::App& command, app::AgentChoice& choice);
/// Adds --contents-unknown.
void add_contents_option(CLI::App& command, bool& unknown);
/// Adds --use-unknown.
void add_use_option(CLI::App& command, bool& unknown);
void add_store_option(CLI::App& command, std::string& store);
/// Returns " --store FILE" for a suggested command line; empty if FILE is the default store.
[[nodiscard]] std::string store_text(const std::filesystem::path& store);
/// Adds --quiet.
void add_quiet_option(CLI::App& command, bool& quiet);
/// Adds CAMPAIGN or --campaign, for app::find_campaign().
void add_campaign_option(CLI::App& command, std::string& campaign, const std::string& by_default = "the last one");
/// Adds --confirm, for commands that erase a medium.
CLI::Option* add_confirm_option(CLI::App& command, std::string& confirm);

/// Validator of size options: reads a size as a plan does and replaces it with the number of bytes.
[[nodiscard]] CLI::Validator as_size();
/// Validator of rate options in bytes per second: "20MB"; rates are decimal.
[[nodiscard]] CLI::Validator as_rate();

void add_devices_command(CLI::App& app, Console& console, Action& action);
void add_describe_command(CLI::App& app, Console& console, Action& action);
void add_suites_command(CLI::App& app, Console& console, Action& action);
void add_inspect_command(CLI::App& app, Console& console, Action& action);
void add_format_command(CLI::App& app, Console& console, Action& action);
void add_bench_command(CLI::App& app, Console& console, Action& action);
void add_verify_command(CLI::App& app, Console& console, Action& action);
void add_check_command(CLI::App& app, Console& console, Action& action);
void add_scan_command(CLI::App& app, Console& console, Action& action);
void add_compare_command(CLI::App& app, Console& console, Action& action);
void add_lab_command(CLI::App& app, Console& console, Action& action);
void add_published_command(CLI::App& app, Console& console, Action& action);
void add_rig_command(CLI::App& app, Console& console, Action& action);
void add_run_command(CLI::App& app, Console& console, Action& action);
void add_watch_command(CLI::App& app, Console& console, Action& action);
void add_replay_command(CLI::App& app, Console& console, Action& action);
void add_results_command(CLI::App& app, Console& console, Action& action);
void add_report_command(CLI::App& app, Console& console, Action& action);
void add_campaigns_command(CLI::App& app, Console& console, Action& action);
void add_names_command(CLI::App& app, Console& console, Action& action);
/// The caller fills `configuration` before it calls the action.
void add_config_command(CLI::App& app, Console& console, Action& action,
                        const std::shared_ptr<std::vector<ConfigFile>>& configuration);
/// Adds help for the commands that were added before this call.
void add_help_command(CLI::App& app, Console& console, Action& action);
/// Adds a completion of all commands of `app` at run time, including commands added later.
void add_completion_command(CLI::App& app, Console& console, Action& action);

} // namespace mediarig::cli
