// SPDX-License-Identifier: GPL-3.0-or-later
/// A host with a list of jobs over an unreliable line. It follows the protocol and remembers, like a journal, which job
/// it has requested and which event it has stored.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "common/rigproto/simulated_rig.hpp"
#include "common/rigproto/wire.hpp"
#include "host/rig/serial/host_link.hpp"

namespace mediarig::tests {

struct HostCounts {
    std::uint64_t sessions{}, lost{}, reconnects{}, retries{}, refused{}, resets_seen{}, asked_again{};
};

class ChaosHost {
public:
    /// `reconnect_one_in`: mean number of ticks of 500 us between closes of the line without a reason.
    ChaosHost(std::vector<rigproto::LoadRequest> jobs, unsigned reconnect_one_in, std::uint32_t start)
        : jobs_(std::move(jobs)), reconnect_one_in_(reconnect_one_in), random_(start) {}

    [[nodiscard]] bool finished() const { return next_ == jobs_.size(); }
    /// Returns true if the line was closed and opened again.
    [[nodiscard]] bool tick(std::uint64_t now_us) {
        now_us_ = now_us;
        bool reopened = false;
        if (!link_ || over_ || link_->lost() || random_() % reconnect_one_in_ == 0) {
            reopen();
            reopened = true;
        }
        link_->tick(now());
        listen();
        if (!over_ && !link_->pending() && !link_->lost()) speak();
        return reopened;
    }
    void feed(const std::vector<std::uint8_t>& bytes) {
        if (link_) link_->feed(bytes);
    }
    std::vector<std::uint8_t> take_output() { return link_ ? link_->take_output() : std::vector<std::uint8_t>{}; }

    /// Ends of jobs in the order in which the host learned of them.
    std::vector<rigproto::JobStatusReply> outcomes;
    std::vector<std::uint32_t> events; ///< ids of the stored events, in the order of storing
    HostCounts counts;

private:
    using Instant = rig::HostLink::Clock::time_point;
    std::uint16_t known_{}; ///< the last session accepted by the board
    [[nodiscard]] Instant now() const { return Instant(std::chrono::microseconds(now_us_)); }

    void reopen() {
        if (link_) {
            ++(link_->lost() ? counts.lost : counts.reconnects);
            counts.retries += link_->counters().repeated;
        }
        ++counts.sessions;
        std::uint16_t nonce = 0;
        while (nonce == 0 || nonce == nonce_) nonce = static_cast<std::uint16_t>(random_());
        if (greeted_) known_ = nonce_;
        nonce_ = nonce;
        link_.emplace(nonce);
        greeted_ = configured_ = over_ = false;
        asked_ = Asked::hello;
        link_->ask(rigproto::Op::hello, rigproto::HelloRequest{.previous = known_}, now());
    }

    /// Reads the received frames. An event is acknowledged once it is stored.
    void listen() {
        while (const auto event = link_->take_event()) {
            if (event->head.id == 0) continue;
            if (event->head.id > kept_) { // a stored event is only acknowledged again
                kept_ = event->head.id;
                events.push_back(kept_);
                note(*event);
            }
            link_->acknowledge(kept_);
        }
        if (const auto answer = link_->take_answer()) take(*answer);
    }

    void note(const rig::BoardEvent& event) {
        const bool done = event.kind == rigproto::EventKind::job_done;
        if (!done && event.kind != rigproto::EventKind::job_failed) return;
        const auto body = rigproto::decode<rigproto::JobEvent>(
            std::span(event.payload).subspan(rigproto::size_of<rigproto::EventHead>()));
        if (body && !finished() && body->job == jobs_[next_].job)
            settle({body->job, done ? rigproto::JobState::done : rigproto::JobState::failed, body->stage, body->fault,
                    body->detail});
    }

    void settle(const rigproto::JobStatusReply& outcome) {
        outcomes.push_back(outcome);
        ++next_;
        accepted_ = false;
        asked_once_ = false;
    }

    void speak() {
        if (!configured_ && greeted_) {
            asked_ = Asked::config;
            link_->ask(rigproto::Op::config, rigproto::simulated_rig(), now());
        } else if (now_us_ >= heartbeat_us_ + 250'000) {
            heartbeat_us_ = now_us_;
            asked_ = Asked::heartbeat;
            link_->ask(rigproto::Op::heartbeat, rigproto::HeartbeatRequest{}, now());
        } else if (!finished() && !accepted_ && now_us_ >= ask_us_) {
            if (asked_once_) ++counts.asked_again;
            asked_once_ = true;
            asked_ = Asked::job;
            link_->ask(rigproto::Op::load, jobs_[next_], now());
        } else if (!finished() && accepted_ && now_us_ >= ask_us_) {
            // The end of the job should have arrived as an event, which may have gone to an ended session.
            ask_us_ = now_us_ + 50'000;
            asked_ = Asked::outcome;
            link_->ask(rigproto::Op::job_status, rigproto::JobStatusRequest{jobs_[next_].job}, now());
        }
    }

    void take(const rig::Answer& answer) {
        const rigproto::Reject reject = answer.rejection.reject;
        switch (asked_) {
            case Asked::hello:
                greeted_ = reject == rigproto::Reject::none;
                accepted_ = false; // requested again, because a job keeps its identity in every session
                break;
            case Asked::config:
                configured_ = reject == rigproto::Reject::none;
                break;
            case Asked::job:
                accepted_ = reject == rigproto::Reject::none;
                ask_us_ = now_us_ + (accepted_ ? 50'000 : 5'000);
                if (!accepted_) ++counts.refused;
                break;
            case Asked::outcome:
                if (const auto outcome = rigproto::decode<rigproto::JobStatusReply>(answer.payload);
                    outcome && !finished() && outcome->job == jobs_[next_].job &&
                    (outcome->state == rigproto::JobState::done || outcome->state == rigproto::JobState::failed))
                    settle(*outcome);
                break;
            case Asked::heartbeat:
                break;
        }
        if (reject == rigproto::Reject::no_session || reject == rigproto::Reject::lease_lost) {
            if (reject == rigproto::Reject::no_session) ++counts.resets_seen;
            over_ = true;
        }
    }

    enum class Asked : std::uint8_t { hello, config, heartbeat, job, outcome };

    std::vector<rigproto::LoadRequest> jobs_;
    unsigned reconnect_one_in_;
    std::mt19937 random_;
    std::optional<rig::HostLink> link_;
    std::uint64_t now_us_{}, heartbeat_us_{}, ask_us_{};
    std::size_t next_{};
    std::uint32_t kept_{};
    std::uint16_t nonce_{};
    Asked asked_{};
    bool greeted_{}, configured_{}, accepted_{}, asked_once_{};
    bool over_{}; ///< the board does not know this session any more
};

} // namespace mediarig::tests
