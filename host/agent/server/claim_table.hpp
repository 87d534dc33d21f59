// SPDX-License-Identifier: GPL-3.0-or-later
/// The claims of one worker, and the permitted order of operations on them. Used only on the worker's thread, except
/// ClaimNumbers.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "host/agent/server/media_backend.hpp"
#include "host/base/result.hpp"

namespace mediarig::agent {

/// Assigns the numbers of a connection's claims; shared by its workers.
class ClaimNumbers {
public:
    /// Returns the number of a new claim. Numbers start with 1 and are never reused. Fails with refused if the device
    /// is already claimed.
    [[nodiscard]] Result<std::uint64_t> take(const std::string& node);
    void release_number(std::uint64_t number);

private:
    std::mutex mutex_;
    std::map<std::uint64_t, std::string> nodes_;
    std::uint64_t next_{1};
};

class ClaimTable {
public:
    ClaimTable(MediaBackend& backend, ClaimNumbers& numbers) : backend_(backend), numbers_(numbers) {}

    struct NewClaim {
        std::uint64_t number{};
        media::Medium medium;
    };
    /// Adds a claim. Fails with refused if the device is already claimed.
    [[nodiscard]] Result<NewClaim> claim(const media::ClaimRequest& request);

    enum class RequiredState : unsigned char { be_mounted, not_be_mounted };
    /// Returns the claim if it has the state that `method` needs. Fails with bad_request, naming method and claim.
    [[nodiscard]] Result<ClaimedMedium*> find(std::uint64_t number, RequiredState state, const std::string& method);

    [[nodiscard]] Result<media::MountReport> mount(std::uint64_t number, const media::VolumeRequest& wish);
    [[nodiscard]] Result<void> unmount(std::uint64_t number);
    /// Releases a claim: unmounts and detaches. After a failure the claim remains for another attempt.
    [[nodiscard]] Result<void> release(std::uint64_t number);
    /// Tries to release every claim; fails with the first failure. The table is empty afterwards.
    [[nodiscard]] Result<void> release_all();

    /// ClaimedMedium::backing_fault() of a claim; empty if the claim does not exist.
    [[nodiscard]] std::optional<Error> backing_fault(std::uint64_t number);

private:
    [[nodiscard]] static Result<void> clean_up(ClaimedMedium& medium);

    MediaBackend& backend_;
    ClaimNumbers& numbers_;
    std::map<std::uint64_t, std::unique_ptr<ClaimedMedium>> claims_;
};

} // namespace mediarig::agent
