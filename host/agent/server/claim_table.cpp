// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/agent/server/claim_table.hpp"

#include <utility>

namespace mediarig::agent {

Result<std::uint64_t> ClaimNumbers::take(const std::string& node) {
    const std::lock_guard lock(mutex_);
    for (const auto& [number, other] : nodes_)
        if (other == node) return fail(Errc::refused, node + " is already claimed, by claim " + std::to_string(number));
    nodes_[next_] = node;
    return next_++;
}

void ClaimNumbers::release_number(std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    nodes_.erase(number);
}

Result<ClaimTable::NewClaim> ClaimTable::claim(const media::ClaimRequest& request) {
    auto medium = backend_.claim(request);
    if (!medium) return fail(std::move(medium.error()));
    const media::Medium& claimed = (*medium)->medium();
    const auto number = numbers_.take(claimed.node);
    if (!number) return fail(number.error());
    NewClaim made{*number, claimed};
    claims_[*number] = std::move(*medium);
    return made;
}

Result<ClaimedMedium*> ClaimTable::find(std::uint64_t number, RequiredState state, const std::string& method) {
    const auto found = claims_.find(number);
    if (found == claims_.end())
        return fail(Errc::bad_request, method + ": there is no claim " + std::to_string(number));
    const bool mounted = found->second->is_mounted();
    if (mounted != (state == RequiredState::be_mounted))
        return fail(Errc::bad_request,
                    method + ": claim " + std::to_string(number) +
                        (mounted ? " is mounted: unmount it first" : " is not mounted: mount it first"));
    return found->second.get();
}

Result<media::MountReport> ClaimTable::mount(std::uint64_t number, const media::VolumeRequest& wish) {
    const auto medium = find(number, RequiredState::not_be_mounted, "mount");
    if (!medium) return fail(medium.error());
    return (*medium)->mount(wish);
}

Result<void> ClaimTable::unmount(std::uint64_t number) {
    const auto medium = find(number, RequiredState::be_mounted, "unmount");
    if (!medium) return fail(medium.error());
    return (*medium)->unmount();
}

Result<void> ClaimTable::release(std::uint64_t number) {
    const auto found = claims_.find(number);
    if (found == claims_.end()) return fail(Errc::bad_request, "release: there is no claim " + std::to_string(number));
    if (auto away = clean_up(*found->second); !away) return away;
    claims_.erase(found);
    numbers_.release_number(number);
    return {};
}

std::optional<Error> ClaimTable::backing_fault(std::uint64_t number) {
    const auto found = claims_.find(number);
    return found == claims_.end() ? std::nullopt : found->second->backing_fault();
}

Result<void> ClaimTable::release_all() {
    Result<void> first;
    for (const auto& [number, medium] : claims_)
        if (auto away = clean_up(*medium); !away && first) first = std::move(away);
    for (const auto& [number, medium] : claims_) numbers_.release_number(number);
    claims_.clear();
    return first;
}

Result<void> ClaimTable::clean_up(ClaimedMedium& medium) {
    if (medium.is_mounted())
        if (auto unmounted = medium.unmount(); !unmounted) return unmounted;
    return medium.release();
}

} // namespace mediarig::agent
