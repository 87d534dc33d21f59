// SPDX-License-Identifier: GPL-3.0-or-later
/// Stores the last accepted jobs and their results. They make repeated requests harmless after reconnects and resets. A
/// refused job is not stored: it never began, and may be requested again under its id.
#pragma once

#include <algorithm>
#include <cstdint>

#include "firmware/core/link/retained.hpp"

namespace mediarig::firmware {

class JobLog {
public:
    explicit JobLog(Retained& retained) : retained_(&retained) {}

    enum class Claim : std::uint8_t {
        fresh,  ///< newer than all: may begin
        same,   ///< accepted before with this content
        reused, ///< accepted before with another content
        too_old ///< not newer than the newest, and not stored
    };
    [[nodiscard]] Claim claim(std::uint32_t job, std::uint32_t content) const {
        if (const KeptJob* kept = find(job)) return kept->content == content ? Claim::same : Claim::reused;
        return job > newest() ? Claim::fresh : Claim::too_old;
    }

    /// Call only after Claim::fresh.
    void accept(std::uint32_t job, std::uint32_t content) {
        auto jobs = retained_->jobs.get();
        std::shift_right(jobs.begin(), jobs.end(), 1);
        jobs[0] = {job, content, rigproto::JobState::running, rigproto::JobStage::idle, rigproto::Fault::none, 0};
        retained_->jobs.set(jobs);
    }

    /// Updates the state of a job; ignores a job that is not stored or has ended.
    void note(const rigproto::JobStatusReply& status) {
        auto jobs = retained_->jobs.get();
        for (KeptJob& kept : jobs) {
            if (kept.job != status.job || kept.job == 0 || kept.state != rigproto::JobState::running) continue;
            kept.state = status.state;
            kept.stage = status.stage;
            kept.fault = status.fault;
            kept.detail = status.detail;
            retained_->jobs.set(jobs);
            return;
        }
    }

    /// Returns JobState::unknown if the job is not stored.
    [[nodiscard]] rigproto::JobStatusReply status(std::uint32_t job) const {
        const KeptJob* kept = find(job);
        if (kept == nullptr) return {.job = job};
        return {job, kept->state, kept->stage, kept->fault, kept->detail};
    }

    /// Id of the newest accepted job; 0 if no job was accepted since the cold start.
    [[nodiscard]] std::uint32_t newest() const { return retained_->jobs.get()[0].job; }

    /// Returns the job that has not ended, or 0.
    [[nodiscard]] std::uint32_t running() const {
        for (const KeptJob& kept : retained_->jobs.get())
            if (kept.job != 0 && kept.state == rigproto::JobState::running) return kept.job;
        return 0;
    }

private:
    [[nodiscard]] const KeptJob* find(std::uint32_t job) const {
        for (const KeptJob& kept : retained_->jobs.get())
            if (kept.job == job && job != 0) return &kept;
        return nullptr;
    }

    Retained* retained_;
};

} // namespace mediarig::firmware
