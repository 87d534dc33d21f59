// SPDX-License-Identifier: GPL-3.0-or-later
/// The requests of one cell of a mix, one at a time. Inner part.
#pragma once

#include "common/split_mix.hpp"
#include "host/workload/io_errors.hpp"
#include "host/workload/job.hpp"
#include "host/workload/mix_files.hpp"
#include "host/workload/payload.hpp"
#include "host/workload/recorder.hpp"

namespace mediarig::workload {

class MixLoop {
public:
    struct Parts {
        MixFiles& files;
        const PayloadSource& payload;
        Recorder& reads; ///< both run all the time: a request that is no read is idle time to the reads
        Recorder& writes;
        IoErrors& errors;
        JobControl& control;
    };
    /// `buffer` has room for a block. `seed`: of the random places.
    MixLoop(const JobSpec& job, const MixCell& cell, Parts parts, std::span<std::byte> buffer, std::uint64_t seed);

    /// Fails as the permit does. Ends with the recorders paused.
    [[nodiscard]] Result<CellEnd> run();
    [[nodiscard]] std::uint64_t syncs() const { return syncs_; }

private:
    struct Where {
        std::uint32_t file{};
        std::uint64_t offset{};
    };
    [[nodiscard]] bool writes_next() const;
    [[nodiscard]] Where next_place();
    [[nodiscard]] Result<bool> request();
    [[nodiscard]] bool sync_next_file();
    [[nodiscard]] bool flush(const MediumFile& file, std::uint64_t length);

    const JobSpec& job_;
    const MixJob& mix_;
    const MixCell& cell_;
    Parts parts_;
    const TickClock& clock_;
    std::span<std::byte> buffer_;
    SplitMix random_;
    std::uint64_t reads_{}, writes_{};
    Where next_{};
    bool dirty_{};
    std::size_t next_synced_{};
    std::uint64_t syncs_{};
};

} // namespace mediarig::workload
