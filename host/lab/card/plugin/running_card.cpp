// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/card/plugin/running_card.hpp"

#include <chrono>
#include <utility>

#include "host/lab/card/catalogue.hpp"
#include "host/lab/card/control.hpp"

namespace mediarig::lab {
namespace {

/// Delay before a storage error is returned. The client would take the error for a fault of the medium. The supervisor
/// sees it in the counters and has this long to end the test first.
constexpr Pacer::Time storage_patience = std::chrono::seconds(5);

} // namespace

Result<std::unique_ptr<RunningCard>> RunningCard::make(const CardParameters& parameters,
                                                       std::function<void(Pacer::Time)> sleep) {
    const auto text = find_card_config(parameters.config);
    if (!text) return fail(text.error());
    const auto config = parse_card_config(*text, parameters.overrides);
    if (!config) return fail(config.error());
    auto storage = open_file_storage(parameters.backing, config->real, parameters.caching);
    if (!storage) return fail(storage.error());
    const auto clock = [] { return Pacer::Time(std::chrono::steady_clock::now().time_since_epoch()); };
    std::unique_ptr<RunningCard> card(
        new RunningCard(*config, std::move(*storage),
                        Pacer(parameters.time_scale, clock, std::move(sleep), parameters.shortest_sleep)));
    if (!parameters.control) return card;

    const auto answer = [running = card.get()](std::string_view line) { return running->execute(line); };
    auto control = ControlSocket::listen(*parameters.control, answer);
    if (!control) return fail(control.error());
    card->control_ = std::move(*control);
    return card;
}

RunningCard::RunningCard(const CardConfig& config, std::unique_ptr<Storage> storage, Pacer pacer)
    : storage_(std::move(storage)), model_(config, *storage_), pacer_(std::move(pacer)) {}

RunningCard::~RunningCard() {
    control_.reset();
    // A failure cannot be reported any more; data that the server wrote earlier is not affected.
    [[maybe_unused]] const auto done = model_.shut_down();
}

std::string RunningCard::execute(std::string_view line) {
    const std::scoped_lock alone(mutex_);
    return execute_line(model_, line);
}

Result<void> RunningCard::start_control() {
    return control_ ? control_->start() : Result<void>{};
}

template <class Act>
Result<Outcome> RunningCard::paced(Act act) {
    const Moment now = pacer_.arrive();
    Result<Outcome> outcome = [&] {
        const std::scoped_lock alone(mutex_);
        return act(now);
    }();
    // Wait without the lock: a control command must not wait for a slow medium.
    if (outcome)
        pacer_.leave(outcome->took);
    else
        pacer_.hold(storage_patience);
    return outcome;
}

Result<Outcome> RunningCard::read(std::uint64_t offset, std::span<std::byte> into) {
    return paced([&](Moment now) { return model_.read(offset, into, now); });
}

Result<Outcome> RunningCard::write(std::uint64_t offset, std::span<const std::byte> from, Durability durability) {
    return paced([&](Moment now) { return model_.write(offset, from, durability, now); });
}

Result<Outcome> RunningCard::zero(std::uint64_t offset, Bytes size) {
    return paced([&](Moment now) { return model_.zero(offset, size, now); });
}

Result<Outcome> RunningCard::trim(std::uint64_t offset, Bytes size) {
    return paced([&](Moment now) { return model_.trim(offset, size, now); });
}

Result<Outcome> RunningCard::flush() {
    return paced([&](Moment now) { return model_.flush(now); });
}

} // namespace mediarig::lab
