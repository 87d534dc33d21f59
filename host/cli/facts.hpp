// SPDX-License-Identifier: GPL-3.0-or-later
/// Machine-readable output: --json[=FILE] and similar options, which work the same in every command.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/app/files/text_file.hpp"
#include "host/base/result.hpp"
#include "host/cli/command.hpp"
#include "host/store/record.hpp"

namespace mediarig::cli {

/// Destination of facts: none, standard output instead of the readable text, or a file in addition to the text.
struct FactsDestination {
    std::string file; ///< "-": standard output; empty: nowhere
    [[nodiscard]] bool asked() const { return !file.empty(); }
    [[nodiscard]] bool on_stdout() const { return file == "-"; }
    [[nodiscard]] bool in_file() const { return asked() && !on_stdout(); }
};

struct Facts {
    FactsDestination json;
    bool force{}; ///< replace existing files
    [[nodiscard]] app::Existing existing() const { return force ? app::Existing::replaced : app::Existing::kept; }
};

/// Adds --json[=FILE] and --force.
void add_json_option(CLI::App& command, Facts& facts);
/// Adds an option of the same form under another name, such as --csv.
void add_facts_option(CLI::App& command, const std::string& name, FactsDestination& to, const std::string& what);
/// Adds only --force, for commands that write other files.
void add_force_option(CLI::App& command, bool& force);

/// Checks the output file before the work starts. Fails with bad_request if the file cannot be written or must not be
/// replaced.
[[nodiscard]] Result<void> check_json_file(const Facts& facts);
/// An output file in addition to --json.
struct SecondOutput {
    std::string option; ///< "--csv"
    FactsDestination to;
    std::string begins; ///< first bytes of its text
    bool edited{};      ///< see app::Existing::edited
};
/// Checks all outputs, so that nothing is written if one output is impossible. Fails with bad_request like
/// check_json_file(), and if two outputs are the same file.
[[nodiscard]] Result<void> check_outputs(const Facts& facts, const std::vector<SecondOutput>& others);

/// Adds a command to `parent` with --json[=FILE], stored in the member `facts` of its options. Calls `run(console,
/// *options)` after checking the file.
template <class Options, class Run>
CLI::App* add_facts_command(CLI::App& parent, const std::string& name, const std::string& what,
                            const std::shared_ptr<Options>& options, Run run, const Console& console, Action& action) {
    CLI::App* command = parent.add_subcommand(name, what);
    add_json_option(*command, options->facts);
    command->callback([run, options, &console, &action] {
        action = [run, options, &console] {
            if (auto possible = check_json_file(options->facts); !possible) return report(console, possible.error());
            return run(console, *options);
        };
    });
    return command;
}

/// Prints the result of a command: as JSON if the user requested JSON on standard output, else with `tell_people`. Also
/// writes the JSON file if requested. Returns 0, or the exit status of a failed write.
[[nodiscard]] int tell(const Console& console, const Facts& facts, const nlohmann::json& found,
                       const std::function<void()>& tell_people);
/// Writes a text that is produced in parts to the JSON destination. Returns 0, or the exit status of a failed write or
/// of a failed `produce`.
[[nodiscard]] int print_in_parts(const Console& console, const Facts& facts,
                                 const std::function<Result<void>(const app::WritePart& write)>& produce);
/// Writes `text` to one destination. A replaced file must begin with `begins`; empty: like the text, see
/// app::beginning_of(). Returns 0, or the exit status of a failed write.
[[nodiscard]] int put(const Console& console, const FactsDestination& to, std::string_view text, app::Existing existing,
                      std::string_view begins = {});

/// Finds the disks of this machine that must keep their power. For a disk ("sdb"), the returned function returns the
/// reason why the disk is in use, or nothing if it is unused. A disk that cannot be checked counts as in use.
[[nodiscard]] Result<std::function<std::optional<std::string>(const std::string& disk)>> disks_in_use();

/// Adds --device for commands that show a campaign.
void add_device_option(CLI::App& command, std::string& device);

/// Index of the device that `word` selects, see app::choose_device(); all devices in the campaign's order if `word` is
/// empty. Fails like app::choose_device().
[[nodiscard]] Result<std::vector<std::size_t>> chosen_devices(const store::CampaignView& campaign,
                                                              const std::string& word);

/// Removes all other devices from `campaign`.
[[nodiscard]] Result<void> keep_chosen(store::CampaignView& campaign, const std::string& word);

/// Prints a note if `campaign` means the newest campaign in the store while a process is starting another campaign.
void note_newer(const Console& console, const std::string& store, const std::string& campaign);

} // namespace mediarig::cli
