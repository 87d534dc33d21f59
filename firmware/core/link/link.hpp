// SPDX-License-Identifier: GPL-3.0-or-later
/// Board side of the link: sessions, repeated requests, jobs, events, lease. Independent of mechanics. Requests that
/// change the rig's state go to the machine; a repeated request reaches it only once.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "common/rigproto/codec.hpp"
#include "common/rigproto/wire.hpp"
#include "firmware/core/link/board_info.hpp"
#include "firmware/core/link/command.hpp"
#include "firmware/core/link/events.hpp"
#include "firmware/core/link/lease.hpp"
#include "firmware/core/link/outbox.hpp"
#include "firmware/core/link/session.hpp"

namespace mediarig::firmware {

/// Interface of the rig for the link. All in main context.
template <class M>
concept RigMachine = requires(M machine, const M& seen, const RigCommand& command, const rigproto::Config& config,
                              std::uint64_t now_us, std::uint8_t port) {
    /// Starts the job, or returns the reason for a refusal. Reports nothing about the job before it returns, not even
    /// its end: the link first records it as accepted. A job that is done at once is reported in the next tick.
    { machine.begin(command, now_us) } -> std::same_as<rigproto::Rejection>;
    /// Adopts the configuration, or refuses it (busy, out_of_range, interlock) and keeps the old one.
    { machine.configure(config, now_us) } -> std::same_as<rigproto::Rejection>;
    /// STOP: makes all motion and vacuum safe and latches; ports do not change. May be called repeatedly.
    {machine.stop(now_us)};
    /// The host was silent for one lease: continue to the next hold point, ramp down, start nothing new. May be called
    /// again after each greeting.
    {machine.lease_lost(now_us)};
    /// The host was silent for 30 s: parks, and switches off all ports except guarded ones.
    {machine.lease_parked(now_us)};
    /// Cancels the pending effects of a host's silence, because a host has returned.
    {machine.host_returned()};
    /// Returns the status. The link adds last_job, unacked, time_us and flag_configured.
    { seen.status() } -> std::same_as<rigproto::StatusReply>;
    /// Requires port < port_count.
    { seen.port(port) } -> std::same_as<rigproto::PortStatusReply>;
    { seen.nest() } -> std::same_as<rigproto::NestReply>;
    { seen.nest_registers() } -> std::convertible_to<rigproto::NestRegistersReply>;
};

template <RigMachine Machine>
class Link {
public:
    /// `retained` must have been opened; `events` and `machine` must use it. Records the reset, and the failure of a
    /// job that it interrupted: the job is never resumed.
    Link(const Retained& retained, Events& events, Machine& machine, const BoardInfo& board)
        : events_(&events), machine_(&machine), board_(board), boot_id_(retained.start.get().boot_id) {
        events.ring().push(rigproto::EventKind::reset, 0, rigproto::ResetEvent{board.reset, boot_id_}, Reserve::yes);
        while (const std::uint32_t job = events.jobs().running())
            events.job_failed(job, events.jobs().status(job).stage, rigproto::Fault::watchdog, 0, 0);
    }

    /// Receives bytes in pieces of any size. Executes a STOP as soon as its last byte has arrived.
    void receive(HostInterface carrier, std::span<const std::uint8_t> bytes, std::uint64_t now_us) {
        for (const std::uint8_t byte : bytes) {
            rigproto::Decoder& decoder = line(carrier).decoder;
            switch (decoder.feed(byte)) {
                case rigproto::Decoder::Outcome::frame:
                    ++counters_.frames;
                    take(carrier, decoder.frame(), now_us);
                    break;
                case rigproto::Decoder::Outcome::bad_cobs:
                    ++counters_.bad_cobs;
                    break;
                case rigproto::Decoder::Outcome::bad_crc:
                    ++counters_.bad_crc;
                    break;
                case rigproto::Decoder::Outcome::too_long:
                    ++counters_.too_long;
                    break;
                case rigproto::Decoder::Outcome::unknown:
                    ++counters_.unknown;
                    break;
                case rigproto::Decoder::Outcome::more:
                    break;
            }
        }
    }

    /// Returns the number of bytes to send over this carrier; 0 if there is nothing to send now.
    [[nodiscard]] std::size_t transmit(HostInterface carrier, std::span<std::uint8_t> out, std::uint64_t now_us) {
        return line(carrier).outbox.take(out, [&] { return next_event(carrier, now_us); });
    }

    /// Call every tick, before the machine's tick.
    void tick(std::uint64_t now_us) {
        switch (lease_.advance(now_us)) {
            case Lease::LeaseEnd::lost:
                events_->ring().push(rigproto::EventKind::lease_lost, now_us, Reserve::yes);
                machine_->lease_lost(now_us);
                break;
            case Lease::LeaseEnd::parked:
                machine_->lease_parked(now_us);
                break;
            case Lease::LeaseEnd::none:
                break;
        }
        // Resend events: an event frame may have been damaged in transit, and the host cannot request an event that it
        // does not know of.
        const EventIds ids = events_->ring().ids();
        if (next_id_ != ids.oldest && now_us >= oldest_sent_us_ + resend_after_us) next_id_ = ids.oldest;
    }

    [[nodiscard]] rigproto::StatusReply status(std::uint64_t now_us) const {
        rigproto::StatusReply status = machine_->status();
        status.last_job = events_->jobs().newest();
        status.unacked = events_->ring().waiting();
        status.time_us = now_us;
        if (config_crc_) status.flags |= rigproto::flag_configured;
        return status;
    }
    [[nodiscard]] rigproto::CountersReply counters() const {
        rigproto::CountersReply counters = counters_;
        counters.dropped_events = events_->ring().dropped_events();
        return counters;
    }
    void usb_restarted() { ++counters_.usb_restarts; }
    [[nodiscard]] Lease::Phase lease() const { return lease_.phase(); }

    static constexpr std::uint64_t resend_after_us = 500'000; ///< longer than the usual fsync of a journal

private:
    struct Line {
        rigproto::Decoder decoder;
        Outbox outbox;
    };
    [[nodiscard]] Line& line(HostInterface carrier) { return lines_[static_cast<std::size_t>(carrier)]; }

    void take(HostInterface carrier, const rigproto::Frame& frame, std::uint64_t now_us) {
        switch (frame.kind) {
            case rigproto::Kind::stop:
                stop(carrier, frame, now_us);
                return;
            case rigproto::Kind::request:
                request(carrier, frame, now_us);
                return;
            case rigproto::Kind::event_ack:
                acknowledge(carrier, frame, now_us);
                return;
            default:
                ++counters_.unknown;
        }
    }

    void stop(HostInterface carrier, const rigproto::Frame& frame, std::uint64_t now_us) {
        machine_->stop(now_us);
        ++counters_.stops;
        rigproto::Frame reply = reply_to(frame);
        rigproto::append(reply, rigproto::Reject::none);
        rigproto::append(reply, status(now_us));
        line(carrier).outbox.confirm_stop(reply);
    }

    void acknowledge(HostInterface carrier, const rigproto::Frame& frame, std::uint64_t now_us) {
        const std::uint32_t oldest = events_->ring().ids().oldest;
        const auto ack = rigproto::decode<rigproto::EventAck>(frame.payload());
        if (!session_.is(frame.session, carrier) || !session_.open() || !ack || !events_->ring().acknowledge(ack->id)) {
            ++counters_.stale;
            return;
        }
        const EventIds ids = events_->ring().ids();
        if (next_id_ < ids.oldest) next_id_ = ids.oldest;
        if (oldest != ids.oldest)
            oldest_sent_us_ = now_us; // the host is acknowledging: restart the time for the next event
    }

    void request(HostInterface carrier, const rigproto::Frame& frame, std::uint64_t now_us) {
        rigproto::Frame reply = reply_to(frame);
        const std::uint32_t content = Crc32{}.add(frame.op).add(frame.payload()).value();
        Session* session = session_.is(frame.session, carrier) ? &session_
                           : guest_.is(frame.session, carrier) ? &guest_
                                                               : nullptr;
        if (session == nullptr) {
            if (frame.op == static_cast<std::uint8_t>(rigproto::Op::hello))
                return hello(carrier, frame, content, now_us);
            return set_aside(carrier, reply,
                             session_.nonce() == 0 ? rigproto::Reject::no_session : rigproto::Reject::stale);
        }
        switch (session->judge(frame, content)) {
            case Session::Verdict::stale:
                return set_aside(carrier, reply, rigproto::Reject::stale);
            case Session::Verdict::changed:
                // Send no answer: the host would accept it as the answer to the request with this number.
                ++counters_.stale;
                return;
            case Session::Verdict::repeated:
                ++counters_.repeated;
                line(carrier).outbox.answer(session->stored());
                return;
            case Session::Verdict::next:
                break;
        }
        if (!session->open())
            refuse(reply, {rigproto::Reject::no_session}); // the session has ended
        else
            answer(session->rights(), frame, content, reply, now_us);
        session->store(frame.seq, content, reply);
        line(carrier).outbox.answer(reply);
    }

    /// Reports why a frame is ignored. An answer outside a session is sent once and not stored.
    void set_aside(HostInterface carrier, rigproto::Frame& reply, rigproto::Reject why) {
        if (why == rigproto::Reject::stale) ++counters_.stale;
        refuse(reply, {why});
        line(carrier).outbox.mention(reply);
    }

    void hello(HostInterface carrier, const rigproto::Frame& frame, std::uint32_t content, std::uint64_t now_us) {
        using rigproto::Reject;
        rigproto::Frame reply = reply_to(frame);
        if (session_.used(frame.session) || guest_.used(frame.session)) return set_aside(carrier, reply, Reject::stale);
        const auto payload = frame.payload();
        // For another major version only the first byte of HELLO, the major, is known.
        const bool foreign = !payload.empty() && payload[0] != rigproto::protocol_major;
        const auto asked = rigproto::decode<rigproto::HelloRequest>(payload);
        if (!foreign && !asked) return set_aside(carrier, reply, Reject::bad_payload);
        const bool looks = foreign || asked->look != 0;
        const bool continues = !looks && session_.owner_knows(asked->previous);
        if (!looks && !continues && session_.open() && lease_.running())
            return set_aside(carrier, reply, Reject::session_held);
        Session& session = looks ? guest_ : session_;
        session.adopt(carrier, frame.session,
                      foreign ? Session::Rights::foreign
                      : looks ? Session::Rights::looks
                              : Session::Rights::full,
                      continues);
        if (!looks) {
            lease_.hello(now_us);
            machine_->host_returned();
            next_id_ = events_->ring().ids().oldest;
            line(carrier).outbox.restart_session();
        }
        write_hello(reply, now_us);
        session.store(frame.seq, content, reply);
        line(carrier).outbox.answer(reply);
    }

    void write_hello(rigproto::Frame& reply, std::uint64_t now_us) const {
        const EventIds ids = events_->ring().ids();
        // Id 1 is the reset itself: a host that has stored it, or has started a job since, knows of the cold start.
        const bool cold = ids.oldest == 1 && events_->jobs().newest() == 0;
        rigproto::append(reply, rigproto::Reject::none);
        rigproto::append(reply, rigproto::HelloReply{.major = rigproto::protocol_major,
                                                     .minor = rigproto::protocol_minor,
                                                     .firmware_major = board_.major,
                                                     .firmware_minor = board_.minor,
                                                     .firmware_patch = board_.patch,
                                                     .build = board_.build,
                                                     .profile = board_.profile,
                                                     .unique_id = board_.unique_id,
                                                     .pin_map_hash = board_.pin_map_hash,
                                                     .config_crc = config_crc_.value_or(0),
                                                     .boot_id = boot_id_,
                                                     .cold_start = static_cast<std::uint8_t>(cold ? 1 : 0),
                                                     .reset = board_.reset,
                                                     .oldest_event = ids.oldest,
                                                     .status = status(now_us)});
    }

    [[nodiscard]] static bool may(Session::Rights rights, rigproto::Op op) {
        using rigproto::Op;
        if (rights == Session::Rights::foreign) return op == Op::status || op == Op::clock;
        const bool takes = rigproto::changes_state(op) || op == Op::heartbeat || op == Op::config || op == Op::bye;
        return rights == Session::Rights::full || !takes;
    }

    void answer(Session::Rights rights, const rigproto::Frame& frame, std::uint32_t content, rigproto::Frame& reply,
                std::uint64_t now_us) {
        using rigproto::Op;
        using rigproto::Reject;
        const auto op = static_cast<Op>(frame.op);
        if (!may(rights, op)) return refuse(reply, {Reject::read_only});
        switch (op) {
            case Op::heartbeat:
                return heartbeat(frame, reply, now_us);
            case Op::config:
                return configure(frame, reply, now_us);
            case Op::status:
                return give(reply, status(now_us));
            case Op::clock:
                return give(reply, rigproto::ClockReply{now_us});
            case Op::counters:
                return give(reply, counters());
            case Op::job_status:
                if (const auto asked = rigproto::decode<rigproto::JobStatusRequest>(frame.payload()))
                    return give(reply, events_->jobs().status(asked->job));
                return refuse(reply, {Reject::bad_payload});
            case Op::port_status: {
                const auto asked = rigproto::decode<rigproto::PortRequest>(frame.payload());
                if (!asked) return refuse(reply, {Reject::bad_payload});
                if (asked->port >= rigproto::port_count) return refuse(reply, {Reject::out_of_range});
                return give(reply, machine_->port(asked->port));
            }
            case Op::nest:
                return give(reply, machine_->nest());
            case Op::nest_registers:
                return give(reply, machine_->nest_registers());
            case Op::home:
            case Op::load:
            case Op::unload:
            case Op::power:
            case Op::clear:
            case Op::jog:
            case Op::park:
            case Op::guard:
            case Op::bootloader:
            case Op::nest_read:
            case Op::identify:
            case Op::empty:
                if (const auto command = decode_command(op, frame.payload())) {
                    const rigproto::Rejection rejection = begin(*command, content, now_us);
                    return rejection.reject == Reject::none ? rigproto::append(reply, Reject::none)
                                                            : refuse(reply, rejection);
                }
                return refuse(reply, {Reject::bad_payload});
            case Op::bye:
                session_.close();
                return rigproto::append(reply, Reject::none);
            case Op::hello: // classified as a greeting or as stale before
                break;
        }
        refuse(reply, {Reject::unknown_op});
    }

    void heartbeat(const rigproto::Frame& frame, rigproto::Frame& reply, std::uint64_t now_us) {
        const auto asked = rigproto::decode<rigproto::HeartbeatRequest>(frame.payload());
        if (!asked) return refuse(reply, {rigproto::Reject::bad_payload});
        if (asked->lease_ms < lease_min_ms || asked->lease_ms > lease_max_ms)
            return refuse(reply, {rigproto::Reject::out_of_range});
        if (!lease_.heartbeat(now_us, asked->lease_ms)) return refuse(reply, {rigproto::Reject::lease_lost});
        give(reply, status(now_us));
    }

    void configure(const rigproto::Frame& frame, rigproto::Frame& reply, std::uint64_t now_us) {
        const auto config = rigproto::decode<rigproto::Config>(frame.payload());
        if (!config) return refuse(reply, {rigproto::Reject::bad_payload});
        if (lease_.phase() == Lease::Phase::lost || lease_.phase() == Lease::Phase::parked)
            return refuse(reply, {rigproto::Reject::lease_lost});
        const std::uint32_t crc = crc32(frame.payload());
        if (config_crc_ != crc) {
            const rigproto::Rejection rejection = machine_->configure(*config, now_us);
            if (rejection.reject != rigproto::Reject::none) return refuse(reply, rejection);
            config_crc_ = crc;
        }
        lease_.configured();
        give(reply, rigproto::ConfigReply{crc});
    }

    /// Gives a repeated request for an accepted job the same answer as before, whatever has changed since.
    [[nodiscard]] rigproto::Rejection begin(const RigCommand& command, std::uint32_t content, std::uint64_t now_us) {
        using rigproto::Reject;
        const std::uint32_t job = job_of(command);
        switch (events_->jobs().claim(job, content)) {
            case JobLog::Claim::same:
                return {};
            case JobLog::Claim::reused:
                return {Reject::job_reused};
            case JobLog::Claim::too_old:
                return {Reject::job_too_old};
            case JobLog::Claim::fresh:
                break;
        }
        if (lease_.phase() != Lease::Phase::held) return {Reject::lease_lost};
        if (!config_crc_ && !std::holds_alternative<rigproto::BootloaderRequest>(command))
            return {Reject::unconfigured};
        if (events_->ring().busy()) return {Reject::events_full};
        const rigproto::Rejection rejection = machine_->begin(command, now_us);
        if (rejection.reject != Reject::none) return rejection;
        events_->jobs().accept(job, content);
        events_->ring().push(rigproto::EventKind::job_accepted, now_us, rigproto::JobEvent{.job = job}, Reserve::yes);
        return {};
    }

    [[nodiscard]] std::optional<rigproto::Frame> next_event(HostInterface carrier, std::uint64_t now_us) {
        if (!session_.speaks(carrier)) return std::nullopt;
        const EventIds ids = events_->ring().ids();
        if (next_id_ < ids.next) {
            const KeptEvent& event = events_->ring().at(next_id_++);
            if (event.id == ids.oldest) oldest_sent_us_ = now_us;
            rigproto::Frame frame = event_frame(event.kind, {event.id, event.time_us});
            for (std::size_t i = 0; i < event.size; ++i) frame.bytes[frame.size++] = event.bytes[i];
            return frame;
        }
        const auto progress = events_->take_progress();
        if (!progress) return std::nullopt;
        rigproto::Frame frame = event_frame(rigproto::EventKind::job_progress, {0, progress->time_us});
        rigproto::append(frame, progress->event);
        return frame;
    }

    [[nodiscard]] rigproto::Frame event_frame(rigproto::EventKind kind, const rigproto::EventHead& head) const {
        rigproto::Frame frame{
            .kind = rigproto::Kind::event, .session = session_.nonce(), .op = static_cast<std::uint8_t>(kind)};
        rigproto::append(frame, head);
        return frame;
    }
    [[nodiscard]] static rigproto::Frame reply_to(const rigproto::Frame& frame) {
        return {.kind = rigproto::Kind::response, .session = frame.session, .seq = frame.seq, .op = frame.op};
    }
    void refuse(rigproto::Frame& reply, rigproto::Rejection rejection) {
        ++counters_.rejected;
        rigproto::append(reply, rejection.reject);
        if (rejection.reject == rigproto::Reject::interlock)
            reply.bytes[reply.size++] = static_cast<std::uint8_t>(rejection.interlock);
    }
    template <class Message>
    static void give(rigproto::Frame& reply, const Message& message) {
        rigproto::append(reply, rigproto::Reject::none);
        rigproto::append(reply, message);
    }

    Events* events_;
    Machine* machine_;
    BoardInfo board_;
    std::uint32_t boot_id_;
    std::array<Line, carrier_count> lines_{};
    Session session_; ///< session of the host that drives the rig
    Session guest_;   ///< session of a read-only host
    Lease lease_;
    std::optional<std::uint32_t> config_crc_;
    rigproto::CountersReply counters_{};
    std::uint32_t next_id_{1};       ///< the next event to send
    std::uint64_t oldest_sent_us_{}; ///< time since which the oldest event could have been acknowledged
};

} // namespace mediarig::firmware
