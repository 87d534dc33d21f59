// SPDX-License-Identifier: GPL-3.0-or-later
/// The claims of one worker, and the permitted order of operations on them. Only for the worker's thread, except
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
    /// Numbers start with 1 and are never reused. Fails with refused if the device is already claimed.
    [[nodiscard]] Result<std::uint64_t> take(const std::string& node);
    void give_back(std::uint64_t number);

private:
    std::mutex mutex_;
    std::map<std::uint64_t, std::string> nodes_;
    std::uint64_t next_{1};
};

class ClaimTable {
public:
    ClaimTable(MediaBackend& backend, ClaimNumbers& numbers) : backend_(backend), numbers_(numbers) {}

    struct Made {
        std::uint64_t number{};
        media::Medium medium;
    };
    /// Fails with refused if the device is already claimed.
    [[nodiscard]] Result<Made> claim(const media::ClaimRequest& request);

    enum class Must : unsigned char { be_mounted, not_be_mounted };
    /// Returns the claim if it has the state that `method` needs. Fails with bad_request, naming both.
    [[nodiscard]] Result<ClaimedMedium*> find(std::uint64_t number, Must state, const std::string& method);

    [[nodiscard]] Result<media::MountReport> mount(std::uint64_t number, const media::VolumeRequest& wish);
    [[nodiscard]] Result<void> unmount(std::uint64_t number);
    /// Unmounts and detaches. After a failure the claim remains for another attempt.
    [[nodiscard]] Result<void> release(std::uint64_t number);
    /// Tries to release every claim; fails with the first failure. The table is empty afterwards.
    [[nodiscard]] Result<void> release_all();

    /// ClaimedMedium::trouble() of a claim; empty if the claim does not exist.
    [[nodiscard]] std::optional<Error> trouble(std::uint64_t number);

private:
    [[nodiscard]] static Result<void> put_away(ClaimedMedium& medium);

    MediaBackend& backend_;
    ClaimNumbers& numbers_;
    std::map<std::uint64_t, std::unique_ptr<ClaimedMedium>> claims_;
};

} // namespace mediarig::agent
