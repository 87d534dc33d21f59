// SPDX-License-Identifier: GPL-3.0-or-later
/// Records failed transfers by offset, merges them, and decides whether the job continues or stops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "host/base/result.hpp"
#include "host/measure/finding.hpp"
#include "host/workload/spec.hpp"

namespace mediarig::workload {

/// Returns the error of the host that `error` (errno) of a failed call reports. Returns nothing if the medium may be
/// the cause.
[[nodiscard]] std::optional<Error> fault_of_host(int error);

class IoErrors {
public:
    static constexpr std::size_t most_places = 1000;

    /// `medium_is_gone` is called after an ambiguous error. `host_fault` is called with the length of
    /// a failed write; if it returns an error, this host is the cause and no finding is recorded.
    IoErrors(OnIoError policy, std::function<bool()> medium_is_gone,
             std::function<std::optional<Error>(Bytes)> host_fault = {})
        : policy_(policy), medium_is_gone_(std::move(medium_is_gone)), host_fault_(std::move(host_fault)) {}

    /// Records that a transfer of `length` bytes at `offset` failed with `error` (errno). Returns true if the job
    /// continues with the next transfer.
    [[nodiscard]] bool failed(bool writing, std::uint64_t offset, std::uint64_t length, int error);
    /// Records a transfer that moved fewer bytes than requested. Returns true if the job continues.
    [[nodiscard]] bool record_short_transfer(bool writing, std::uint64_t offset, std::uint64_t asked,
                                             std::uint64_t moved);

    [[nodiscard]] bool any() const { return count_ > 0; }
    [[nodiscard]] std::uint64_t count() const { return count_; }
    [[nodiscard]] bool medium_lost() const { return lost_; }
    [[nodiscard]] bool medium_full() const { return full_; }
    /// Returns the host's error that made a transfer fail; nothing if no transfer failed because of the host.
    [[nodiscard]] const std::optional<Error>& host_error() const { return host_error_; }
    /// Returns the errno of the first failure, or 0 without a failure.
    [[nodiscard]] int first_error() const { return first_error_; }

    /// Returns all findings since the last call, ordered by offset, with neighbours merged. Places beyond most_places
    /// are counted in a last finding without an offset.
    [[nodiscard]] measure::Findings take_findings();

private:
    void keep(measure::Finding finding);

    OnIoError policy_;
    std::function<bool()> medium_is_gone_;
    std::function<std::optional<Error>(Bytes)> host_fault_;
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
