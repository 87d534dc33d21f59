// SPDX-License-Identifier: GPL-3.0-or-later
/// A claimed device without any cache of this host, for the probe and the restore.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <unordered_map>

#include "host/workload/io/io_errors.hpp"
#include "host/workload/io/system.hpp"
#include "host/workload/jobs/probe_sampler.hpp"

namespace mediarig::workload {

class DirectDevice final : public ProbedMedium {
public:
    /// `device` must outlive the result. Fails with bad_request if the device refuses direct access.
    [[nodiscard]] static Result<std::unique_ptr<DirectDevice>> open(const System& system, const JobTarget& target,
                                                                    const BackingDevice& device, OnIoError policy);
    DirectDevice(const DirectDevice&) = delete;
    DirectDevice& operator=(const DirectDevice&) = delete;

    Bytes size() const override { return size_; }
    Bytes sector() const override { return sector_; }
    int write(std::span<const std::byte> bytes, std::uint64_t offset) override;
    int read(std::span<std::byte> bytes, std::uint64_t offset) override;
    int flush() override;
    bool gone(int error) override { return loss_.lost(error); }
    bool fails_too_slowly() const override {
        return policy_ == OnIoError::bounded && failing_ >= clock_.from_ns(longest_failing);
    }
    std::optional<Error> host_fault() const override { return host_fault_; }
    /// The longest read at this offset so far; 0 without one.
    [[nodiscard]] std::chrono::nanoseconds longest_read_at(std::uint64_t offset) const;
    /// Returns true if no cache of this host below the device can have served the reads.
    [[nodiscard]] bool below_dropped() const { return below_dropped_; }

private:
    DirectDevice(std::unique_ptr<MediumFile> file, Bytes size, Bytes sector, const BackingDevice& device,
                 const TickClock& clock, OnIoError policy);

    std::unique_ptr<MediumFile> file_;
    Bytes size_, sector_;
    const BackingDevice& device_;
    const TickClock& clock_;
    OnIoError policy_;
    LossTest loss_;
    Ticks failing_{};                                        ///< time of all failed transfers
    std::unordered_map<std::uint64_t, Ticks> longest_reads_; ///< by offset
    std::optional<Error> host_fault_;
    bool written_{true};
    bool below_dropped_{true};
};

} // namespace mediarig::workload
