// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/cli/commands/rig_command.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "host/app/rig/rig_console.hpp"
#include "host/base/json/json_text.hpp"
#include "host/cli/command.hpp"
#include "host/cli/facts.hpp"
#include "host/cli/text/nest_text.hpp"
#include "host/cli/text/rig_text.hpp"
#include "host/cli/text/text.hpp"
#include "host/rig/port/rig_text.hpp"
#include "host/rig/serial/find_board.hpp"

namespace mediarig::cli {
namespace {

using boost::asio::awaitable;
using nlohmann::json;
using rig::RigJobOutcome;
using rig::SerialBoard;

struct RigOptions {
    app::RigConsole rig;
    Facts facts;
    unsigned pocket{}, port{1}; ///< counted from 1
    std::string on_off, axis;
    std::int32_t position{};
    std::vector<std::string> to;
    bool pocket_is_empty{}, unguard{};
    app::SimulationOptions simulation;
    std::string store;
};

int find(const Console& console, const RigOptions& options) {
    const auto boards = rig::find_boards();
    if (!boards) return report(console, boards.error());
    json list = json::array();
    TextTable table({"LINE", "SERIAL", "USB"});
    for (const auto& board : *boards) {
        list.push_back({{"path", board.path}, {"serial", board.serial}, {"usb_path", board.usb_path}});
        table.add({board.path, board.serial, board.usb_path});
    }
    return tell(console, options.facts, {{"mediarig_rigs", 1}, {"rigs", list}}, [&] {
        std::error_code unknown;
        const bool simulated = std::filesystem::exists(app::simulated_line(), unknown);
        if (!boards->empty()) console.out << table.text(console.columns);
        if (boards->empty()) console.out << "no rig is connected by USB\n";
        if (simulated)
            console.out << "a simulated rig runs: name it with --rig sim\n";
        else if (boards->empty())
            console.out << "mediarig rig sim starts a simulated one\n";
    });
}

awaitable<Result<RigView>> view_of(SerialBoard& board, const rigproto::Config& config) {
    RigView view;
    view.config = config;
    const auto status = co_await board.status();
    if (!status) co_return fail(status.error());
    view.status = *status;
    view.hello = board.hello();
    view.description = board.description();
    view.path = board.path();
    view.read_only = board.read_only();
    for (std::uint8_t number = 0; number < config.ports && !board.read_only(); ++number) {
        const auto port = co_await board.port(rig::PortIndex{number});
        if (!port) co_return fail(port.error());
        view.ports.push_back(*port);
    }
    co_return view;
}

int status(const Console& console, const RigOptions& options) {
    const auto config = app::rig_config_for(options.rig);
    if (!config) return report(console, config.error());
    RigView view;
    const app::BoardReader look = [&](SerialBoard& board) -> awaitable<Result<void>> {
        auto seen = co_await view_of(board, config->board);
        if (!seen) co_return fail(std::move(seen.error()));
        view = std::move(*seen);
        co_return Result<void>{};
    };
    const auto looked = app::inspect_board(*config, look);
    if (!looked) return report(console, looked.error());
    const int failed = tell(console, options.facts, to_json(view), [&] { console.out << text_of(view); });
    if (failed != 0) return failed;
    return view.status.fault == rigproto::Fault::none ? 0 : 1;
}

/// Prints the result of the board and returns the exit status.
int tell_outcome(const Console& console, const RigOptions& options, const std::string& request,
                 const RigJobOutcome& outcome) {
    const bool done = outcome.fault == rigproto::Fault::none;
    const json found{{"mediarig_rig_job", 1},
                     {"job", outcome.job},
                     {"request", request},
                     {"done", done},
                     {"fault", rig::name_of(outcome.fault)},
                     {"detail", outcome.detail},
                     {"latched", outcome.latched}};
    const int failed = tell(console, options.facts, found, [&] {
        if (done) console.out << line_of(request + ": done");
    });
    if (failed != 0 || done) return failed;
    return report(console,
                  {Errc::rig_fault, fmt::format("{}: {}", request, rig::explain(outcome.fault, outcome.detail))});
}

using Job = std::function<awaitable<Result<RigJobOutcome>>(SerialBoard&, rig::AsyncRigLog&)>;

int act(const Console& console, const RigOptions& options, const std::string& request, const Job& job) {
    const auto config = app::rig_config_for(options.rig);
    if (!config) return report(console, config.error());
    app::RigConsole rig = options.rig;
    rig.store = options.store;
    rig.why = "mediarig rig " + request;
    RigJobOutcome outcome;
    const app::BoardWork work = [&](SerialBoard& board, rig::AsyncRigLog& log) -> awaitable<Result<void>> {
        const auto done = co_await job(board, log);
        if (!done) co_return fail(done.error());
        outcome = *done;
        co_return Result<void>{};
    };
    const auto worked = app::with_board(rig, *config, work);
    if (!worked) return report(console, worked.error());
    return tell_outcome(console, options, request, outcome);
}

int load(const Console& console, const RigOptions& options) {
    const auto request = fmt::format("load {} --port {}", options.pocket, options.port);
    return act(console, options, request, [&](SerialBoard& board, rig::AsyncRigLog&) {
        return board.load(rig::pocket_numbered(options.pocket), rig::port_numbered(options.port));
    });
}

/// Returns the destination that --to gives; by default the pocket from which the card came.
awaitable<Result<rig::Destination>> destination_of(const RigOptions& options, rig::AsyncRigLog& log) {
    if (options.to.empty()) {
        const auto pocket = co_await app::pocket_of_card_in(rig::port_numbered(options.port), log);
        if (!pocket) co_return fail(pocket.error());
        co_return *pocket;
    }
    const std::string& kind = options.to[0];
    const std::string& which = options.to[1];
    if (kind == "bin") {
        if (const auto bin = from_name<rigproto::Bin>(which)) co_return *bin;
        co_return fail(Errc::bad_request, fmt::format("there is no bin {}: use pass, fail, retest or unknown", which));
    }
    unsigned number = 0;
    const bool all_digits =
        !which.empty() && which.size() <= 3 && which.find_first_not_of("0123456789") == std::string::npos;
    if (all_digits) number = static_cast<unsigned>(std::stoul(which));
    if (kind == "pocket" && number >= 1 && number <= rigproto::max_pockets) co_return rig::pocket_numbered(number);
    co_return fail(Errc::bad_request,
                   fmt::format("\"{} {}\" is not a place for a card: use --to pocket N or --to bin NAME", kind, which));
}

/// With --pocket, fetches the card from the pocket and returns it afterwards.
int nest(const Console& console, const RigOptions& options) {
    const auto config = app::rig_config_for(options.rig);
    if (!config) return report(console, config.error());
    const auto request = options.pocket == 0 ? std::string("nest") : fmt::format("nest --pocket {}", options.pocket);
    app::RigConsole rig = options.rig;
    rig.store = options.store;
    rig.why = "mediarig rig " + request;
    RigJobOutcome outcome;
    rig::NestReading reading;
    const app::BoardWork work = [&](SerialBoard& board, rig::AsyncRigLog&) -> awaitable<Result<void>> {
        Result<RigJobOutcome> done = fail(Errc::rig_fault, "");
        if (options.pocket == 0)
            done = co_await board.read_nest();
        else
            done = co_await board.identify(rig::pocket_numbered(options.pocket));
        if (!done) co_return fail(done.error());
        outcome = *done;
        if (outcome.fault != rigproto::Fault::none) co_return Result<void>{};
        const auto read = co_await board.nest();
        if (!read) co_return fail(read.error());
        reading = *read;
        co_return Result<void>{};
    };
    const auto worked = app::with_board(rig, *config, work);
    if (!worked) return report(console, worked.error());
    if (outcome.fault != rigproto::Fault::none) return tell_outcome(console, options, request, outcome);
    const bool of_a_card = rig::is_about_a_card(reading.report);
    const int failed = tell(console, options.facts, nest_json(reading, this_month()), [&] {
        if (of_a_card) console.out << nest_text(reading, this_month());
    });
    if (failed != 0) return failed;
    if (!of_a_card) return report(console, {Errc::no_medium, rig::explain(reading.report)});
    return rig::is_whole(reading.report) ? 0 : 1;
}

int unload(const Console& console, const RigOptions& options) {
    const std::string to = options.to.empty() ? "" : fmt::format(" --to {} {}", options.to[0], options.to[1]);
    const auto request = fmt::format("unload --port {}{}", options.port, to);
    return act(console, options, request,
               [&](SerialBoard& board, rig::AsyncRigLog& log) -> awaitable<Result<RigJobOutcome>> {
                   const auto destination = co_await destination_of(options, log);
                   if (!destination) co_return fail(destination.error());
                   const auto* pocket = std::get_if<rig::Pocket>(&*destination);
                   if (pocket != nullptr && !options.pocket_is_empty)
                       if (auto empty = co_await app::expect_empty(*pocket, board, log); !empty)
                           co_return fail(std::move(empty.error()));
                   co_return co_await board.unload(rig::port_numbered(options.port), *destination);
               });
}

int power(const Console& console, const RigOptions& options) {
    const auto request = fmt::format("power {} {}", options.port, options.on_off);
    return act(console, options, request,
               [&](SerialBoard& board, rig::AsyncRigLog&) -> awaitable<Result<RigJobOutcome>> {
                   const rig::PortIndex port = rig::port_numbered(options.port);
                   if (options.on_off == "on") co_return co_await board.power_on(port);
                   if (options.unguard) {
                       auto reclaimed = co_await board.guard({});
                       if (!reclaimed || reclaimed->fault != rigproto::Fault::none) co_return reclaimed;
                   }
                   co_return co_await board.power_off(port);
               });
}

int home(const Console& console, const RigOptions& options) {
    return act(console, options, "home", [](SerialBoard& board, rig::AsyncRigLog&) { return board.home(); });
}

int reset(const Console& console, const RigOptions& options) {
    return act(console, options, "reset", [](SerialBoard& board, rig::AsyncRigLog&) { return board.clear(); });
}

int park(const Console& console, const RigOptions& options) {
    return act(console, options, "park", [](SerialBoard& board, rig::AsyncRigLog&) { return board.park(); });
}

int declare_empty(const Console& console, const RigOptions& options) {
    return act(console, options, fmt::format("empty {}", options.port), [&](SerialBoard& board, rig::AsyncRigLog&) {
        rig::PortSet readers;
        readers.insert(rig::port_numbered(options.port));
        return board.declare_empty(readers);
    });
}

int jog(const Console& console, const RigOptions& options) {
    return act(console, options, fmt::format("jog {} {}", options.axis, options.position),
               [&](SerialBoard& board, rig::AsyncRigLog&) {
                   return board.jog(options.axis == "x" ? rigproto::Axis::x : rigproto::Axis::z, options.position);
               });
}

int bootloader(const Console& console, const RigOptions& options) {
    return act(console, options, "bootloader",
               [](SerialBoard& board, rig::AsyncRigLog&) { return board.enter_bootloader(); });
}

int counters(const Console& console, const RigOptions& options) {
    const auto config = app::rig_config_for(options.rig);
    if (!config) return report(console, config.error());
    rigproto::CountersReply seen;
    const app::BoardReader look = [&](SerialBoard& board) -> awaitable<Result<void>> {
        const auto counted = co_await board.counters();
        if (!counted) co_return fail(counted.error());
        seen = *counted;
        co_return Result<void>{};
    };
    const auto looked = app::inspect_board(*config, look);
    if (!looked) return report(console, looked.error());
    return tell(console, options.facts, to_json(seen), [&] { console.out << text_of(seen); });
}

int stop(const Console& console, const RigOptions& options) {
    const auto config = app::rig_config_for(options.rig);
    if (!config) return report(console, config.error());
    const auto confirmed = app::stop_board(*config);
    if (!confirmed) return report(console, confirmed.error());
    return tell(console, options.facts, {{"mediarig_rig_stop", 1}, {"stopped", true}, {"confirmed", *confirmed}}, [&] {
        if (!*confirmed) console.out << "the rig received the stop; the program that has its line reports the result\n";
        console.out << (*confirmed ? "stopped; ports" : "Ports") << " keep their voltage. Then: mediarig rig reset"
                    << (config->board.pockets != 0 ? ", mediarig rig home\n" : "\n");
    });
}

int watch(const Console& console, const RigOptions& options) {
    const auto config = app::rig_config_for(options.rig);
    if (!config) return report(console, config.error());
    app::RigConsole rig = options.rig;
    rig.store = options.store;
    std::ofstream file;
    const auto not_written = [&] {
        return report(console, {Errc::io_failed, fmt::format("{} cannot be written: free some space or choose another "
                                                             "place",
                                                             options.facts.json.file)});
    };
    if (options.facts.json.in_file()) {
        // The file is empty at first; then each event adds a line, so that other programs can follow.
        const auto nothing = [](const app::WritePart&) { return Result<void>{}; };
        auto made = app::write_text(options.facts.json.file, R"({")", options.facts.existing(), nothing);
        if (!made) return report(console, made.error());
        file.open(options.facts.json.file, std::ios::app);
        if (!file) return not_written();
    }
    const app::BoardReader first = [&](SerialBoard& board) -> awaitable<Result<void>> {
        if (options.facts.json.on_stdout()) co_return Result<void>{};
        const auto view = co_await view_of(board, config->board);
        if (!view) co_return fail(view.error());
        console.out << text_of(*view) << std::flush;
        co_return Result<void>{};
    };
    const auto watched = app::watch_board(rig, *config, first, [&](const rig::LoggedEvent& event) {
        constexpr int one_line = -1;
        const std::string as_json = codec::json_text(to_json(event), one_line) + '\n';
        console.out << (options.facts.json.on_stdout() ? as_json : line_of(text_of(event))) << std::flush;
        if (file.is_open()) file << as_json << std::flush;
    });
    if (!watched) return report(console, watched.error());
    return file.is_open() && !file ? not_written() : 0;
}

int simulate(const Console& console, const RigOptions& options) {
    return report(console, app::exec_simulated_rig(options.simulation));
}

/// `power 2 on` and `power --port 2 on` are equivalent.
CLI::Option* add_port(CLI::App& command, unsigned& port) {
    return command.add_option("PORT,--port", port, "reader, from 1")
        ->check(CLI::Range(1U, unsigned{rigproto::port_count}));
}

} // namespace

void add_rig_command(CLI::App& app, Console& console, Action& action) {
    auto options = std::make_shared<RigOptions>();
    CLI::App* rig = app.add_subcommand("rig", "the rig that swaps cards: show its state, move it, switch its ports");
    rig->require_subcommand(1);
    const auto add = [&](const std::string& name, const std::string& what, auto run) {
        CLI::App* command = rig->add_subcommand(name, what);
        command->callback([run, options, &console, &action] {
            action = [run, options, &console] {
                if (auto possible = check_json_file(options->facts); !possible)
                    return report(console, possible.error());
                return run(console, *options);
            };
        });
        return command;
    };
    const auto add_on_board = [&](const std::string& name, const std::string& what, auto run) {
        CLI::App* command = add(name, what, run);
        add_json_option(*command, options->facts);
        command
            ->add_option("--rig", options->rig.how,
                         "auto (the board that is plugged in), sim (started by mediarig rig sim), a board's line, or a "
                         "rig file (*.json)")
            ->capture_default_str()
            ->configurable();
        command->add_option("--config", options->rig.config, "rig file: geometry, limits, which board")
            ->type_name("FILE");
        add_store_option(*command, options->store);
        return command;
    };
    add_json_option(*add("find", "the rigs that are connected by USB", find), options->facts);
    add_on_board("status", "state of the rig and its ports", status);
    add_on_board("home", "find the origin of both axes", home);
    CLI::App* command = add_on_board("load", "move a card from its pocket into a reader", load);
    command->add_option("POCKET", options->pocket, "from 1")
        ->required()
        ->check(CLI::Range(1U, unsigned{rigproto::max_pockets}));
    add_port(*command, options->port)->capture_default_str();
    command = add_on_board("nest", "read the registers of a card on the identity nest", nest);
    command
        ->add_option("POCKET,--pocket", options->pocket,
                     "pocket to fetch the card from, from 1 (default: the card is on the nest)")
        ->check(CLI::Range(1U, unsigned{rigproto::max_pockets}));
    command = add_on_board("unload",
                           "move a card out of a reader, back into its pocket unless --to names another place", unload);
    add_port(*command, options->port)->capture_default_str();
    command->add_option("--to", options->to, "pocket N, or bin pass|fail|retest|unknown")->expected(2);
    command->add_flag("--pocket-is-empty", options->pocket_is_empty,
                      "the pocket was checked and is empty: put the card there despite the ledger");
    command = add_on_board("power", "switch a port on or off; off returns when its voltage has dropped", power);
    add_port(*command, options->port)->required();
    command->add_option("STATE", options->on_off, "on or off")->required()->check(CLI::IsMember({"on", "off"}));
    command->add_flag(
        "--unguard", options->unguard,
        "switch also a port that a campaign left guarded, if no write is in progress; removes all guards");
    command = add_on_board("empty", "record that a reader was checked and is empty", declare_empty);
    add_port(*command, options->port)->required();
    command = add_on_board("jog", "move one axis to a position, to adjust the rig; X moves only while Z is up", jog);
    command->add_option("AXIS", options->axis, "x or z")->required()->check(CLI::IsMember({"x", "z"}));
    command->add_option("STEPS", options->position, "from home")->required()->check(CLI::Range(0, 1'000'000));
    add_on_board("counters", "counters of the board's link since its start", counters);
    add_on_board("bootloader", "start the boot loader of the board's chip, which accepts a new image", bootloader);
    add_on_board("reset", "clear a fault after its cause is removed; then home the rig", reset);
    add_on_board("stop", "stop all motion now", stop);
    add_on_board("park", "retract the axes, switch the motors off", park);
    add_on_board("watch",
                 "print the state, then events until Ctrl-C; keeps the rig awake and holds its line: no other command "
                 "reaches the rig until then",
                 watch);
    add_hub_commands(*rig, console, action);
    add_enclosure_commands(*rig, console, action);
    add_uplinks_command(*rig, console, action);
    add_calibration_commands(*rig, console, action);
    command = add("sim", "run a simulated rig, in the foreground", simulate);
    command->add_option("--pockets", options->simulation.pockets, "number of pockets in the magazine; 0: no carriage")
        ->check(CLI::Range(0U, unsigned{rigproto::max_pockets}))
        ->capture_default_str();
    command->add_option("--ports", options->simulation.ports, "number of readers")
        ->check(CLI::Range(1U, unsigned{rigproto::port_count}))
        ->capture_default_str();
    command->add_option("--script", options->simulation.script,
                        "faults, one per line (docs/reference/simulated-rig.md)");
}

} // namespace mediarig::cli
