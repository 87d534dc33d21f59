// SPDX-License-Identifier: GPL-3.0-or-later
#include "firmware/plant/injection_text.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "firmware/plant/sd_card.hpp"

namespace mediarig::plant {

namespace {

using What = Injection::What;
using Kind = PlantEvent::Kind;

/// Maps the gaps of a sentence to the fields of an injection.
enum class Shape : std::uint8_t { plain, place, place_amount, amount, axis, axis_amount };

constexpr std::int32_t number(Wire wire) {
    return static_cast<std::int32_t>(wire);
}

struct InjectionText {
    std::string_view pattern;
    What what;
    Shape shape;
    SdDefect defect{};
    std::int32_t amount{}; ///< amount for a sentence that has no gap for the amount
};

constexpr std::array injection_texts{
    InjectionText{"pocket <pocket> is empty", What::empty_pocket, Shape::place},
    InjectionText{"pocket <pocket> holds its card", What::fill_pocket, Shape::place},
    InjectionText{"pocket <pocket> deviates by <number> steps", What::shift_pocket, Shape::place_amount},
    InjectionText{"reader <port> deviates by <number> steps", What::shift_port, Shape::place_amount},
    InjectionText{"the card in pocket <pocket> is fine", What::card_fine, Shape::place},
    InjectionText{"the card in pocket <pocket> is bent", What::card_bent, Shape::place},
    InjectionText{"the card in pocket <pocket> is slippery", What::card_slippery, Shape::place},
    InjectionText{"the card in pocket <pocket> is porous", What::card_porous, Shape::place},
    InjectionText{"the card in pocket <pocket> sticks in readers", What::card_stuck, Shape::place},
    InjectionText{"the card in pocket <pocket> clings to the cup", What::card_clings, Shape::place},
    InjectionText{"the cup is emptied by hand", What::clear_cup, Shape::plain},
    InjectionText{"card <pocket> is on the nest", What::lay_on_nest, Shape::place},
    InjectionText{"the nest is empty", What::clear_nest, Shape::plain},
    InjectionText{"card <pocket> is silent on the nest", What::card_registers, Shape::place, SdDefect::silent},
    InjectionText{"card <pocket> garbles its answers", What::card_registers, Shape::place, SdDefect::damaged_answers},
    InjectionText{"card <pocket> garbles its registers", What::card_registers, Shape::place,
                  SdDefect::damaged_registers},
    InjectionText{"card <pocket> never gets ready", What::card_registers, Shape::place, SdDefect::never_ready},
    InjectionText{"card <pocket> is a multimedia card", What::card_registers, Shape::place, SdDefect::multimedia_card},
    InjectionText{"card <pocket> is from before version 2", What::card_registers, Shape::place, SdDefect::old},
    InjectionText{"card <pocket> has the registers of card 1", What::card_registers, Shape::place, SdDefect::copied},
    InjectionText{"card <pocket> is fine", What::card_fine, Shape::place},
    InjectionText{"card <pocket> is bent", What::card_bent, Shape::place},
    InjectionText{"card <pocket> is slippery", What::card_slippery, Shape::place},
    InjectionText{"card <pocket> is porous", What::card_porous, Shape::place},
    InjectionText{"card <pocket> sticks in readers", What::card_stuck, Shape::place},
    InjectionText{"card <pocket> clings to the cup", What::card_clings, Shape::place},
    InjectionText{"the card in reader <port> is pulled out", What::pull_card, Shape::place},
    InjectionText{"card-detect of reader <port> is broken", What::contact_broken, Shape::place},
    InjectionText{"card-detect of reader <port> is stuck closed", What::contact_closed, Shape::place},
    InjectionText{"card-detect of reader <port> works", What::contact_works, Shape::place},
    InjectionText{"the carriage jams at <number>", What::jam_carriage, Shape::amount},
    InjectionText{"the carriage is freed", What::free_carriage, Shape::plain},
    InjectionText{"the <axis> motor is weak above <count> steps/s", What::weak_motor, Shape::axis_amount},
    InjectionText{"the <axis> motor is strong", What::strong_motor, Shape::axis},
    InjectionText{"the <axis> motor loses <count> steps", What::lose_steps, Shape::axis_amount},
    InjectionText{"the <axis> flag is fine", What::flag_fine, Shape::axis},
    InjectionText{"the <axis> flag is stuck covered", What::flag_covered, Shape::axis},
    InjectionText{"the <axis> flag is stuck open", What::flag_open, Shape::axis},
    InjectionText{"the <axis> flag wanders by <count> steps", What::flag_wanders, Shape::axis_amount},
    InjectionText{"the comb sensor works", What::comb_fine, Shape::plain},
    InjectionText{"the comb sensor is stuck covered", What::comb_covered, Shape::plain},
    InjectionText{"the comb sensor is stuck open", What::comb_open, Shape::plain},
    InjectionText{"the carriage is pushed by <number> steps", What::push_carriage, Shape::amount},
    InjectionText{"the driver reports an error", What::driver_fails, Shape::plain},
    InjectionText{"the driver reports no error", What::driver_works, Shape::plain},
    InjectionText{"the vacuum sensor works", What::vacuum_works, Shape::plain},
    InjectionText{"the vacuum sensor is stuck high", What::vacuum_high, Shape::plain},
    InjectionText{"the vacuum sensor is stuck low", What::vacuum_low, Shape::plain},
    InjectionText{"the nest's switch is stuck on the vacuum", What::switch_on_vacuum, Shape::plain},
    InjectionText{"the nest's switch is stuck on the nest", What::switch_on_nest, Shape::plain},
    InjectionText{"the nest's switch works", What::switch_works, Shape::plain},
    InjectionText{"the pump fails", What::pump_fails, Shape::plain},
    InjectionText{"the pump works", What::pump_works, Shape::plain},
    InjectionText{"the jaw sticks closed", What::jaw_sticks_closed, Shape::plain},
    InjectionText{"the jaw sticks open", What::jaw_sticks_open, Shape::plain},
    InjectionText{"the jaw works", What::jaw_works, Shape::plain},
    InjectionText{"the x flag has a spike", What::spike, Shape::plain, {}, number(Wire::x_flag)},
    InjectionText{"the z flag has a spike", What::spike, Shape::plain, {}, number(Wire::z_flag)},
    InjectionText{"the comb sensor has a spike", What::spike, Shape::plain, {}, number(Wire::comb)},
    InjectionText{"the driver's input has a spike", What::spike, Shape::plain, {}, number(Wire::driver)},
    InjectionText{"the e-stop is pressed", What::press_estop, Shape::plain},
    InjectionText{"the e-stop is released", What::release_estop, Shape::plain},
    InjectionText{"the door is opened", What::open_door, Shape::plain},
    InjectionText{"the door is closed", What::close_door, Shape::plain},
    InjectionText{"port <port> is fine", What::port_fine, Shape::place},
    InjectionText{"port <port> reads 0 mV", What::port_unread, Shape::place},
    InjectionText{"port <port> is shorted", What::port_shorted, Shape::place},
    InjectionText{"port <port> draws <count> mA more", What::port_draws, Shape::place_amount},
    InjectionText{"port <port> is welded", What::port_welds, Shape::place},
    InjectionText{"port <port> is stuck on", What::port_stuck_on, Shape::place},
    InjectionText{"port <port> has no voltage", What::port_dead, Shape::place},
    InjectionText{"port <port> is back-fed", What::port_back_fed, Shape::place},
    InjectionText{"port <port> discharges slowly", What::port_slow, Shape::place},
    InjectionText{"port <port> cuts off alone", What::port_cuts_off, Shape::place},
    InjectionText{"it jams", What::jam_carriage,
                  Shape::plain}, // valid only with the condition that the carriage passes a position
};

constexpr auto has_opposite = [](What what) {
    return what == What::press_estop || what == What::open_door || what == What::jam_carriage ||
           what == What::driver_fails || what == What::pump_fails || what == What::weak_motor ||
           what == What::contact_broken;
};

struct TriggerText {
    std::string_view pattern;
    InjectionTrigger::On on;
    Kind kind{};
};

constexpr std::array cue_texts{
    TriggerText{"after <time>", InjectionTrigger::On::delay},
    TriggerText{"when the carriage passes <number>", InjectionTrigger::On::passing},
    TriggerText{"after the <nth> pick", InjectionTrigger::On::counted, Kind::card_picked},
    TriggerText{"after the <nth> insertion", InjectionTrigger::On::counted, Kind::card_inserted},
    TriggerText{"after the <nth> removal", InjectionTrigger::On::counted, Kind::card_removed},
    TriggerText{"after the <nth> return", InjectionTrigger::On::counted, Kind::card_stored},
    TriggerText{"after the <nth> binning", InjectionTrigger::On::counted, Kind::card_binned},
    TriggerText{"after the <nth> loss", InjectionTrigger::On::counted, Kind::card_lost},
    TriggerText{"after the <nth> rise of voltage", InjectionTrigger::On::counted, Kind::voltage_up},
    TriggerText{"after the <nth> fall of voltage", InjectionTrigger::On::counted, Kind::voltage_down},
};

template <class Table>
std::vector<std::string_view> patterns_of(const Table& table) {
    std::vector<std::string_view> patterns;
    patterns.reserve(table.size());
    for (const auto& row : table) patterns.push_back(row.pattern);
    return patterns;
}

tl::expected<InjectionTrigger, std::string> read_cue(std::string_view text, RigSize rig) {
    const auto found = fit(words_of(text), patterns_of(cue_texts), rig);
    if (!found) return tl::unexpected(found.error());
    const TriggerText& row = cue_texts[found->pattern];
    InjectionTrigger cue{.on = row.on, .kind = row.kind};
    const std::int64_t value = found->gaps.values.front();
    if (row.on == InjectionTrigger::On::delay) cue.delay = static_cast<Nanoseconds>(value);
    if (row.on == InjectionTrigger::On::passing) cue.position = static_cast<std::int32_t>(value);
    if (row.on == InjectionTrigger::On::counted) cue.count = static_cast<std::uint32_t>(value) + 1;
    return cue;
}

/// Removes "… for 2 s" from the end and returns the time in nanoseconds.
tl::expected<Nanoseconds, std::string> take_lasting(std::vector<std::string_view>& words, RigSize rig) {
    if (words.size() < 4 || words[words.size() - 3] != "for") return 0;
    constexpr std::array<std::string_view, 1> lasting{"for <time>"};
    const auto found = fit(std::span(words).last(3), lasting, rig);
    if (!found) return tl::unexpected(found.error());
    words.resize(words.size() - 3);
    return static_cast<Nanoseconds>(found->gaps.values.front());
}

Injection shaped(const InjectionText& row, const Gaps& gaps) {
    Injection injection{.what = row.what,
                        .amount = row.amount != 0 ? row.amount : static_cast<std::int32_t>(row.defect)};
    const auto place = [&](std::size_t i) { return static_cast<std::uint8_t>(gaps.values[i]); };
    const auto amount = [&](std::size_t i) { return static_cast<std::int32_t>(gaps.values[i]); };
    switch (row.shape) {
        case Shape::plain:
            break;
        case Shape::place:
            injection.place = place(0);
            break;
        case Shape::place_amount:
            injection.place = place(0);
            injection.amount = amount(1);
            break;
        case Shape::amount:
            injection.amount = amount(0);
            break;
        case Shape::axis:
            injection.axis = static_cast<rigproto::Axis>(gaps.values[0]);
            break;
        case Shape::axis_amount:
            injection.axis = static_cast<rigproto::Axis>(gaps.values[0]);
            injection.amount = amount(1);
            break;
    }
    return injection;
}

} // namespace

tl::expected<TriggeredInjection, std::string> read_injection(std::string_view sentence, RigSize rig) {
    TriggeredInjection result;
    if (const auto comma = sentence.find(','); comma != std::string_view::npos) {
        const auto cue = read_cue(sentence.substr(0, comma), rig);
        if (!cue) return tl::unexpected(cue.error());
        result.cue = *cue;
        sentence.remove_prefix(comma + 1);
    }
    auto words = words_of(sentence);
    const auto lasting = take_lasting(words, rig);
    if (!lasting) return tl::unexpected(lasting.error());
    const auto found = fit(words, patterns_of(injection_texts), rig);
    if (!found) return tl::unexpected(found.error());

    const InjectionText& row = injection_texts[found->pattern];
    result.injection = shaped(row, found->gaps);
    if (row.pattern == "it jams") {
        if (result.cue.on != InjectionTrigger::On::passing)
            return tl::unexpected(std::string("\"it jams\" has a position only after \"when the carriage passes …,\""));
        result.injection.amount = result.cue.position;
    }
    if (*lasting != 0 && !has_opposite(row.what))
        return tl::unexpected(std::string("\"for\" a time is not possible here: this event cannot be undone"));
    if (row.what == What::port_draws && result.injection.amount > 5'000)
        return tl::unexpected(std::string("a port draws at most 5000 mA more"));
    result.injection.lasting = *lasting;
    return result;
}

} // namespace mediarig::plant
