// SPDX-License-Identifier: GPL-3.0-or-later
/// Reports of the machine. Each report is recorded (job log, event ring) before the call returns.
#pragma once

#include <cstdint>
#include <optional>

#include "firmware/core/link/event_ring.hpp"
#include "firmware/core/link/job_log.hpp"

namespace mediarig::firmware {

class Events {
public:
    /// Retained must have been opened.
    explicit Events(Retained& retained) : ring_(retained), jobs_(retained) {}

    /// Sent to a connected host; a newer one replaces one that has not been sent yet.
    void job_progress(std::uint32_t job, rigproto::JobStage stage, std::uint64_t now_us) {
        jobs_.note({job, rigproto::JobState::running, stage, rigproto::Fault::none, 0});
        progress_ = Progress{{job, stage, rigproto::Fault::none, 0}, now_us};
    }
    void job_done(std::uint32_t job, std::uint64_t now_us) {
        jobs_.note({job, rigproto::JobState::done, rigproto::JobStage::idle, rigproto::Fault::none, 0});
        ring_.push(rigproto::EventKind::job_done, now_us, rigproto::JobEvent{.job = job}, Reserve::yes);
    }
    /// `stage` is the stage at which it ended; `detail` is the affected port, pocket or axis.
    void job_failed(std::uint32_t job, rigproto::JobStage stage, rigproto::Fault fault, std::uint8_t detail,
                    std::uint64_t now_us) {
        jobs_.note({job, rigproto::JobState::failed, stage, fault, detail});
        ring_.push(rigproto::EventKind::job_failed, now_us, rigproto::JobEvent{job, stage, fault, detail},
                   Reserve::yes);
    }
    void card(const rigproto::CardEvent& event, std::uint64_t now_us) {
        ring_.push(rigproto::EventKind::card, now_us, event, Reserve::no);
    }
    void port(const rigproto::PortEvent& event, std::uint64_t now_us) {
        ring_.push(rigproto::EventKind::port, now_us, event,
                   event.fault == rigproto::Fault::none ? Reserve::no : Reserve::yes);
    }
    void fault(const rigproto::FaultEvent& event, std::uint64_t now_us) {
        ring_.push(rigproto::EventKind::fault, now_us, event, Reserve::yes);
    }
    void cleared(const rigproto::FaultEvent& event, std::uint64_t now_us) {
        ring_.push(rigproto::EventKind::cleared, now_us, event, Reserve::yes);
    }

    // For the link only.
    struct Progress {
        rigproto::JobEvent event;
        std::uint64_t time_us{};
    };
    [[nodiscard]] std::optional<Progress> take_progress() {
        const auto taken = progress_;
        progress_.reset();
        return taken;
    }
    [[nodiscard]] EventRing& ring() { return ring_; }
    [[nodiscard]] const EventRing& ring() const { return ring_; }
    [[nodiscard]] JobLog& jobs() { return jobs_; }
    [[nodiscard]] const JobLog& jobs() const { return jobs_; }

private:
    EventRing ring_;
    JobLog jobs_;
    std::optional<Progress> progress_;
};

} // namespace mediarig::firmware
