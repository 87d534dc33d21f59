// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "firmware/plant/injection_text.hpp"
#include "host/rig/port/nest_reading.hpp"
#include "host/rig/port/rig_text.hpp"
#include "tests/firmware/scripts/scenario.hpp"

namespace mediarig::scenario {

namespace {

struct Row {
    std::string_view pattern;
    Say say;
};

constexpr std::array acts{
    Row{"the host greets the rig", Say::greet},
    Row{"the host greets the rig without configuring it", Say::greet_only},
    Row{"the host falls silent", Say::silence},
    Row{"the host falls silent for <time>", Say::silence_for},
    Row{"the host says stop", Say::stop},
    Row{"<time> pass", Say::pass},
    Row{"the firmware hangs", Say::hang},
    Row{"the power fails", Say::power_fails},
    Row{"the power returns", Say::power_returns},
    Row{"the host configures a rig with <count> readers", Say::reconfigure},
    Row{"the host configures a rig without a carriage", Say::reconfigure_without_carriage},
    Row{"job <count> homes the rig", Say::home},
    Row{"job <count> loads pocket <pocket> into reader <port>", Say::load},
    Row{"job <count> unloads reader <port> into pocket <pocket>", Say::unload_to_pocket},
    Row{"job <count> unloads reader <port> into bin <bin>", Say::unload_to_bin},
    Row{"job <count> switches port <port> on", Say::switch_on},
    Row{"job <count> switches port <port> off", Say::switch_off},
    Row{"job <count> clears the rig", Say::clear},
    Row{"job <count> parks the rig", Say::park},
    Row{"job <count> jogs <axis> to <number>", Say::jog},
    Row{"job <count> guards port <port>", Say::guard},
    Row{"job <count> guards no port", Say::guard_none},
    Row{"job <count> identifies the card of pocket <pocket>", Say::identify},
    Row{"job <count> reads the card on the nest", Say::read_nest},
    Row{"job <count> says that reader <port> is empty", Say::declare_empty},
};

constexpr std::array expectations{
    Row{"job <count> is done", Say::job_done},
    Row{"job <count> fails with <name>", Say::job_fails},
    Row{"job <count> is refused with <name>", Say::job_refused},
    Row{"job <count> is accepted", Say::job_accepted},
    Row{"the configuration is taken", Say::config_taken},
    Row{"the configuration is refused with <name>", Say::config_refused},
    Row{"the rig is latched with <name>", Say::rig_latched},
    Row{"the rig is <name>", Say::rig_is},
    Row{"nothing moves for <time>", Say::still_for},
    Row{"within <time> the outputs are safe", Say::safe_within},
    Row{"within <time> nothing moves", Say::still_within},
    Row{"reader <port> holds card <pocket>", Say::reader_holds},
    Row{"reader <port> is empty", Say::reader_empty},
    Row{"pocket <pocket> holds card <pocket>", Say::pocket_holds},
    Row{"pocket <pocket> is empty", Say::pocket_empty},
    Row{"bin <bin> holds card <pocket>", Say::bin_holds},
    Row{"card <pocket> is lost", Say::card_lost},
    Row{"card <pocket> hangs on the cup", Say::card_hangs},
    Row{"port <port> is <name>", Say::port_is},
    Row{"there is no voltage on port <port>", Say::voltage_gone},
    Row{"there is voltage on port <port>", Say::voltage_there},
    Row{"the motors are off", Say::motors_off},
    Row{"the motors have no supply", Say::supply_off},
    Row{"the motors have supply", Say::supply_on},
    Row{"the pump is off", Say::pump_off},
    Row{"the nest has no supply", Say::nest_off},
    Row{"the nest has supply", Say::nest_on},
    Row{"the nest says <name>", Say::nest_says},
    Row{"the rig was reset by <name>", Say::reset_by},
    Row{"the host heard of <name>", Say::hears_of},
    Row{"there were <count> insertions", Say::happened},
};

template <class Enum>
bool names_one(const std::string& name, unsigned from, unsigned to) {
    for (unsigned value = from; value <= to; ++value)
        if (rig::name_of(static_cast<Enum>(value)) == name) return true;
    return false;
}

/// A name outside the protocol would make an expectation that cannot be fulfilled.
std::optional<std::string> unknown_name(const Line& line) {
    if (line.gaps.names.empty()) return {};
    using namespace rigproto;
    const std::string& name = line.gaps.names.front();
    const auto complain = [&](bool known, const char* what) -> std::optional<std::string> {
        if (known) return {};
        return std::string("the name at the end is no ") + what + " of common/rigproto/messages.hpp";
    };
    switch (line.say) {
        case Say::job_fails:
        case Say::rig_latched:
            return complain(names_one<Fault>(name, 1, static_cast<unsigned>(Fault::pocket_occupied)), "Fault");
        case Say::job_refused:
        case Say::config_refused:
            return complain(names_one<Reject>(name, 1, static_cast<unsigned>(Reject::read_only)) ||
                                names_one<Interlock>(name, 1, static_cast<unsigned>(Interlock::pocket_occupied)),
                            "Reject or Interlock");
        case Say::rig_is:
            return complain(names_one<State>(name, 0, static_cast<unsigned>(State::latched)), "State");
        case Say::port_is:
            return complain(names_one<PortState>(name, 0, static_cast<unsigned>(PortState::tripped)), "PortState");
        case Say::nest_says:
            return complain(names_one<NestEnd>(name, 0, static_cast<unsigned>(NestEnd::interrupted)), "NestEnd");
        case Say::reset_by:
            return complain(names_one<ResetReason>(name, 0, static_cast<unsigned>(ResetReason::request)),
                            "ResetReason");
        case Say::hears_of:
            return complain(names_one<EventKind>(name, 1, static_cast<unsigned>(EventKind::lease_lost)), "EventKind");
        default:
            return {};
    }
}

template <std::size_t size>
tl::expected<Line, std::string> by_table(std::span<const std::string_view> words, const std::array<Row, size>& table,
                                         plant::RigSize rig) {
    std::vector<std::string_view> patterns;
    patterns.reserve(table.size());
    for (const Row& row : table) patterns.push_back(row.pattern);
    auto found = plant::fit(words, patterns, rig);
    if (!found) return tl::unexpected(found.error());
    Line line{.say = table[found->pattern].say, .gaps = std::move(found->gaps)};
    if (const auto wrong = unknown_name(line)) return tl::unexpected(*wrong);
    return line;
}

bool begins_like_an_act(std::span<const std::string_view> words) {
    const std::string_view first = words.front();
    if (first == "job" || (first.front() >= '0' && first.front() <= '9')) return true;
    return first == "the" && words.size() > 1 && (words[1] == "host" || words[1] == "firmware" || words[1] == "power");
}

tl::expected<Line, std::string> read_line(std::string_view text, plant::RigSize rig) {
    auto words = plant::words_of(text);
    if (words.front() == "then" || words.front() == "and")
        return by_table(std::span(words).subspan(1), expectations, rig);
    if (begins_like_an_act(words)) return by_table(std::span<const std::string_view>(words), acts, rig);
    const auto injection = plant::read_injection(text, rig);
    if (!injection) return tl::unexpected(injection.error());
    return Line{.say = Say::injection, .injection = *injection};
}

/// The size of the rig comes first, because later lines are checked against it.
std::optional<std::string> read_size(std::span<const std::string_view> words, Scenario& scenario) {
    constexpr std::array<std::string_view, 3> sizes{
        "a magazine of <count> cards", "a magazine of <count> empty pockets", "a rig with <count> readers"};
    const auto found = plant::fit(words, sizes, scenario.rig);
    if (!found) return found.error();
    const std::int64_t count = found->gaps.values.front();
    const bool readers = found->pattern == 2;
    const std::int64_t most = readers ? rigproto::port_count : rigproto::max_pockets;
    if (count < 1 || count > most) return "expected is a number from 1 to " + std::to_string(most);
    (readers ? scenario.rig.ports : scenario.rig.pockets) = static_cast<std::uint8_t>(count);
    if (!readers) scenario.full = found->pattern == 0;
    return {};
}

} // namespace

tl::expected<Scenario, std::vector<Complaint>> read_scenario(std::string_view text) {
    constexpr std::size_t longest_line = 200, most_lines = 1'000;
    constexpr std::string_view heading = "Scenario: ";
    Scenario scenario;
    std::vector<Complaint> complaints;
    std::size_t number = 0;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (++number > most_lines) {
            complaints.push_back({number, "a scenario has at most " + std::to_string(most_lines) + " lines"});
            break;
        }
        if (line.size() > longest_line) {
            complaints.push_back({number, "a line has at most " + std::to_string(longest_line) + " characters"});
            continue;
        }
        const auto words = plant::words_of(line);
        if (words.empty() || words.front().front() == '#') continue;
        if (line.substr(0, heading.size()) == heading) {
            if (!scenario.title.empty()) complaints.push_back({number, "the scenario has a title already"});
            scenario.title = line.substr(heading.size());
            continue;
        }
        if (scenario.title.empty()) {
            complaints.push_back({number, "expected is \"Scenario: \" and a title before anything else"});
            scenario.title = "untitled";
        }
        if (words.front() == "a") {
            if (!scenario.lines.empty())
                complaints.push_back({number, "the size of the rig must come before the first step"});
            else if (const auto wrong = read_size(words, scenario))
                complaints.push_back({number, *wrong});
            continue;
        }
        auto read = read_line(line, scenario.rig);
        if (!read) {
            complaints.push_back({number, read.error()});
            continue;
        }
        read->number = number;
        read->text = line;
        scenario.lines.push_back(std::move(*read));
    }
    if (scenario.lines.empty() && complaints.empty()) complaints.push_back({number, "this scenario has no step"});
    if (!complaints.empty()) return tl::unexpected(complaints);
    return scenario;
}

} // namespace mediarig::scenario
