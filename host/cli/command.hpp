// SPDX-License-Identifier: GPL-3.0-or-later
/// What all commands share. A command reads its options, calls the application, and writes what came out: no logic.
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
    bool terminal{};      ///< `err`, where progress goes, is a terminal
    bool out_terminal{};  ///< so is `out`: a person reads it
    bool colour{};        ///< `out` may be coloured
    unsigned columns{80}; ///< of the terminal; 80 where there is none
};

/// What the chosen command will do; gives the exit status.
using Action = std::function<int()>;

/// Prints the error as one line and gives its documented exit status.
[[nodiscard]] int report(const Console& console, const Error& error);

/// By this machine's clock, in UTC.
[[nodiscard]] media::CalendarMonth this_month();

/// Options that several commands have.
void add_agent_option(CLI::App& command, app::AgentChoice& choice);
/// --contents-unknown
void add_contents_option(CLI::App& command, bool& unknown);
/// --use-unknown
void add_use_option(CLI::App& command, bool& unknown);
void add_store_option(CLI::App& command, std::string& store);
/// " --store FILE", for a command to be typed: empty where FILE is the one that is used without it.
[[nodiscard]] std::string store_text(const std::filesystem::path& store);
/// --quiet
void add_quiet_option(CLI::App& command, bool& quiet);
/// CAMPAIGN or --campaign, for app::find_campaign()
void add_campaign_option(CLI::App& command, std::string& campaign, const std::string& by_default = "the last one");
/// --confirm, of the commands that destroy what is on a medium
CLI::Option* add_confirm_option(CLI::App& command, std::string& confirm);

/// Of options that take a size, which is read as a plan reads it; the value becomes a number of bytes.
[[nodiscard]] CLI::Validator as_size();
/// Of options that take bytes a second: "20MB", decimal as rates are.
[[nodiscard]] CLI::Validator as_rate();

void add_devices_command(CLI::App& app, Console& console, Action& action);
void add_inspect_command(CLI::App& app, Console& console, Action& action);
void add_format_command(CLI::App& app, Console& console, Action& action);
void add_bench_command(CLI::App& app, Console& console, Action& action);
void add_verify_command(CLI::App& app, Console& console, Action& action);
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
/// `configuration` is filled in before the command is called.
void add_config_command(CLI::App& app, Console& console, Action& action,
                        const std::shared_ptr<std::vector<ConfigFile>>& configuration);
/// Explains the commands that were added before it.
void add_help_command(CLI::App& app, Console& console, Action& action);
/// Of the whole `app`, when it is called: those that are added after it too.
void add_manual_command(CLI::App& app, Console& console, Action& action);

} // namespace mediarig::cli
