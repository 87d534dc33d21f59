// SPDX-License-Identifier: GPL-3.0-or-later
/// A rig's board over a serial line or a pty: greeted, configured, kept awake, found again when its line is lost.
///
/// Every job is written into the ledger before the board hears of it, and settled after; a job's number makes repeating
/// it harmless. A board that started cold meanwhile has forgotten what it did: its open jobs become `unknown`, and are
/// never asked for again. Single-threaded: all calls on the executor's one thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "host/base/result.hpp"
#include "host/rig/port/async_rig_log.hpp"
#include "host/rig/port/board.hpp"

namespace mediarig::rig {

struct BoardSettings {
    std::string path;   ///< of the line; empty: found by its USB identity
    std::string serial; ///< where `path` is empty and several boards are plugged in
    rigproto::Config config;
    std::chrono::milliseconds lease{3000};              ///< 1000..5000
    std::chrono::milliseconds come_back_within{10'000}; ///< how long a lost board is looked for
    std::chrono::milliseconds job_within{180'000};      ///< a job that takes longer hangs
};

class SerialBoard final : public Board {
public:
    /// Finds and greets the board, settles what the ledger `log` holds open (waiting for a job that still runs). Fails
    /// with rig_fault (no board, several, busy, not our protocol, other major or profile, the configuration is
    /// refused), no_permission, io_failed, store_failed; each says what to do.
    [[nodiscard]] static Answer<std::unique_ptr<SerialBoard>> open(boost::asio::any_io_executor executor,
                                                                   BoardSettings settings,
                                                                   std::shared_ptr<AsyncRigLog> log);
    /// Only greets it, whatever major version it speaks: for status(), port(), counters() and stop(). No configuration,
    /// no ledger, no heartbeat; jobs fail with refused. Errors as of open().
    [[nodiscard]] static Answer<std::unique_ptr<SerialBoard>> look_at(boost::asio::any_io_executor executor,
                                                                      BoardSettings settings);
    SerialBoard(const SerialBoard&) = delete;
    SerialBoard& operator=(const SerialBoard&) = delete;
    ~SerialBoard() override;

    [[nodiscard]] const rigproto::HelloReply& hello() const override;
    [[nodiscard]] Answer<rigproto::StatusReply> status() override;
    [[nodiscard]] Answer<rigproto::PortStatusReply> port(Port port) override;
    [[nodiscard]] Answer<rigproto::CountersReply> counters();

    /// Reads the card that lies on the identity nest; nothing moves.
    [[nodiscard]] Answer<JobOutcome> read_nest();
    /// Somebody has looked: no card is in these readers.
    [[nodiscard]] Answer<JobOutcome> say_empty(PortSet readers);
    /// One axis to a position in steps from home.
    [[nodiscard]] Answer<JobOutcome> jog(rigproto::Axis axis, std::int32_t position);
    /// Done when the board leaves for the boot loader of its chip: then it is no rig any more until it is started
    /// again.
    [[nodiscard]] Answer<JobOutcome> enter_bootloader();
    [[nodiscard]] Answer<JobOutcome> identify(Pocket pocket) override;
    [[nodiscard]] Answer<NestReading> nest() override;

    [[nodiscard]] Answer<JobOutcome> home() override;
    [[nodiscard]] Answer<JobOutcome> load(Pocket from, Port into) override;
    [[nodiscard]] Answer<JobOutcome> unload(Port from, Destination to) override;
    [[nodiscard]] Answer<JobOutcome> power_on(Port port) override;
    [[nodiscard]] Answer<JobOutcome> power_off(Port port) override;
    [[nodiscard]] Answer<JobOutcome> clear() override;
    [[nodiscard]] Answer<JobOutcome> park() override;
    [[nodiscard]] Answer<JobOutcome> guard(PortSet ports) override;
    /// Fails with timed_out: five seconds long nobody confirmed it.
    [[nodiscard]] Answer<void> stop() override;
    void because(const std::string& why) override;
    [[nodiscard]] std::string description() const override;

    /// Each event once, after it is kept (progress, id 0, is not kept). Called on the executor's thread.
    void on_event(std::function<void(const LoggedEvent&)> listener);
    /// How often the line was lost and the board found again.
    [[nodiscard]] unsigned reconnects() const;
    /// The line it is on now.
    [[nodiscard]] std::string path() const;
    /// Firmware and mediarig speak different major versions: it can be looked at, no more.
    [[nodiscard]] bool read_only() const;
    /// Ends the link without a word, as when this program is killed. Whatever waits fails with cancelled.
    void close();

private:
    class Session;
    explicit SerialBoard(std::shared_ptr<Session> session);
    std::shared_ptr<Session> session_; ///< shared with the coroutines that keep the board awake
};

} // namespace mediarig::rig
