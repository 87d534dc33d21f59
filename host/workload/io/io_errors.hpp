// SPDX-License-Identifier: GPL-3.0-or-later
/// What became of transfers that failed: kept by place, merged, and answered with "go on" or "stop".
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

/// What a failed call's `error` (errno) says of this host and not of the medium; nothing where it may be the medium.
[[nodiscard]] std::optional<Error> fault_of_host(int error);

class IoErrors {
public:
    static constexpr std::size_t most_places = 1000;

    /// `medium_is_gone` is asked after an error that alone does not tell; `host_fault` after a failed write of so many
    /// bytes: an error means that this host is to blame, and there is no finding then.
    IoErrors(OnIoError policy, std::function<bool()> medium_is_gone,
             std::function<std::optional<Error>(Bytes)> host_fault = {})
        : policy_(policy), medium_is_gone_(std::move(medium_is_gone)), host_fault_(std::move(host_fault)) {}

    /// A transfer of `length` bytes at `offset` failed with `error` (errno). True: go on with the next one.
    [[nodiscard]] bool failed(bool writing, std::uint64_t offset, std::uint64_t length, int error);
    /// A transfer moved fewer bytes than asked. True: go on.
    [[nodiscard]] bool fell_short(bool writing, std::uint64_t offset, std::uint64_t asked, std::uint64_t moved);

    [[nodiscard]] bool any() const { return count_ > 0; }
    [[nodiscard]] std::uint64_t count() const { return count_; }
    [[nodiscard]] bool medium_lost() const { return lost_; }
    [[nodiscard]] bool medium_full() const { return full_; }
    /// What this host did to a transfer; nothing where it did nothing.
    [[nodiscard]] const std::optional<Error>& of_host() const { return of_host_; }
    /// The errno of the first failure; 0 when there was none.
    [[nodiscard]] int first_error() const { return first_error_; }

    /// Everything seen since the last call, in order of offset, neighbours merged; the places beyond most_places are
    /// counted in a last finding without a place.
    [[nodiscard]] measure::Findings take_findings();

private:
    void keep(measure::Finding finding);

    OnIoError policy_;
    std::function<bool()> medium_is_gone_;
    std::function<std::optional<Error>(Bytes)> host_fault_;
    std::optional<Error> of_host_;
    measure::Findings kept_;
    std::uint64_t beyond_{};
    std::uint64_t count_{};
    int first_error_{};
    bool lost_{};
    bool full_{};
};

/// What an errno means for a test. The names that not every system has are known here alone.

/// `what` names the action and the thing, e.g. "create a folder in /mnt/card". Covers refusals, absence and lack of
/// room.
[[nodiscard]] Error error_from(int error, const std::string& what);

/// Errors that a device gives only when it is no longer there.
[[nodiscard]] bool says_gone(int error);

} // namespace mediarig::workload
