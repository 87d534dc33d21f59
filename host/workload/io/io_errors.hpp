// SPDX-License-Identifier: GPL-3.0-or-later
/// Records failed transfers by offset, merges them, and decides whether the job continues or stops.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "host/base/result.hpp"
#include "host/measure/finding.hpp"
#include "host/workload/io/failed_transfers.hpp"
#include "host/workload/spec.hpp"

namespace mediarig::workload {

/// Returns the error of the host that `error` (errno) of a failed call reports. Returns nothing if the medium may be
/// the cause.
[[nodiscard]] std::optional<Error> fault_of_host(int error);

/// Detects a medium that was removed, or that no longer answers at any place. Readers and bridges return EIO for a
/// removed card, often for minutes and often with an unchanged size, so an error code alone is no evidence.
class LossTest {
public:
    /// `gone`: cheap, called after each failure. `responds`: reads from the medium; called after the first failures,
    /// and then after each sixteenth, because a medium can also be removed in the middle of a bad region.
    explicit LossTest(std::function<bool()> gone, std::function<bool()> responds = {})
        : gone_(std::move(gone)), responds_(std::move(responds)) {}

    /// Called after each failed transfer; `error`: its errno, 0 for a short transfer.
    [[nodiscard]] bool lost(int error);

private:
    std::function<bool()> gone_, responds_;
    std::uint64_t failures_{};
};

class IoErrors {
public:
    static constexpr std::size_t most_places = 1000;

    /// `host_fault` is called with the length of a failed write; if it returns an error, this host is the cause and no
    /// finding is recorded. `failures` counts the failed transfers and their time in all parts of the job; if it is
    /// null, they are not counted, and only the time of this object counts.
    IoErrors(OnIoError policy, LossTest loss, std::function<std::optional<Error>(Bytes)> host_fault = {},
             FailedTransfers* failures = nullptr)
        : policy_(policy), loss_(std::move(loss)), host_fault_(std::move(host_fault)), failures_(failures) {}

    /// Records that a transfer of `length` bytes at `offset` failed with `error` (errno) after `took`. Returns true
    /// if the job continues with the next transfer.
    [[nodiscard]] bool failed(bool writing, std::uint64_t offset, std::uint64_t length, int error,
                              std::chrono::nanoseconds took = {});
    /// Adds the time of a failed transfer that is repeated in parts. Returns false if the job does not continue.
    [[nodiscard]] bool failed_in_parts(bool writing, std::uint64_t offset, int error, std::chrono::nanoseconds took);
    /// Adds the time of a failed flush, which is reported by flush_failed(). Returns false if the job does not
    /// continue.
    [[nodiscard]] bool failed_flush(std::chrono::nanoseconds took);
    /// Records a transfer that moved fewer bytes than requested. Returns true if the job continues.
    [[nodiscard]] bool record_short_transfer(bool writing, std::uint64_t offset, std::uint64_t asked,
                                             std::uint64_t moved);

    [[nodiscard]] bool any() const { return count_ > 0; }
    [[nodiscard]] std::uint64_t count() const { return count_; }
    [[nodiscard]] bool medium_lost() const { return lost_; }
    [[nodiscard]] bool medium_full() const { return full_; }
    /// Returns true if the failures have taken as long as the policy `bounded` permits.
    [[nodiscard]] bool took_too_long() const;
    /// Returns the host's error that made a transfer fail; nothing if no transfer failed because of the host.
    [[nodiscard]] const std::optional<Error>& host_error() const { return host_error_; }
    /// Returns the errno of the first failure, or 0 without a failure.
    [[nodiscard]] int first_error() const { return first_error_; }

    /// Returns all findings since the last call, ordered by offset, with neighbours merged. Places beyond most_places
    /// are counted in a last finding without an offset.
    [[nodiscard]] measure::Findings take_findings();

private:
    void keep(measure::Finding finding);
    void add_time(std::chrono::nanoseconds took);

    [[nodiscard]] bool goes_on() const { return policy_ != OnIoError::stop && !took_too_long(); }
    void note_loss(bool writing, std::uint64_t offset, std::uint64_t length, const std::string& reason);

    OnIoError policy_;
    LossTest loss_;
    std::function<std::optional<Error>(Bytes)> host_fault_;
    FailedTransfers* failures_;
    std::chrono::nanoseconds took_{};
    std::optional<Error> host_error_;
    measure::Findings kept_;
    std::uint64_t beyond_{};
    std::uint64_t count_{};
    int first_error_{};
    bool lost_{};
    bool full_{};
};

/// Maps an errno to an error of a test; some systems lack some of the errno names. `what` names the action and its
/// object, e.g. "create a folder in /mnt/card". Covers refusals, missing objects and lack of space.
[[nodiscard]] Error error_from(int error, const std::string& what);

/// Returns true for errors that a device returns only after its removal.
[[nodiscard]] bool says_gone(int error);

} // namespace mediarig::workload
