// SPDX-License-Identifier: GPL-3.0-or-later
/// The claims of one worker, and the order in which things may happen to them. On its thread only, but for the numbers.
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

/// What each claim of a connection is called; shared by its workers.
class ClaimNumbers {
public:
    /// Numbers start with 1 and are never used twice. Fails with refused where the device is claimed already.
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
    /// Fails with refused where the device is claimed already.
    [[nodiscard]] Result<Made> claim(const media::ClaimRequest& request);

    enum class Must : unsigned char { be_mounted, not_be_mounted };
    /// The claim, in the state that `method` needs. Fails with bad_request, naming both.
    [[nodiscard]] Result<ClaimedMedium*> find(std::uint64_t number, Must state, const std::string& method);

    [[nodiscard]] Result<media::MountReport> mount(std::uint64_t number, const media::VolumeRequest& wish);
    [[nodiscard]] Result<void> unmount(std::uint64_t number);
    /// Unmounts and detaches. After a failure the claim is still there, for another try.
    [[nodiscard]] Result<void> release(std::uint64_t number);
    /// Releases what it can; fails with the first failure after having tried every claim. The table is empty then.
    [[nodiscard]] Result<void> release_all();

    /// ClaimedMedium::trouble() of a claim; nothing where there is no such claim.
    [[nodiscard]] std::optional<Error> trouble(std::uint64_t number);

private:
    [[nodiscard]] static Result<void> put_away(ClaimedMedium& medium);

    MediaBackend& backend_;
    ClaimNumbers& numbers_;
    std::map<std::uint64_t, std::unique_ptr<ClaimedMedium>> claims_;
};

} // namespace mediarig::agent
