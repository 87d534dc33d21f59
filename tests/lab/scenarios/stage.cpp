// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/lab/scenarios/stage.hpp"

#include <fmt/format.h>

#include <boost/asio/steady_timer.hpp>
#include <stdexcept>
#include <thread>

#include "tests/lab/scenarios/guest_script.hpp"

namespace mediarig::lab {
namespace {

using namespace std::chrono_literals;

MachineSpec machine_of(BootFiles image) {
    MachineSpec spec{.image = std::move(image),
                     .slots = {{SlotId{1}, SlotKind::usb},
                               {SlotId{2}, SlotKind::usb},
                               {SlotId{3}, SlotKind::usb},
                               {SlotId{4}, SlotKind::uas},
                               {SlotId{5}, SlotKind::reader},
                               {SlotId{6}, SlotKind::reader},
                               {SlotId{7}, SlotKind::sd},
                               {SlotId{8}, SlotKind::nvme},
                               {SlotId{Stage::bystander_slot}, SlotKind::usb}}};
    spec.patience.appear = 90s;
    spec.patience.vanish = 60s;
    spec.patience.boot = 300s;
    return spec;
}

void must(const Result<void>& done, const std::string& what) {
    if (!done) throw std::runtime_error(what + ": " + done.error().detail);
}

} // namespace

Stage::Stage(BootFiles image) : booted_(machine_of(std::move(image)), 10min) {
    if (!booted_.report) throw std::runtime_error("the machine does not start: " + booted_.report.error().detail);
    agent_ = booted_.controller();
    const auto written = booted_.ask(booted_.machine->diagnose(
        fmt::format("mkdir -p /s; cat >/s/helpers <<'HELPERS'{}HELPERS\n. /s/helpers; prepare", guest_helpers()),
        5min));
    if (!written || !written->output.empty())
        throw std::runtime_error("the guest is not ready: " + (written ? written->output : written.error().detail));
    bystander_ = make_card("bystander", "BYSTANDER", 64_MiB, 42);
    cards_.clear();
    (void)plug(bystander_slot, bystander_);
}

Stage::~Stage() = default;

ShellAnswer Stage::script(const std::string& text) {
    auto answer = booted_.ask(booted_.machine->diagnose(". /s/helpers; set -e\n" + text, 5min));
    if (!answer) throw std::runtime_error("the guest's shell: " + answer.error().detail);
    return *answer;
}

void Stage::replace_agent() {
    (void)booted_.ask(agent_->close());
    agent_ = booted_.controller();
}

Card Stage::make_card(const std::string& name, const std::string& serial, Bytes size, std::uint64_t seed) {
    Card card{
        .name = name, .file = scratch_.path(fmt::format("{}-{}.img", ++made_, name)), .serial = serial, .size = size};
    make_backing(card.file, size, seed);
    cards_.push_back(card);
    return card;
}

std::string Stage::plug(std::uint8_t slot, const Card& card) {
    push(slot, card);
    const auto found = booted_.ask(booted_.machine->wait_for(SlotId{slot}, *agent_));
    if (!found) throw std::runtime_error(card.name + " does not appear: " + found.error().detail);
    return found->node;
}

void Stage::push(std::uint8_t slot, const Card& card) {
    const auto source = card.socket.empty() ? MediumSource::file(card.file) : MediumSource::nbd(card.socket);
    must(booted_.ask(booted_.machine->plug(SlotId{slot}, {source, card.serial})), "plugging " + card.name);
    plugged_[slot] = card;
}

void Stage::unplug(std::uint8_t slot) {
    must(booted_.ask(booted_.machine->unplug(SlotId{slot})), fmt::format("unplugging slot {}", slot));
    plugged_.erase(slot);
}

void Stage::pass(std::chrono::milliseconds time) {
    auto timer = [](std::chrono::milliseconds wait) -> boost::asio::awaitable<Result<void>> {
        boost::asio::steady_timer clock(co_await boost::asio::this_coro::executor, wait);
        co_await clock.async_wait(boost::asio::use_awaitable);
        co_return Result<void>{};
    };
    (void)booted_.ask(timer(time));
}

std::map<std::string, Snapshot> Stage::now() const {
    std::map<std::string, Snapshot> all;
    for (const Card& card : cards_) all.emplace(card.name, Snapshot::of(card.file));
    all.emplace(bystander_.name, Snapshot::of(bystander_.file));
    return all;
}

std::map<std::string, Snapshot> Stage::settled() {
    (void)script("settle");
    auto before = now();
    for (int tries = 0; tries < 40; ++tries) {
        pass(300ms);
        auto after = now();
        if (after == before) return after;
        before = std::move(after);
        (void)script("settle");
    }
    throw std::runtime_error("the guest does not come to rest");
}

void Stage::unplug_all() {
    auto slots = plugged_;
    for (const auto& [slot, card] : slots) {
        if (slot == bystander_slot) continue;
        unplug(slot);
        const auto gone = booted_.ask(booted_.machine->wait_until_gone(SlotId{slot}, *agent_));
        must(gone, card.name + " does not go");
    }
}

std::string Stage::clean_up() {
    const auto left = script("set +e; clear_all");
    unplug_all();
    for (const Card& card : cards_) std::filesystem::remove(card.file);
    cards_.clear();
    if (plugged_.find(bystander_slot) == plugged_.end()) (void)plug(bystander_slot, bystander_);
    return left.output;
}

} // namespace mediarig::lab
