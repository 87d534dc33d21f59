// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/app/lab/lab_bridge.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <nlohmann/json.hpp>
#include <utility>

#include "host/base/async/as_values.hpp"
#include "host/base/async/spawn_guarded.hpp"
#include "host/base/json/json_text.hpp"

namespace mediarig::app {
namespace {

namespace asio = boost::asio;
using nlohmann::json;
using namespace std::chrono_literals;

constexpr auto poll_interval = 20ms;

} // namespace

LabBridge::LabBridge(lab::VirtualMachine& machine, lab::CardPrograms programs,
                     std::map<rig::Pocket, lab::CardMedium> cards, std::map<rig::PortIndex, rig::Pocket> in_readers,
                     std::filesystem::path events, std::filesystem::path sockets)
    : machine_(machine),
      programs_(std::move(programs)),
      cards_(std::move(cards)),
      in_readers_(std::move(in_readers)),
      events_(std::move(events)),
      sockets_(std::move(sockets)) {}

LabBridge::~LabBridge() = default;

void LabBridge::start(const asio::any_io_executor& executor) {
    following_ = true;
    spawn_guarded(executor, follow(), [this](std::optional<std::string> broken) {
        if (broken && !failure_) failure_ = Error{Errc::rig_fault, std::move(*broken)};
        following_ = false;
    });
}

std::optional<Error> LabBridge::lab_fault() const {
    if (!failure_) return std::nullopt;
    return Error{Errc::rig_fault, "the lab could not follow the simulated rig, so faults of its media do not count: " +
                                      failure_->detail};
}

asio::awaitable<void> LabBridge::follow() {
    asio::steady_timer timer(co_await asio::this_coro::executor);
    std::ifstream in(events_);
    std::string line;
    while (!over_) {
        if (!in.is_open()) in.open(events_);
        std::string more;
        if (std::getline(in, more)) {
            line += more;
            // A line without its end is still being written.
            if (in.eof()) {
                in.clear();
            } else {
                if (auto followed = co_await on_rig_event(line); !followed && !failure_) failure_ = followed.error();
                line.clear();
                continue;
            }
        }
        in.clear();
        timer.expires_after(poll_interval);
        co_await timer.async_wait(as_values);
    }
}

asio::awaitable<void> LabBridge::stop() {
    over_ = true;
    asio::steady_timer timer(co_await asio::this_coro::executor);
    while (following_) {
        timer.expires_after(poll_interval);
        co_await timer.async_wait(as_values);
    }
    for (auto& [port, server] : plugged_) (void)co_await server->stop();
    plugged_.clear();
}

asio::awaitable<Result<void>> LabBridge::on_rig_event(const std::string& line) {
    const json event = codec::read_json(line);
    if (!event.is_object() || !event.value("port", json()).is_number_unsigned()) co_return Result<void>{};
    const std::string what = event.value("what", "");
    const rig::PortIndex port{event.at("port").get<std::uint8_t>()};
    if (what == "card_inserted") {
        in_readers_[port] = rig::Pocket{event.value("card", std::uint8_t{255})};
    } else if (what == "card_removed") {
        in_readers_.erase(port);
        co_return co_await unplug(port);
    } else if (what == "voltage_up") {
        co_return co_await plug(port);
    } else if (what == "voltage_down") {
        co_return co_await unplug(port);
    }
    co_return Result<void>{};
}

asio::awaitable<Result<void>> LabBridge::plug(rig::PortIndex port) {
    const auto in_reader = in_readers_.find(port);
    if (in_reader == in_readers_.end() || plugged_.contains(port)) co_return Result<void>{};
    const auto card = cards_.find(in_reader->second);
    if (card == cards_.end()) co_return Result<void>{};
    auto server = co_await lab::CardServer::start(programs_, card->second, sockets_);
    if (!server) co_return fail(std::move(server.error()));
    lab::LabMedium medium{.source = lab::MediumSource::nbd((*server)->nbd_socket()), .serial = card->second.name};
    auto plugged = co_await machine_.plug(lab_slot_of(port), std::move(medium));
    if (!plugged) {
        (void)co_await (*server)->stop();
        co_return fail(std::move(plugged.error()));
    }
    plugged_[port] = std::move(*server);
    co_return Result<void>{};
}

asio::awaitable<Result<void>> LabBridge::unplug(rig::PortIndex port) {
    const auto plugged = plugged_.find(port);
    if (plugged == plugged_.end()) co_return Result<void>{};
    const std::unique_ptr<lab::CardServer> server = std::move(plugged->second);
    plugged_.erase(plugged);
    auto gone = co_await machine_.unplug(lab_slot_of(port));
    auto stopped = co_await server->stop();
    if (!gone) co_return gone;
    co_return stopped;
}

} // namespace mediarig::app
