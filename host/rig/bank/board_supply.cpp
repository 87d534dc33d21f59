// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/rig/bank/board_supply.hpp"

#include "host/rig/bank/slot_power.hpp"
#include "host/rig/port/rig_text.hpp"

namespace mediarig::rig {
namespace {

namespace asio = boost::asio;
using rigproto::Fault;

/// Reports every board error as a fault of the rig, so that no medium is blamed for it.
Error of_the_board(Error error) {
    if (error.code != Errc::store_failed && error.code != Errc::cancelled) error.code = Errc::rig_fault;
    return error;
}

} // namespace

/// Returns the status; first clears a latched fault whose cause is gone, since nothing moves on a rig without a
/// carriage.
asio::awaitable<Result<rigproto::StatusReply>> BoardSupply::status() {
    auto status = co_await board_.status();
    if (!status) co_return fail(of_the_board(status.error()));
    if (status->state != rigproto::State::latched) co_return status;
    auto cleared = co_await board_.clear();
    if (!cleared) co_return fail(of_the_board(cleared.error()));
    if (cleared->fault != Fault::none) co_return fail(Errc::rig_fault, explain(cleared->fault, cleared->detail));
    auto again = co_await board_.status();
    if (!again) co_return fail(of_the_board(again.error()));
    co_return again;
}

asio::awaitable<Result<bool>> BoardSupply::is_on() {
    auto now = co_await status();
    if (!now) co_return fail(std::move(now.error()));
    co_return PortSet{now->powered}.contains(port_);
}

asio::awaitable<Result<bool>> BoardSupply::holds_medium() {
    auto now = co_await status();
    if (!now) co_return fail(std::move(now.error()));
    co_return PortSet{now->cards}.contains(port_);
}

asio::awaitable<Result<Supply::Ramp>> BoardSupply::on() {
    auto on = co_await board_.power_on(port_);
    if (!on) co_return fail(of_the_board(on.error()));
    if (on->fault != Fault::none)
        co_return fail(on->latched ? Errc::rig_fault : Errc::no_medium, explain(on->fault, on->detail));
    auto measured = co_await board_.port(port_);
    if (!measured) co_return fail(of_the_board(measured.error()));
    co_return std::chrono::microseconds(measured->ramp_us);
}

asio::awaitable<Result<Evidence>> BoardSupply::off(const std::string& /*disk*/) {
    guarded_->erase(port_);
    if (auto guarded = co_await guard(); !guarded) co_return fail(std::move(guarded.error()));
    auto off = co_await board_.power_off(port_);
    if (!off) co_return fail(of_the_board(off.error()));
    if (off->fault != Fault::none) co_return fail(Errc::rig_fault, explain(off->fault, off->detail));
    auto measured = co_await board_.port(port_);
    if (!measured) co_return fail(of_the_board(measured.error()));
    co_return Evidence{.vanished = {}, .supply = supply_reading(*measured), .plug_watts = {}};
}

asio::awaitable<Result<void>> BoardSupply::keep_on() {
    guarded_->insert(port_);
    co_return co_await guard();
}

asio::awaitable<Result<void>> BoardSupply::guard() {
    auto guarded = co_await board_.guard(*guarded_);
    if (!guarded) co_return fail(of_the_board(guarded.error()));
    co_return Result<void>{};
}

asio::awaitable<std::optional<Error>> BoardSupply::rig_fault() {
    auto status = co_await board_.status();
    if (!status) co_return of_the_board(status.error());
    if (status->state == rigproto::State::latched)
        co_return Error{Errc::rig_fault, explain(status->fault, status->fault_detail)};
    if (!PortSet{status->powered}.contains(port_)) co_return Error{Errc::rig_fault, lost_voltage(port_)};
    co_return std::nullopt;
}

std::string BoardSupply::description() const {
    return text_of(BoardPower{port_}) + ", " + board_.description();
}

} // namespace mediarig::rig
