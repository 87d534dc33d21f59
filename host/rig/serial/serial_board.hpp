// SPDX-License-Identifier: GPL-3.0-or-later
/// A rig's board over a serial line or a pty: greets and configures it, sends heartbeats, and reconnects when its line
/// is lost.
///
/// Every job is written into the ledger before it is sent, and settled afterwards; its number makes a repetition
/// harmless. A board that was started cold has lost its history: its open jobs become `unknown` and are never requested
/// again. Single-threaded: all calls on the executor's one thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>
#include <string>

#include "host/base/result.hpp"
#include "host/rig/port/async_rig_log.hpp"
#include "host/rig/port/board.hpp"
#include "host/rig/serial/board_settings.hpp"

namespace mediarig::rig {

class BoardSession;

class SerialBoard final : public Board {
public:
    /// Finds and greets the board and settles open jobs of the ledger `log` (waits for a job that still runs). Fails
    /// with rig_fault (no board, several, busy, another protocol, other major version or profile, the configuration is
    /// refused), no_permission, io_failed, store_failed; each detail gives the remedy.
    [[nodiscard]] static Answer<std::unique_ptr<SerialBoard>> open(boost::asio::any_io_executor executor,
                                                                   BoardSettings settings,
                                                                   std::shared_ptr<AsyncRigLog> log);
    /// Only greets the board, with any major version. Then status(), port(), counters() and stop() work. Sends no
    /// configuration and no heartbeat, and keeps no ledger; jobs fail with refused. Fails like open().
    [[nodiscard]] static Answer<std::unique_ptr<SerialBoard>> open_read_only(boost::asio::any_io_executor executor,
                                                                             BoardSettings settings);
    SerialBoard(const SerialBoard&) = delete;
    SerialBoard& operator=(const SerialBoard&) = delete;
    ~SerialBoard() override;

    [[nodiscard]] const rigproto::HelloReply& hello() const override;
    [[nodiscard]] Answer<rigproto::StatusReply> status() override;
    [[nodiscard]] Answer<rigproto::PortStatusReply> port(PortIndex port) override;
    [[nodiscard]] Answer<rigproto::CountersReply> counters();

    /// Reads the card on the identity nest without a motion.
    [[nodiscard]] Answer<RigJobOutcome> read_nest();
    /// Declares these readers empty, as observed by a user.
    [[nodiscard]] Answer<RigJobOutcome> declare_empty(PortSet readers);
    /// Moves one axis to a position in steps from home.
    [[nodiscard]] Answer<RigJobOutcome> jog(rigproto::Axis axis, std::int32_t position);
    /// The job is done when the board enters the boot loader of its chip. The board is then no rig until it is started
    /// again.
    [[nodiscard]] Answer<RigJobOutcome> enter_bootloader();
    [[nodiscard]] Answer<RigJobOutcome> identify(Pocket pocket) override;
    [[nodiscard]] Answer<NestReading> nest() override;

    [[nodiscard]] Answer<RigJobOutcome> home() override;
    [[nodiscard]] Answer<RigJobOutcome> load(Pocket from, PortIndex into) override;
    [[nodiscard]] Answer<RigJobOutcome> unload(PortIndex from, Destination to) override;
    [[nodiscard]] Answer<RigJobOutcome> power_on(PortIndex port) override;
    [[nodiscard]] Answer<RigJobOutcome> power_off(PortIndex port) override;
    [[nodiscard]] Answer<RigJobOutcome> clear() override;
    [[nodiscard]] Answer<RigJobOutcome> park() override;
    [[nodiscard]] Answer<RigJobOutcome> guard(PortSet ports) override;
    /// Fails with timed_out if the board does not confirm within five seconds.
    [[nodiscard]] Answer<void> stop() override;
    void because(const std::string& why) override;
    [[nodiscard]] std::string description() const override;

    /// Calls the listener once per event, after it is stored (progress, id 0, is not stored). On the executor's thread.
    void on_event(std::function<void(const LoggedEvent&)> listener);
    /// Number of reconnections after a lost line.
    [[nodiscard]] unsigned reconnects() const;
    /// Path of the current serial line.
    [[nodiscard]] std::string path() const;
    /// True if firmware and mediarig have different major versions: then only queries are possible.
    [[nodiscard]] bool read_only() const;
    /// Ends the link without a message, as if this program was killed. Pending calls fail with cancelled.
    void close();

private:
    explicit SerialBoard(std::shared_ptr<BoardSession> session);
    std::shared_ptr<BoardSession> session_; ///< shared with the coroutines that send heartbeats
};

} // namespace mediarig::rig
