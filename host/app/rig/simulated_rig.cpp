// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/app/rig/simulated_rig.hpp"

#include <fmt/format.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fstream>
#include <string>
#include <utility>

#include "common/fnv1a.hpp"
#include "host/base/owned_folder.hpp"
#include "host/base/process/own_part.hpp"
#include "host/base/process/run_process.hpp"

namespace mediarig::app {
namespace {

namespace asio = boost::asio;
namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto comes_up_within = 20s;

/// Parses "3 port 1": card, kind of place, number.
std::map<rig::PortIndex, rig::Pocket> cards_in_readers(const fs::path& state) {
    std::map<rig::PortIndex, rig::Pocket> found;
    std::ifstream in(state);
    unsigned card = 0, number = 0;
    std::string rest, where;
    while (std::getline(in, rest)) {
        std::istringstream words(rest);
        if (words >> card >> where >> number && where == "port")
            found[rig::PortIndex{static_cast<std::uint8_t>(number)}] = rig::Pocket{static_cast<std::uint8_t>(card)};
    }
    return found;
}

/// Returns one value per pocket, up to the last pocket with a known capacity: "0,67108864".
std::string listed(const std::map<rig::Pocket, Bytes>& capacities) {
    std::string list;
    for (std::uint8_t index = 0; index <= capacities.rbegin()->first.index; ++index) {
        const auto known = capacities.find(rig::Pocket{index});
        list += fmt::format("{}{}", index == 0 ? "" : ",", known == capacities.end() ? 0 : known->second.count);
    }
    return list;
}

std::string first_line(const fs::path& file) {
    std::ifstream in(file);
    std::string line;
    std::getline(in, line);
    return line;
}

} // namespace

Result<fs::path> find_rig_simulator() {
    return process::find_lab_part("mediarig-rig-sim", "simulates the rig");
}

Result<void> check_rig_script(const fs::path& script, std::uint8_t pockets, std::uint8_t ports) {
    const auto program = find_rig_simulator();
    if (!program) return fail(program.error());
    const process::Command command{.program = program->string(),
                                   .arguments = {"--check", "--script", script.string(), "--pockets",
                                                 std::to_string(pockets), "--ports", std::to_string(ports)}};
    const auto checked = process::run_process(command);
    if (!checked) return fail(checked.error());
    if (checked->succeeded()) return {};
    const std::string prefix = program->filename().string() + ": ";
    std::string why = checked->err.substr(0, checked->err.find('\n'));
    if (why.starts_with(prefix)) why.erase(0, prefix.size());
    return fail(Errc::bad_request, std::move(why));
}

std::string simulated_serial(const fs::path& folder) {
    std::error_code error;
    const fs::path absolute = fs::absolute(folder, error);
    return fmt::format("{:016X}", fnv1a<std::uint64_t>((error ? folder : absolute).lexically_normal().string()));
}

SimulatedRig::SimulatedRig(lab::BoundProcess process, fs::path line, fs::path events,
                           std::map<rig::PortIndex, rig::Pocket> in_readers)
    : process_(std::move(process)),
      line_(std::move(line)),
      events_(std::move(events)),
      in_readers_(std::move(in_readers)) {}

asio::awaitable<Result<SimulatedRig>> SimulatedRig::start(const SimulatedRigSetup& setup) {
    std::error_code error;
    const auto program = find_rig_simulator();
    if (!program) co_return fail(program.error());
    const auto is_own = [](std::string_view name) {
        // Accept the files of the rig, and the unfinished files "line.PID" and "cards.PID" of a killed process.
        const std::string_view stem = name.substr(0, name.find('.'));
        return stem == "line" || stem == "cards" || name == "events" || name == "said";
    };
    const auto folder =
        OwnedFolder::make(setup.folder, {.is_own = is_own, .next_step = "choose another store with --store"});
    if (!folder) co_return fail(folder.error());
    const fs::path line = setup.folder / "line", events = setup.folder / "events", state = setup.folder / "cards",
                   said = setup.folder / "said";
    fs::remove(line, error);
    fs::remove(events, error);
    auto in_readers = cards_in_readers(state);
    // Without a carriage, the cards start in the readers and stay there.
    if (setup.pockets == 0)
        for (std::uint8_t index = 0; index < setup.ports; ++index)
            in_readers[rig::PortIndex{index}] = rig::Pocket{index};
    std::vector<std::string> words{"--link",    line.string(),
                                   "--events",  events.string(),
                                   "--state",   state.string(),
                                   "--serial",  simulated_serial(setup.folder),
                                   "--pockets", std::to_string(setup.pockets),
                                   "--ports",   std::to_string(setup.ports)};
    if (!setup.capacities.empty()) words.insert(words.end(), {"--capacities", listed(setup.capacities)});
    if (!setup.script.empty()) words.insert(words.end(), {"--script", setup.script.string()});
    auto process = lab::BoundProcess::start(program->string(), words, said.string());
    if (!process) co_return fail(std::move(process.error()));

    asio::steady_timer timer(co_await asio::this_coro::executor);
    const auto deadline = std::chrono::steady_clock::now() + comes_up_within;
    while (first_line(said).find("\"ready\":true") == std::string::npos) {
        if (const auto ended = process->ended())
            co_return fail(Errc::bad_request,
                           fmt::format("the simulated rig ended ({}): {}", *ended, first_line(said)));
        if (std::chrono::steady_clock::now() > deadline)
            co_return fail(Errc::rig_fault,
                           fmt::format("the simulated rig did not start within {} s", comes_up_within.count()));
        timer.expires_after(20ms);
        (void)co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
    }
    co_return SimulatedRig(std::move(*process), line, events, std::move(in_readers));
}

} // namespace mediarig::app
