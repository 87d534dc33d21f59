// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/guest/model_host.hpp"

#include <fmt/format.h>
#include <time.h>

#include <cerrno>
#include <chrono>
#include <utility>

#include "host/base/replace_file.hpp"

namespace mediarig::lab {
namespace {

namespace fs = std::filesystem;

/// Until an absolute time: the driver interrupts a sleep to deliver further requests.
void sleep_for(Pacer::Time time) {
    const auto end = std::chrono::steady_clock::now().time_since_epoch() + time;
    const auto seconds = std::chrono::floor<std::chrono::seconds>(end);
    const timespec until{.tv_sec = seconds.count(), .tv_nsec = std::chrono::nanoseconds(end - seconds).count()};
    while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
    }
}

bool is_file_name(const std::string& name) {
    return !name.empty() && name.find('/') == std::string::npos && name.front() != '.';
}

} // namespace

ModelHost::ModelHost(ModelFolders folders, std::function<void(std::string)> send)
    : folders_(std::move(folders)), send_(std::move(send)) {}

void ModelHost::execute(std::string_view line) {
    const auto request = parse_model_request(line);
    // A broken line has no id. The other side notices the missing answer.
    if (!request) return;
    auto text = std::visit([this](const auto& one) { return done(one); }, request->request);
    send_(model_message_line(ModelAnswer{request->id, std::move(text)}));
}

Result<ModelHost::Card*> ModelHost::find(const std::string& card) {
    const auto found = cards_.find(card);
    if (found == cards_.end()) return fail(Errc::bad_request, fmt::format("the guest has no card {}", card));
    return &found->second;
}

Result<std::string> ModelHost::done(const StartModel& start) {
    if (cards_.contains(start.card)) return fail(Errc::refused, fmt::format("the card {} is already on", start.card));
    if (!is_file_name(start.card) || !is_file_name(start.backing))
        return fail(Errc::bad_request, fmt::format("{} and {} must be file names", start.card, start.backing));
    const fs::path config = folders_.identities / (start.card + ".json");
    if (auto written = replace_own_file(config.string(), start.config); !written) return fail(written.error());
    auto model = RunningCard::make({.config = config.string(),
                                    .backing = (folders_.media / start.backing).string(),
                                    .overrides = start.overrides,
                                    .shortest_sleep = Pacer::Time(1),
                                    .caching = FileCaching::none},
                                   sleep_for);
    if (!model) return fail(model.error());
    const Bytes size = (*model)->config().claimed;
    cards_[start.card] = {.model = std::move(*model), .device = nullptr, .identity = {}};
    return fmt::format("{}", size.count);
}

Result<std::string> ModelHost::done(const StopModel& stop) {
    const auto card = find(stop.card);
    if (!card) return fail(card.error());
    detach(**card);
    cards_.erase(stop.card);
    return std::string();
}

Result<std::string> ModelHost::done(const AttachModel& attach) {
    const auto card = find(attach.card);
    if (!card) return fail(card.error());
    if ((*card)->device) return fail(Errc::bad_request, fmt::format("the card {} is already attached", attach.card));
    const fs::path identity = folders_.identities / fmt::format("ublkb{}", attach.number);
    if (auto written = replace_own_file(identity.string(), attach.identity); !written) return fail(written.error());
    auto device = UblkDevice::add(attach.number, *(*card)->model, [this, name = attach.card](const Error& reason) {
        send_(model_message_line(StorageFailure{name, reason.detail}));
    });
    if (!device) return fail(device.error());
    (*card)->device = std::move(*device);
    (*card)->identity = identity;
    return std::string();
}

Result<std::string> ModelHost::done(const DetachModel& request) {
    const auto card = find(request.card);
    if (!card) return fail(card.error());
    if (!(*card)->device) return fail(Errc::bad_request, fmt::format("the card {} is not attached", request.card));
    detach(**card);
    return std::string();
}

Result<std::string> ModelHost::done(const OrderModel& order) {
    const auto card = find(order.card);
    if (!card) return fail(card.error());
    return (*card)->model->execute(order.command);
}

void ModelHost::detach(Card& card) {
    if (!card.device) return;
    card.device.reset();
    std::error_code ignored;
    fs::remove(card.identity, ignored);
}

} // namespace mediarig::lab
