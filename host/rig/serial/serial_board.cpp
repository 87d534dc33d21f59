// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/rig/serial/serial_board.hpp"

#include <utility>

#include "host/rig/serial/board_session.hpp"

namespace mediarig::rig {
namespace asio = boost::asio;
using rigproto::Op;

SerialBoard::SerialBoard(std::shared_ptr<BoardSession> session) : session_(std::move(session)) {}

SerialBoard::~SerialBoard() {
    close();
}

Board::Answer<std::unique_ptr<SerialBoard>> SerialBoard::open(asio::any_io_executor executor, BoardSettings settings,
                                                              std::shared_ptr<AsyncRigLog> log) {
    std::unique_ptr<SerialBoard> board(
        new SerialBoard(std::make_shared<BoardSession>(std::move(executor), std::move(settings), std::move(log))));
    auto opened = co_await board->session_->open();
    if (!opened) co_return fail(std::move(opened.error()));
    co_return std::move(board);
}

Board::Answer<std::unique_ptr<SerialBoard>> SerialBoard::open_read_only(asio::any_io_executor executor,
                                                                        BoardSettings settings) {
    std::unique_ptr<SerialBoard> board(
        new SerialBoard(std::make_shared<BoardSession>(std::move(executor), std::move(settings), nullptr)));
    auto opened = co_await board->session_->open();
    if (!opened) co_return fail(std::move(opened.error()));
    co_return std::move(board);
}

void SerialBoard::close() {
    session_->end({Errc::cancelled, "the link to the rig was closed"});
}

const rigproto::HelloReply& SerialBoard::hello() const {
    return session_->hello;
}

Board::Answer<rigproto::StatusReply> SerialBoard::status() {
    return session_->look_for<rigproto::StatusReply>(Op::status, {});
}

Board::Answer<rigproto::PortStatusReply> SerialBoard::port(PortIndex port) {
    return session_->look_for<rigproto::PortStatusReply>(Op::port_status, bytes_of(rigproto::PortRequest{port.index}));
}

Board::Answer<rigproto::CountersReply> SerialBoard::counters() {
    return session_->look_for<rigproto::CountersReply>(Op::counters, {});
}

Board::Answer<RigJobOutcome> SerialBoard::read_nest() {
    return session_->act(NestRead{});
}

Board::Answer<RigJobOutcome> SerialBoard::declare_empty(PortSet readers) {
    return session_->act(Empty{readers});
}

Board::Answer<RigJobOutcome> SerialBoard::jog(rigproto::Axis axis, std::int32_t position) {
    return session_->act(Jog{.axis = axis, .position = position});
}

Board::Answer<RigJobOutcome> SerialBoard::enter_bootloader() {
    return session_->act(Bootloader{});
}

Board::Answer<RigJobOutcome> SerialBoard::identify(Pocket pocket) {
    return session_->act(Identify{pocket});
}

Board::Answer<NestReading> SerialBoard::nest() {
    std::vector<std::uint8_t> nothing;
    const auto report = co_await session_->look_for<rigproto::NestReply>(Op::nest, nothing);
    if (!report) co_return fail(report.error());
    const auto registers = co_await session_->look_for<rigproto::NestRegistersReply>(Op::nest_registers, nothing);
    if (!registers) co_return fail(registers.error());
    if (report->job != registers->job)
        co_return fail(Errc::rig_fault, "another program read a card on the nest at the same time: try again");
    co_return NestReading{*report, *registers};
}

Board::Answer<RigJobOutcome> SerialBoard::home() {
    return session_->act(Home{});
}

Board::Answer<RigJobOutcome> SerialBoard::load(Pocket from, PortIndex into) {
    return session_->act(Load{from, into});
}

Board::Answer<RigJobOutcome> SerialBoard::unload(PortIndex from, Destination to) {
    return session_->act(Unload{from, to});
}

Board::Answer<RigJobOutcome> SerialBoard::power_on(PortIndex port) {
    return session_->act(Power{.port = port, .on = true});
}

Board::Answer<RigJobOutcome> SerialBoard::power_off(PortIndex port) {
    return session_->act(Power{.port = port, .on = false});
}

Board::Answer<RigJobOutcome> SerialBoard::clear() {
    return session_->act(Clear{});
}

Board::Answer<RigJobOutcome> SerialBoard::park() {
    return session_->act(Park{});
}

Board::Answer<RigJobOutcome> SerialBoard::guard(PortSet ports) {
    return session_->act(Guard{ports});
}

Board::Answer<void> SerialBoard::stop() {
    return session_->stop();
}

void SerialBoard::because(const std::string& why) {
    session_->why = why;
}

std::string SerialBoard::description() const {
    return session_->description();
}

void SerialBoard::on_event(std::function<void(const LoggedEvent&)> listener) {
    session_->listener = std::move(listener);
}

unsigned SerialBoard::reconnects() const {
    return session_->reconnects;
}

std::string SerialBoard::path() const {
    return session_->path();
}

bool SerialBoard::read_only() const {
    return session_->read_only;
}

} // namespace mediarig::rig
