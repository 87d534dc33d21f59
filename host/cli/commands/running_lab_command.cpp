// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <thread>

#include "host/app/lab/resident_lab.hpp"
#include "host/cli/commands/lab_command.hpp"
#include "host/cli/facts.hpp"
#include "host/cli/manual/manual.hpp"
#include "host/cli/text/text.hpp"
#include "host/lab/card/catalogue.hpp"
#include "host/lab/resident/lab_client.hpp"

namespace mediarig::cli {
namespace {

using nlohmann::json;

struct RunningLabOptions {
    // Options of `start`.
    std::vector<std::string> kinds;
    std::uint64_t idle_seconds{};
    std::string media;
    bool foreground{};
    int answer_to{-1};
    // Options about a slot and its card.
    std::uint64_t slot{};
    std::string card, kind;
    std::optional<std::uint64_t> size, seed;
    std::optional<std::uint64_t> read_rate, write_rate;
    std::string bad, heal, corrupt, on{"both"}, lose{"all"};
    std::uint64_t bits{1};
    // Options of `shell`.
    std::string script;
    Facts facts;
};

Result<SlotId> slot_from(std::uint64_t number) {
    if (number == 0 || number > 255) return fail(Errc::bad_request, fmt::format("there is no slot {}", number));
    return SlotId{static_cast<std::uint8_t>(number)};
}

/// Parses "2048" or "2048+8".
Result<lab::SectorRange> sectors_from(const std::string& text) {
    std::size_t read = 0;
    lab::SectorRange range{.first = {}, .count = 1};
    const auto wrong = [&] {
        return fail(Errc::bad_request,
                    "'" + text + "' names no sectors: give the first sector of 512 bytes and the number: 2048+8");
    };
    if (text.empty() || text.find_first_not_of("0123456789+") != std::string::npos || text.size() > 40) return wrong();
    try {
        range.first = Lba{std::stoull(text, &read)};
        if (read < text.size()) {
            const std::string count = text.substr(read + 1);
            range.count = std::stoull(count, &read);
            if (read != count.size()) return wrong();
        }
    } catch (const std::exception&) {
        return wrong();
    }
    if (range.count == 0) return wrong();
    return range;
}

void print_slots(const Console& console, const json& status) {
    TextTable table({"SLOT", "KIND", "CARD", "SIZE", "DEVICE", "CONFIRM WITH"});
    for (const json& slot : status.at("slots")) {
        const bool taken = slot.contains("card");
        table.add({std::to_string(slot.at("slot").get<int>()), slot.at("kind").get<std::string>(),
                   taken ? slot.at("card").get<std::string>() : "-",
                   taken ? size_text(Bytes{slot.at("size").get<std::uint64_t>()}) : "",
                   taken ? slot.at("node").get<std::string>() : "",
                   taken ? slot.at("confirm").get<std::string>() : ""});
    }
    console.out << table.text(console.columns);
}

void print_status(const Console& console, const json& status) {
    console.out << line_of(fmt::format("the lab runs as process {}: QEMU {} with {}, booted in {:.1f} s",
                                       status.at("process").get<int>(), status.at("qemu").get<std::string>(),
                                       status.at("accelerator").get<std::string>(),
                                       static_cast<double>(status.at("boot_ms").get<std::int64_t>()) / 1000));
    if (const auto user = status.value("agent_works_for", std::string()); !user.empty())
        console.out << line_of("the lab's agent is in use by " + user);
    if (const auto why = status.value("failure", std::string()); !why.empty())
        console.out << line_of("broken: " + why + "; stop it with 'mediarig lab stop'");
    print_slots(console, status);
}

int tell_status(const Console& console, const Facts& facts, const json& status) {
    return tell(console, facts, status, [&] { print_status(console, status); });
}

/// Returns the command line that starts this lab again in a background process.
std::vector<std::string> arguments_of(const RunningLabOptions& options) {
    std::vector<std::string> words{"mediarig", "lab", "start", "--answer-to", std::to_string(app::answer_descriptor)};
    for (const std::string& kind : options.kinds) {
        words.emplace_back("--slots");
        words.push_back(kind);
    }
    if (options.idle_seconds > 0) {
        words.emplace_back("--idle");
        words.push_back(std::to_string(options.idle_seconds));
    }
    if (!options.media.empty()) {
        words.emplace_back("--media");
        words.push_back(options.media);
    }
    return words;
}

Result<app::ResidentOptions> resident_options(const RunningLabOptions& options) {
    app::ResidentOptions resident;
    for (const std::string& word : options.kinds) {
        const auto kind = from_word<SlotKind>(word, "kind of slot");
        if (!kind) return fail(kind.error());
        resident.slots.push_back({SlotId{static_cast<std::uint8_t>(resident.slots.size() + 1)}, *kind});
    }
    if (options.idle_seconds > 0) resident.idle = std::chrono::seconds(options.idle_seconds);
    resident.media = options.media;
    return resident;
}

bool write_answer(int descriptor, const Result<json>& answer) {
    const std::string line = lab::answer_line(answer);
    return ::write(descriptor, line.data(), line.size()) == static_cast<ssize_t>(line.size());
}

/// Runs the background process; sends its status or error to the process that started it.
int serve_for_starter(const app::ResidentOptions& resident, int descriptor) {
    std::error_code none;
    std::filesystem::current_path("/", none);
    bool ready = false;
    const auto lived = app::run_resident_lab(resident, [&](const json& status) {
        ready = true;
        const bool heard = write_answer(descriptor, status);
        ::close(descriptor);
        return heard;
    });
    if (!lived && !ready) (void)write_answer(descriptor, fail(lived.error()));
    return lived ? 0 : exit_status(lived.error().code);
}

int start(const Console& console, RunningLabOptions options) {
    std::error_code none;
    if (!options.media.empty()) options.media = std::filesystem::absolute(options.media, none);
    const auto resident = resident_options(options);
    if (!resident) return report(console, resident.error());
    if (options.answer_to >= 0) return serve_for_starter(*resident, options.answer_to);
    if (options.foreground) {
        const auto lived = app::run_resident_lab(*resident, [&](const json& status) {
            const int failed = tell_status(console, options.facts, status);
            console.out.flush();
            return failed == 0 && static_cast<bool>(console.out);
        });
        return lived ? 0 : report(console, lived.error());
    }
    if (console.terminal) console.err << "booting …\n" << std::flush;
    const auto status = app::start_in_background(arguments_of(options));
    if (!status) return report(console, status.error());
    return tell_status(console, options.facts, *status);
}

Result<json> ask(const lab::LabRequest& request) {
    return lab::ask_lab(lab::default_lab_place(), request);
}

int devices(const Console& console, const RunningLabOptions& options) {
    return list_devices(console, {.how = "lab"}, options.facts);
}

int stop(const Console& console, const RunningLabOptions&) {
    const auto place = lab::default_lab_place();
    const auto stopped = lab::ask_lab(place, lab::StopLab{});
    if (!stopped) return report(console, stopped.error());
    // The lab answers when its machine has stopped; shortly afterwards it removes its folder.
    while (lab::lab_process(place)) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    console.out << "the lab is stopped; all its files are removed\n";
    return 0;
}

int status(const Console& console, const RunningLabOptions& options) {
    const auto now = ask(lab::StatusRequest{});
    if (!now) return report(console, now.error());
    if (const int failed = tell_status(console, options.facts, *now); failed != 0) return failed;
    return now->value("failure", std::string()).empty() ? 0 : 3;
}

std::string seconds_of(const json& moved) {
    return fmt::format("{:.2f} s", static_cast<double>(moved.at("took_ms").get<std::int64_t>()) / 1000);
}

int plug(const Console& console, const RunningLabOptions& options) {
    lab::PlugCard wanted{.card = options.card};
    // The lab's process has another working directory: send an absolute path.
    std::error_code none;
    if (wanted.card.find('/') != std::string::npos || wanted.card.ends_with(".json"))
        wanted.card = std::filesystem::absolute(wanted.card, none);
    if (options.slot > 0) {
        const auto slot = slot_from(options.slot);
        if (!slot) return report(console, slot.error());
        wanted.slot = *slot;
    }
    if (!options.kind.empty()) {
        const auto kind = from_word<SlotKind>(options.kind, "kind of slot");
        if (!kind) return report(console, kind.error());
        wanted.kind = *kind;
    }
    if (options.size) wanted.size = Bytes{*options.size};
    wanted.seed = options.seed;
    const auto moved = ask(wanted);
    if (!moved) return report(console, moved.error());
    const auto node = moved->at("node").get<std::string>();
    const int slot = moved->at("slot").get<int>();
    return tell(console, options.facts, *moved, [&] {
        if (node.empty())
            console.out << line_of(fmt::format("{} is in slot {}; its presence in the guest was not checked: {}",
                                               options.card, slot, moved->at("unseen").get<std::string>()));
        else
            console.out << line_of(fmt::format("{} in slot {} is {} after {}; confirm with '{}'", options.card, slot,
                                               node, seconds_of(*moved), moved->at("confirm").get<std::string>()));
    });
}

int unplug(const Console& console, const RunningLabOptions& options) {
    const auto slot = slot_from(options.slot);
    if (!slot) return report(console, slot.error());
    const auto moved = ask(lab::UnplugCard{*slot});
    if (!moved) return report(console, moved.error());
    return tell(console, options.facts, *moved,
                [&] { console.out << fmt::format("slot {} is empty after {}\n", options.slot, seconds_of(*moved)); });
}

int order(const Console& console, const RunningLabOptions& options, lab::CardCommand command) {
    const auto slot = slot_from(options.slot);
    if (!slot) return report(console, slot.error());
    const auto done = ask(lab::OrderCard{*slot, command});
    if (!done) return report(console, done.error());
    return 0;
}

int throttle(const Console& console, const RunningLabOptions& options) {
    lab::SetThrottle set;
    if (options.read_rate) set.throttle.read = Rate{static_cast<double>(*options.read_rate)};
    if (options.write_rate) set.throttle.write = Rate{static_cast<double>(*options.write_rate)};
    return order(console, options, set);
}

int fault(const Console& console, const RunningLabOptions& options) {
    const std::string& text = !options.bad.empty()    ? options.bad
                              : !options.heal.empty() ? options.heal
                                                      : options.corrupt;
    const auto sectors = sectors_from(text);
    if (!sectors) return report(console, sectors.error());
    if (!options.heal.empty()) return order(console, options, lab::RemoveBadSectors{*sectors});
    if (!options.corrupt.empty())
        return order(console, options, lab::Corrupt{{.sectors = *sectors, .bits_per_sector = options.bits}});
    return order(console, options,
                 lab::AddBadSectors{
                     {.sectors = *sectors, .fail_reads = options.on != "write", .fail_writes = options.on != "read"}});
}

int power_cut(const Console& console, const RunningLabOptions& options) {
    const auto slot = slot_from(options.slot);
    if (!slot) return report(console, slot.error());
    const auto lose = options.lose == "subset" ? lab::Loss::subset : lab::Loss::all;
    const auto sectors = ask(lab::CutPower{*slot, lose});
    if (!sectors) return report(console, sectors.error());
    return tell(console, options.facts, *sectors, [&] {
        console.out << fmt::format("slot {} has no power: {} sectors of its card's cache are lost, {} were kept\n",
                                   options.slot, sectors->at("sectors_lost").get<std::uint64_t>(),
                                   sectors->at("sectors_kept").get<std::uint64_t>());
    });
}

Result<int> run_script(const Console& console, const std::string& script) {
    const auto said = ask(lab::RunScript{script});
    if (!said) return fail(said.error());
    console.out << said->at("output").get<std::string>() << std::flush;
    return said->at("exit_status").get<int>();
}

/// The lab accepts requests of up to 1 MiB, in which a script is a JSON string.
constexpr std::size_t longest_script = std::size_t{256} << 10;

int shell(const Console& console, const RunningLabOptions& options) {
    std::string script = options.script;
    const bool typed = script.empty() && ::isatty(STDIN_FILENO) != 0;
    if (script.empty() && !typed) {
        auto given = rest_of(std::cin, longest_script);
        if (!given)
            return report(console, {Errc::bad_request, fmt::format("the script on standard input is longer than {} "
                                                                   "bytes: shorten it",
                                                                   longest_script)});
        script = std::move(*given);
    }
    if (!typed) {
        const auto ended = run_script(console, script);
        if (!ended) return report(console, ended.error());
        return *ended == 0 ? 0 : 1;
    }
    console.err << "each line is a separate script for the guest's shell; end with Ctrl-D\n";
    while (true) {
        console.err << "lab# " << std::flush;
        const auto line = typed_line(std::cin);
        if (!line) break;
        const auto ended = run_script(console, *line);
        if (!ended) return report(console, ended.error());
        if (*ended != 0) console.err << "(exit status " << *ended << ")\n";
    }
    console.err << '\n';
    return 0;
}

using Run = int (*)(const Console&, const RunningLabOptions&);
int start_with(const Console& console, const RunningLabOptions& options) {
    return start(console, options);
}

class Adder {
public:
    Adder(CLI::App& lab, Console& console, Action& action) : lab_(lab), console_(console), action_(action) {}
    CLI::App& add(const std::string& name, const std::string& what, Run run) {
        CLI::App* command = lab_.add_subcommand(name, what);
        command->callback([this_console = &console_, to = &action_, options = options_, run] {
            *to = [this_console, options, run] {
                if (auto possible = check_json_file(options->facts); !possible)
                    return report(*this_console, possible.error());
                try {
                    return run(*this_console, *options);
                } catch (const json::exception&) {
                    return report(*this_console, {Errc::rig_fault,
                                                  "this version of mediarig cannot read the lab's answer: stop the lab "
                                                  "with the version that started it"});
                }
            };
        });
        return *command;
    }
    void json(CLI::App& command) { add_json_option(command, options_->facts); }
    void slot(CLI::App& command) {
        command.add_option("slot", options_->slot, "number of the slot, see 'mediarig lab status'")->required();
    }
    RunningLabOptions& options() { return *options_; }

private:
    CLI::App& lab_;
    Console& console_;
    Action& action_;
    std::shared_ptr<RunningLabOptions> options_ = std::make_shared<RunningLabOptions>();
};

void add_start(Adder& adder) {
    RunningLabOptions& options = adder.options();
    CLI::App& command = adder.add("start", "boot the lab, which runs until 'lab stop'", start_with);
    command.add_option("--slots", options.kinds, "kinds of the slots, in order: usb, hub, uas, reader, sd, nvme")
        ->delimiter(',')
        ->configurable();
    command.add_option("--idle", options.idle_seconds, "stop after this many seconds without a command")
        ->configurable();
    command.add_option("--media", options.media,
                       "folder that keeps the cards' contents, also after the lab ends (default: a folder that is "
                       "removed with the lab)");
    command.add_flag("--foreground", options.foreground, "stay in this process until Ctrl-C");
    command.add_option("--answer-to", options.answer_to, "")->group("");
    adder.json(command);
}

void add_plug(Adder& adder, const std::string& name, const std::string& what) {
    RunningLabOptions& options = adder.options();
    CLI::App& command = adder.add(name, what, plug);
    CLI::Option* const card =
        command.add_option("card", options.card, "a card model: a name of 'mediarig lab cards', or a JSON file")
            ->required();
    std::vector<std::string> cards;
    for (const lab::CatalogueEntry& each : lab::catalogue()) cards.emplace_back(each.name);
    propose(*card, cards);
    command.add_option("--slot", options.slot, "number of the slot (default: the first free slot of the kind)")
        ->check(CLI::PositiveNumber);
    command.add_option("--kind", options.kind, "usb, hub, uas, reader, sd or nvme (usb)");
    command.add_option("--size", options.size, "claimed capacity: bytes, or with a unit: 256MiB")->transform(as_size());
    command.add_option("--seed", options.seed, "seed of the card's random values");
    adder.json(command);
}

void add_faults(Adder& adder) {
    RunningLabOptions& options = adder.options();
    CLI::App& slow = adder.add("throttle", "cap the rates of a slot's card; without rates: no cap", throttle);
    adder.slot(slow);
    slow.add_option("--read", options.read_rate, "bytes per second, or with a unit: 20MB")->transform(as_rate());
    slow.add_option("--write", options.write_rate, "bytes per second, or with a unit: 4MB")->transform(as_rate());

    CLI::App& broken = adder.add("fault", "make sectors of a slot's card fail, or work again", fault);
    adder.slot(broken);
    CLI::Option_group* which = broken.add_option_group("which");
    which->add_option("--bad", options.bad, "these sectors fail from now on: FIRST+COUNT");
    which->add_option("--heal", options.heal, "these sectors work again");
    which->add_option("--corrupt", options.corrupt, "flip bits in the data of these sectors, without an error");
    which->require_option(1);
    broken.add_option("--on", options.on, "operations that fail: read, write, both")
        ->check(CLI::IsMember({"read", "write", "both"}))
        ->capture_default_str();
    broken.add_option("--bits", options.bits, "number of bits to flip in each sector")
        ->check(CLI::Range(1, 4096))
        ->capture_default_str();

    CLI::App& cut =
        adder.add("power-cut", "cut a slot's power: its card loses data that it has not written yet", power_cut);
    adder.slot(cut);
    cut.add_option("--lose", options.lose, "all of the card's volatile cache, or a subset")
        ->check(CLI::IsMember({"all", "subset"}))
        ->capture_default_str();
    adder.json(cut);
}

} // namespace

void add_running_lab_commands(CLI::App& lab, Console& console, Action& action) {
    Adder adder(lab, console, action);
    add_start(adder);
    adder.add("stop", "stop the lab and remove its files", stop);
    adder.json(adder.add("status", "show the slots and cards of the running lab", status));
    adder.json(
        adder.add("devices", "every block device of the lab's guest, as 'mediarig devices' lists them", devices));
    add_plug(adder, "plug", "put a modelled card into a slot");
    CLI::App& pull = adder.add("unplug", "remove a slot's card without warning", unplug);
    adder.slot(pull);
    adder.json(pull);
    add_plug(adder, "insert", "the same as plug");
    CLI::App& eject = adder.add("eject", "the same as unplug", unplug);
    adder.slot(eject);
    adder.json(eject);
    add_faults(adder);
    adder.add("shell", "the guest's shell, in parallel with the agent; without -c it reads standard input", shell)
        .add_option("-c", adder.options().script, "a script, in place of standard input");
}

} // namespace mediarig::cli
