// SPDX-License-Identifier: GPL-3.0-or-later
#include "firmware/core/sd_reader.hpp"

#include <algorithm>

namespace mediarig::firmware {

using rigproto::NestEnd;
using rigproto::NestSupply;
using rigproto::RegisterState;

namespace {

constexpr std::uint8_t waking_clocks = 96;     // the specification requires at least 74
constexpr std::uint8_t pause_clocks = 8;       // between an answer and the next command
constexpr std::uint32_t check_pattern = 0x1AA; // 2.7 to 3.6 V, and the pattern that the card must return
constexpr std::uint32_t pattern_bits = 0xFFF;
constexpr std::uint32_t voltages = 0x00FF'8000; // 2.7 to 3.6 V
constexpr std::uint32_t block_addresses = 1U << 30;
constexpr std::uint32_t ready = 1U << 31;
constexpr std::uint8_t no_number = 0x3F;

} // namespace

void SdReader::start(std::uint32_t job, std::uint64_t now_us) {
    report_ = {.job = job, .end = NestEnd::reading};
    registers_ = {.job = job};
    address_ = zero_ua_ = 0;
    modern_ = begun_ = card_ = false;
    since_us_ = rest_us_ = now_us;
    phase_ = Phase::looking;
}

void SdReader::stop(std::uint64_t now_us) {
    if (busy()) finish(NestEnd::interrupted, now_us);
}

void SdReader::tick(const Inputs& inputs) {
    const std::uint64_t now_us = inputs.now_us;
    burst_.clocks = 0;
    burst_.drives = false;
    if (inputs.nest_microamperes) measure(*inputs.nest_microamperes);
    if (phase_ == Phase::looking) return look(inputs.nest_card, now_us);
    watch_card(inputs.nest_card, now_us);
    switch (phase_) {
        case Phase::rising:
            if (now_us - since_us_ < nest_rises_us) break;
            phase_ = Phase::waking;
            frame_bits_ = waking_clocks;
            [[fallthrough]];
        case Phase::waking:
            if (frame_bits_ == 0) {
                ask(Step::go_idle);
                return send_on(now_us);
            }
            frame_bits_ = static_cast<std::uint8_t>(frame_bits_ - burst_clocks);
            burst_ = {.power = true, .clocks = burst_clocks, .drives = true, .bits = 0xFFFF'FFFF};
            break;
        case Phase::asking:
            return send_on(now_us);
        case Phase::hearing:
            return hear(inputs.nest, now_us);
        case Phase::idle:
        case Phase::looking:
            break;
    }
}

void SdReader::measure(std::uint32_t microamperes) {
    const std::uint32_t current = microamperes > zero_ua_ ? microamperes - zero_ua_ : 0;
    switch (phase_) {
        case Phase::idle:
            return;
        case Phase::looking:
            zero_ua_ = microamperes;
            report_.supply = microamperes > nest_zero_most_ua ? NestSupply::offset : NestSupply::none;
            return;
        case Phase::rising:
            if (report_.supply == NestSupply::offset) return;
            report_.supply = NestSupply::measured;
            report_.rest_ua = report_.most_ua = current; // the last value before the first clock is kept
            return;
        default:
            if (report_.supply == NestSupply::measured) report_.most_ua = std::max(report_.most_ua, current);
    }
}

void SdReader::look(bool card, std::uint64_t now_us) {
    if (card != card_) rest_us_ = now_us;
    card_ = card;
    const bool rests = now_us - rest_us_ >= nest_settles_us;
    if (rests ? !card : now_us - since_us_ >= nest_patience_us) return finish(NestEnd::no_card, now_us);
    if (!rests || (was_on_ && now_us - off_us_ < nest_off_us)) return;
    phase_ = Phase::rising;
    since_us_ = now_us;
    was_on_ = true;
    burst_.power = true;
}

void SdReader::watch_card(bool card, std::uint64_t now_us) {
    if (card || !card_) rest_us_ = now_us;
    card_ = card;
    if (busy() && !card && now_us - rest_us_ >= nest_settles_us) finish(NestEnd::no_card, now_us);
}

SdReader::Command SdReader::command_of(Step step) const {
    switch (step) {
        case Step::go_idle:
            return {.number = 0};
        case Step::conditions:
            return {.number = 8, .argument = check_pattern, .form = Form::plain};
        case Step::begin_app:
        case Step::configuration_app:
        case Step::status_app:
            return {.number = 55, .argument = address_, .form = Form::plain};
        case Step::begin:
            return {.number = 41, .argument = voltages | (modern_ ? block_addresses : 0), .form = Form::ocr};
        case Step::other_kind:
            return {.number = 1, .form = Form::ocr}; // an argument without voltages only queries the card
        case Step::identification:
            return {.number = 2, .form = Form::long_one};
        case Step::address:
            return {.number = 3, .form = Form::plain};
        case Step::specifics:
            return {.number = 9, .argument = address_, .form = Form::long_one};
        case Step::select:
            return {.number = 7, .argument = address_, .form = Form::plain, .after = After::busy};
        case Step::configuration:
            return {.number = 51, .form = Form::plain, .after = After::data, .data_bytes = 8};
        case Step::status:
            return {.number = 13, .form = Form::plain, .after = After::data, .data_bytes = 64};
    }
    return {};
}

void SdReader::ask(Step step) {
    step_ = step;
    command_ = command_of(step);
    report_.command = command_.number;
    const std::uint64_t pause = (std::uint64_t{1} << pause_clocks) - 1;
    frame_bits_ = 48 + pause_clocks;
    frame_ = (pause << 48 | command_frame(command_.number, command_.argument)) << (64 - frame_bits_);
    phase_ = Phase::asking;
}

void SdReader::send_on(std::uint64_t now_us) {
    if (frame_bits_ != 0) {
        const std::uint8_t clocks = std::min(frame_bits_, burst_clocks);
        burst_ = {.power = true, .clocks = clocks, .drives = true, .bits = static_cast<std::uint32_t>(frame_ >> 32)};
        frame_ <<= clocks;
        frame_bits_ = static_cast<std::uint8_t>(frame_bits_ - clocks);
        return;
    }
    response_.expect(command_.form == Form::long_one ? 136 : 48, Reception<17>::Start::kept);
    block_.expect(static_cast<std::uint16_t>(8 * (command_.data_bytes + 2) + 1), Reception<67>::Start::dropped);
    data_high_ = false;
    phase_ = Phase::hearing;
    since_us_ = now_us;
    burst_ = {.power = true, .clocks = command_.form == Form::none ? pause_clocks : burst_clocks};
}

void SdReader::hear(const NestSample& sample, std::uint64_t now_us) {
    for (unsigned i = 0; i < sample.clocks && i < burst_clocks; ++i) {
        data_high_ = (sample.data << i >> 31 & 1U) != 0;
        response_.take((sample.command << i >> 31 & 1U) != 0);
        if (command_.after == After::data) block_.take(data_high_);
    }
    if (has_full_response(now_us)) proceed(now_us);
    if (phase_ == Phase::asking) return send_on(now_us);
    if (phase_ == Phase::hearing) burst_ = {.power = true, .clocks = burst_clocks};
}

bool SdReader::has_full_response(std::uint64_t now_us) const {
    using Response = Reception<17>::State;
    if (command_.form == Form::none) return true;
    if (response_.state() == Response::waiting) return response_.waited() >= nest_answer_clocks;
    if (response_.state() != Response::whole) return false;
    if (command_.after == After::nothing || answer() != ReplyCheck::fine) return true;
    if (command_.after == After::busy) return data_high_ || now_us - since_us_ >= nest_busy_us;
    return block_.state() == Reception<67>::State::whole || now_us - since_us_ >= nest_data_us;
}

SdReader::ReplyCheck SdReader::answer() const {
    if (response_.state() != Reception<17>::State::whole) return ReplyCheck::nothing;
    const auto& bytes = response_.bytes();
    const bool is_long = command_.form == Form::long_one;
    const std::uint8_t last = bytes[is_long ? 16 : 5];
    const std::uint8_t check = static_cast<std::uint8_t>(last >> 1);
    bool good = (last & 1U) != 0;
    switch (command_.form) {
        case Form::long_one:
            good = good && bytes[0] == no_number && check == crc7(std::span(bytes).subspan(1, 15));
            break;
        case Form::ocr:
            good = good && bytes[0] == no_number && check == 0x7F; // the OCR has no checksum
            break;
        default:
            good = good && bytes[0] == command_.number && check == crc7(std::span(bytes).first(5));
            break;
    }
    return good ? ReplyCheck::fine : ReplyCheck::damaged;
}

RegisterState SdReader::data() const {
    if (block_.state() != Reception<67>::State::whole)
        return block_.state() == Reception<67>::State::waiting ? RegisterState::no_data : RegisterState::damaged;
    const auto& bytes = block_.bytes();
    const std::size_t size = command_.data_bytes;
    const unsigned check = static_cast<unsigned>(bytes[size]) << 8 | bytes[size + 1];
    const bool good = check == crc16(std::span(bytes).first(size)) && (bytes[size + 2] & 0x80U) != 0;
    return good ? RegisterState::read : RegisterState::damaged;
}

std::uint32_t SdReader::answered_word() const {
    std::uint32_t word = 0;
    for (std::size_t i = 1; i < 5; ++i) word = word << 8 | response_.bytes()[i];
    return word;
}

void SdReader::keep(RegisterState& state, std::span<std::uint8_t> into, ReplyCheck heard) {
    if (heard == ReplyCheck::nothing) {
        state = RegisterState::no_answer;
    } else if (heard == ReplyCheck::damaged) {
        state = RegisterState::damaged;
    } else if (command_.after == After::data) {
        state = data();
        if (state == RegisterState::read) std::copy_n(block_.bytes().begin(), into.size(), into.begin());
    } else {
        state = RegisterState::read;
        std::copy_n(response_.bytes().begin() + 1, into.size(), into.begin());
    }
}

void SdReader::get_ready(ReplyCheck heard, std::uint64_t now_us) {
    if (heard == ReplyCheck::nothing && !begun_) return ask(Step::other_kind);
    if (heard != ReplyCheck::fine)
        return finish(heard == ReplyCheck::nothing ? NestEnd::no_answer : NestEnd::damaged, now_us);
    if (step_ == Step::begin_app) {
        ask(Step::begin);
        return;
    }
    if (!begun_) begun_us_ = now_us;
    begun_ = true;
    if ((answered_word() & ready) != 0) {
        report_.ocr = answered_word();
        return ask(Step::identification);
    }
    if (now_us - begun_us_ >= nest_ready_us) return finish(NestEnd::never_ready, now_us);
    ask(Step::begin_app);
}

void SdReader::proceed(std::uint64_t now_us) {
    const ReplyCheck heard = command_.form == Form::none ? ReplyCheck::fine : answer();
    switch (step_) {
        case Step::go_idle:
            return ask(Step::conditions);
        case Step::conditions:
            if (heard == ReplyCheck::damaged) return finish(NestEnd::damaged, now_us);
            modern_ = heard == ReplyCheck::fine;
            if (modern_ && (answered_word() & pattern_bits) != check_pattern)
                return finish(NestEnd::wrong_voltage, now_us);
            return ask(Step::begin_app);
        case Step::begin_app:
        case Step::begin:
            return get_ready(heard, now_us);
        case Step::other_kind:
            if (heard != ReplyCheck::nothing) return finish(NestEnd::not_sd, now_us);
            report_.command = 55; // an SD card would have answered CMD55
            return finish(NestEnd::no_answer, now_us);
        case Step::identification:
            keep(report_.cid, registers_.cid, heard);
            return ask(Step::address);
        case Step::address:
            if (heard != ReplyCheck::fine)
                return finish(heard == ReplyCheck::nothing ? NestEnd::no_answer : NestEnd::damaged, now_us);
            address_ = answered_word() & 0xFFFF'0000U;
            return ask(Step::specifics);
        case Step::specifics:
            keep(report_.csd, registers_.csd, heard);
            return ask(Step::select);
        case Step::select:
            if (heard != ReplyCheck::fine)
                return finish(heard == ReplyCheck::nothing ? NestEnd::no_answer : NestEnd::damaged, now_us);
            return ask(Step::configuration_app);
        case Step::configuration_app:
            if (heard == ReplyCheck::fine) return ask(Step::configuration);
            keep(report_.scr, registers_.scr, heard);
            return ask(Step::status_app);
        case Step::configuration:
            keep(report_.scr, registers_.scr, heard);
            return ask(Step::status_app);
        case Step::status_app:
            if (heard == ReplyCheck::fine) return ask(Step::status);
            keep(report_.ssr, registers_.ssr, heard);
            return finish(NestEnd::finished, now_us);
        case Step::status:
            keep(report_.ssr, registers_.ssr, heard);
            return finish(NestEnd::finished, now_us);
    }
}

void SdReader::finish(NestEnd end, std::uint64_t now_us) {
    // A card that is being removed answers incorrectly before card-detect has settled.
    const bool gone = !card_ && end != NestEnd::finished && end != NestEnd::interrupted;
    report_.end = gone ? NestEnd::no_card : end;
    phase_ = Phase::idle;
    burst_ = {};
    off_us_ = now_us;
}

} // namespace mediarig::firmware
