// SPDX-License-Identifier: GPL-3.0-or-later
#include "firmware/plant/sd_card.hpp"

#include <algorithm>
#include <utility>

namespace mediarig::plant {

namespace {

constexpr std::uint32_t polynomial_7 = 0x09, polynomial_16 = 0x1021;
constexpr std::uint32_t clocks_to_wake = 74;
constexpr std::size_t clocks_to_answer = 5;
constexpr std::size_t busy_clocks = 40;
constexpr Nanoseconds gets_ready_in = milliseconds(30);
constexpr std::uint32_t relative_address = 0xB368;
constexpr std::uint32_t voltages = 0x00FF'8000, ready = 1U << 31, block_addresses = 1U << 30;
constexpr std::uint32_t ready_for_data = 1U << 8, app_command = 1U << 5;

void add(std::vector<bool>& bits, std::uint32_t value, unsigned width) {
    for (unsigned bit = width; bit > 0; --bit) bits.push_back((value >> (bit - 1) & 1U) != 0);
}

void seal(std::array<std::uint8_t, 16>& bytes) {
    std::vector<bool> bits;
    for (std::size_t i = 0; i < 15; ++i) add(bits, bytes[i], 8);
    bytes[15] = static_cast<std::uint8_t>(checksum(bits, 7, polynomial_7) << 1U | 1U);
}

} // namespace

std::uint32_t checksum(const std::vector<bool>& bits, unsigned width, std::uint32_t polynomial) {
    std::vector<bool> rest = bits;
    rest.resize(bits.size() + width);
    for (std::size_t at = 0; at < bits.size(); ++at) {
        if (!rest[at]) continue;
        rest[at] = false;
        for (unsigned power = 0; power < width; ++power)
            if ((polynomial >> power & 1U) != 0) rest[at + width - power] = !rest[at + width - power];
    }
    std::uint32_t remainder = 0;
    for (std::size_t at = bits.size(); at < rest.size(); ++at) remainder = remainder << 1U | (rest[at] ? 1U : 0U);
    return remainder;
}

SdRegisters simulated_registers(std::uint8_t card, std::uint64_t capacity) {
    SdRegisters all;
    const auto digit = [](int value) { return static_cast<std::uint8_t>('0' + value); };
    const int number = card + 1;
    // Unassigned manufacturer number; manufactured in January 2026.
    all.cid = {0xEE, 'M',  'R',  'R',  'I',  'G', digit(number / 10), digit(number % 10), 0x10,
               0x51, 0xD0, 0x00, card, 0x01, 0xA1};
    all.csd = {0x40, 0x0E, 0x00, 0x32, 0x5B, 0x59, 0x00, 0x00, 0x00, 0x00, 0x7F, 0x80, 0x0A, 0x40, 0x00};
    // C_SIZE, bits 69 to 48: units of 512 KiB, minus one.
    constexpr std::uint64_t unit = 1U << 19U, most = std::uint64_t{1} << 41U;
    const std::uint64_t size = std::clamp(capacity, unit, most) / unit - 1;
    all.csd[7] = static_cast<std::uint8_t>(size >> 16U & 0x3FU);
    all.csd[8] = static_cast<std::uint8_t>(size >> 8U);
    all.csd[9] = static_cast<std::uint8_t>(size);
    seal(all.cid);
    seal(all.csd);
    all.scr = {0x02, 0x35, 0x80, 0x03};
    all.ssr[8] = 4;     // class 10
    all.ssr[10] = 0x90; // allocation unit of 4 MiB
    all.ssr[14] = 0x19; // UHS grade 1
    all.ssr[15] = 10;   // V10
    all.ssr[21] = 0x01; // A1
    return all;
}

void SdCard::insert(const SdRegisters& registers, SdDefect defect) {
    remove();
    registers_ = registers;
    trouble_ = defect;
    there_ = true;
}

void SdCard::remove() {
    power(false);
    there_ = false;
}

void SdCard::power(bool on) {
    if (on == powered_) return;
    powered_ = on;
    command_ = data_ = true;
    state_ = State::idle;
    app_ = false;
    idle_clocks_ = 0;
    begun_at_ = 0;
    taken_.clear();
    to_command_.clear();
    to_data_.clear();
    if (on) commands_.clear();
}

void SdCard::lines(bool clock, bool command, Nanoseconds at) {
    const bool edge = clock != clock_;
    clock_ = clock;
    if (!edge || !there_ || !powered_ || trouble_ == SdDefect::silent) return;
    if (clock)
        rise(command, at);
    else
        fall();
}

std::uint32_t SdCard::microamperes() const {
    if (!there_ || !powered_) return 0;
    if (!to_data_.empty() && state_ == State::transfer) return sending_ua;
    return begun_at_ != 0 && state_ != State::standby && state_ != State::transfer ? active_ua : rest_ua;
}

void SdCard::fall() {
    const auto next = [](std::deque<bool>& bits) {
        if (bits.empty()) return true;
        const bool bit = bits.front();
        bits.pop_front();
        return bit;
    };
    command_ = next(to_command_);
    data_ = next(to_data_);
}

void SdCard::rise(bool command, Nanoseconds at) {
    if (idle_clocks_ < clocks_to_wake) {
        idle_clocks_ = command ? idle_clocks_ + 1 : 0;
        return;
    }
    // The card does not receive commands while it sends.
    if (!command_ || !to_command_.empty()) return;
    if (taken_.empty() && command) return;
    taken_.push_back(command);
    if (taken_.size() < 48) return;
    const std::vector<bool> frame = std::exchange(taken_, {});
    const auto value = [&](std::size_t from, std::size_t count) {
        std::uint32_t bits = 0;
        for (std::size_t i = from; i < from + count; ++i) bits = bits << 1U | (frame[i] ? 1U : 0U);
        return bits;
    };
    const std::vector<bool> checked(frame.begin(), frame.begin() + 40);
    if (!frame[1] || !frame[47] || value(40, 7) != checksum(checked, 7, polynomial_7)) return;
    const auto number = static_cast<std::uint8_t>(value(2, 6));
    const bool app = std::exchange(app_, false);
    commands_.push_back(static_cast<std::uint8_t>(number + (app ? 64 : 0)));
    if (app)
        execute_app_command(number, value(8, 32), at);
    else
        execute_command(number, value(8, 32), at);
}

void SdCard::execute_command(std::uint8_t number, std::uint32_t argument, Nanoseconds) {
    const bool addressed = argument >> 16U == relative_address;
    const bool multimedia = trouble_ == SdDefect::multimedia_card;
    switch (number) {
        case 0:
            state_ = State::idle;
            return;
        case 1:
            if (multimedia) answer_ocr(voltages);
            return;
        case 2:
            if (state_ != State::ready) return;
            state_ = State::identification;
            return answer_long(registers_.cid);
        case 3:
            if (state_ != State::identification && state_ != State::standby) return;
            state_ = State::standby;
            return answer(3, relative_address << 16U | 0x0500U);
        case 7:
            if (state_ != State::standby || !addressed) return;
            state_ = State::transfer;
            to_data_.assign(busy_clocks, false);
            return answer(7, 0x0700U);
        case 8:
            if (state_ == State::idle && trouble_ != SdDefect::old && !multimedia) answer(8, argument & 0xFFFU);
            return;
        case 9:
            if (state_ == State::standby && addressed) answer_long(registers_.csd);
            return;
        case 55:
            if (multimedia || (state_ != State::idle && !addressed)) return;
            app_ = true;
            return answer(55, app_command | (state_ == State::transfer ? ready_for_data | 0x0800U : 0));
        default:
            return;
    }
}

void SdCard::execute_app_command(std::uint8_t number, std::uint32_t argument, Nanoseconds at) {
    if (number == 41 && state_ == State::idle) {
        const bool large = registers_.csd[0] >> 6U != 0;
        if ((argument & voltages) == 0) return answer_ocr(voltages);
        if (begun_at_ == 0) begun_at_ = at;
        const bool welcome = !large || (argument & block_addresses) != 0;
        if (!welcome || trouble_ == SdDefect::never_ready || at - begun_at_ < gets_ready_in)
            return answer_ocr(voltages);
        state_ = State::ready;
        return answer_ocr(ready | voltages | (large ? block_addresses : 0));
    }
    if (state_ != State::transfer) return;
    if (number == 51) {
        // The data begins at the earliest permitted time: before the answer is complete.
        send_block(registers_.scr.data(), registers_.scr.size(), 30);
        answer(51, ready_for_data | app_command | 0x0800U);
    } else if (number == 13) {
        send_block(registers_.ssr.data(), registers_.ssr.size(), 700);
        answer(13, ready_for_data | app_command | 0x0800U);
    }
}

void SdCard::answer(std::uint8_t number, std::uint32_t word) {
    std::vector<bool> bits{false, false};
    add(bits, number, 6);
    add(bits, word, 32);
    add(bits, checksum(bits, 7, polynomial_7), 7);
    if (trouble_ == SdDefect::damaged_answers) bits[20] = !bits[20];
    bits.push_back(true);
    send(bits);
}

void SdCard::answer_ocr(std::uint32_t ocr) {
    std::vector<bool> bits{false, false};
    add(bits, 0x3F, 6);
    add(bits, ocr, 32);
    add(bits, 0xFF, 8);
    send(bits);
}

void SdCard::answer_long(const std::array<std::uint8_t, 16>& bytes) {
    std::vector<bool> bits{false, false};
    add(bits, 0x3F, 6);
    for (const std::uint8_t byte : bytes) add(bits, byte, 8);
    if (trouble_ == SdDefect::damaged_registers) bits[70] = !bits[70];
    send(bits);
}

void SdCard::send(const std::vector<bool>& bits) {
    to_command_.assign(clocks_to_answer, true);
    to_command_.insert(to_command_.end(), bits.begin(), bits.end());
}

void SdCard::send_block(const std::uint8_t* bytes, std::size_t count, std::size_t after_clocks) {
    std::vector<bool> bits;
    for (std::size_t i = 0; i < count; ++i) add(bits, bytes[i], 8);
    const std::uint32_t check = checksum(bits, 16, polynomial_16);
    if (trouble_ == SdDefect::damaged_registers) bits[count] = !bits[count];
    add(bits, check, 16);
    to_data_.assign(after_clocks, true);
    to_data_.push_back(false);
    to_data_.insert(to_data_.end(), bits.begin(), bits.end());
    to_data_.push_back(true);
}

void SdCard::add_to(StateHash& hash) const {
    hash.add(trouble_);
    hash.add(static_cast<int>(there_) | static_cast<int>(powered_) << 1 | static_cast<int>(command_) << 2 |
             static_cast<int>(data_) << 3 | static_cast<int>(app_) << 4);
    hash.add(state_);
    hash.add(idle_clocks_);
    hash.add(to_command_.size());
    hash.add(to_data_.size());
    hash.add(commands_.size());
}

} // namespace mediarig::plant
