// SPDX-License-Identifier: GPL-3.0-or-later
/// Facts for programs: --json[=FILE] and its like, which mean the same with every command.
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

/// Where facts go: nowhere, to standard output in place of the text for people, or into a file beside it.
struct FactsTo {
    std::string file; ///< "-": standard output; empty: nowhere
    [[nodiscard]] bool asked() const { return !file.empty(); }
    [[nodiscard]] bool on_stdout() const { return file == "-"; }
    [[nodiscard]] bool in_file() const { return asked() && !on_stdout(); }
};

struct Facts {
    FactsTo json;
    bool force{}; ///< files that are there are replaced
    [[nodiscard]] app::Existing existing() const { return force ? app::Existing::replaced : app::Existing::kept; }
};

/// --json[=FILE], and --force
void add_json_option(CLI::App& command, Facts& facts);
/// The same under another name, such as --csv.
void add_facts_option(CLI::App& command, const std::string& name, FactsTo& to, const std::string& what);
/// --force alone, for a command that writes files of another kind.
void add_force_option(CLI::App& command, bool& force);

/// Before the work, not after hours of it. Fails with bad_request where the file cannot be written or is to stay.
[[nodiscard]] Result<void> check_json_file(const Facts& facts);
/// A place that is asked for beside --json, and how the text begins that is to come there.
struct OtherOutput {
    std::string option; ///< "--csv"
    FactsTo to;
    std::string begins;
};
/// The same of all of them: nothing is written where one cannot be. Two that share a place are a bad_request.
[[nodiscard]] Result<void> check_outputs(const Facts& facts, const std::vector<OtherOutput>& others);

/// A command below `parent` with --json[=FILE], kept in the member `facts` of its options: `run(console, *options)`,
/// once the file is known to be possible.
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

/// Tells what a command found: as JSON where that was asked for on standard output, else by `tell_people`; and into the
/// file. Gives 0, or the exit status of what kept the file from being written.
[[nodiscard]] int tell(const Console& console, const Facts& facts, const nlohmann::json& found,
                       const std::function<void()>& tell_people);
/// A text that comes in parts to the place that was asked for as JSON. Gives the same status, or that of `produce`.
[[nodiscard]] int tell_in_parts(const Console& console, const Facts& facts,
                                const std::function<Result<void>(const app::WritePart& write)>& produce);
/// `text` to one place that was asked for. The same status.
[[nodiscard]] int put(const Console& console, const FactsTo& to, std::string_view text, app::Existing existing);

/// Which of this machine's disks must keep their power.

/// For a disk ("sdb"): why it is in use, nothing where it is not. One that cannot be judged is in use.
[[nodiscard]] Result<std::function<std::optional<std::string>(const std::string& disk)>> disks_in_use();

/// What the commands that show a campaign share: --device, and a word where the newest campaign is not in the store
/// yet.
void add_device_option(CLI::App& command, std::string& device);

/// Which of the campaign's devices `word` means: by key, name in the plan or serial; all where it is empty. Indices in
/// the campaign's order. Fails with bad_request: none of them.
[[nodiscard]] Result<std::vector<std::size_t>> chosen_devices(const store::CampaignView& campaign,
                                                              const std::string& word);

/// Leaves only those.
[[nodiscard]] Result<void> keep_chosen(store::CampaignView& campaign, const std::string& word);

/// Where `campaign` means the newest one of the store, and a process is about to begin another.
void note_newer(const Console& console, const std::string& store, const std::string& campaign);

} // namespace mediarig::cli
