// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/rig/station/recovery.hpp"

#include <fmt/format.h>

#include <map>

namespace mediarig::rig {
namespace {

using rigproto::Fault;
using State = LoggedJob::State;

bool has(std::uint8_t flags, rigproto::StatusFlag flag) {
    return (flags & flag) != 0;
}

/// Effects of the ledger's jobs on cards, in order.
struct CardHistory {
    struct Origin {
        std::optional<Pocket> pocket; ///< unset: the pocket has received another card since then
        bool certain{};               ///< the card went in and did not come out
    };
    std::map<PortIndex, Origin> origins; ///< origin of the card in each reader that is not empty
    std::optional<Pocket> adrift;        ///< pocket of the card that the newest motion left at an unknown place

    void add(const Load& load, const LoggedJob& job) {
        moved(load.from, job);
        if (job.state == State::failed && job.fault == Fault::pick_missed) return;
        origins[load.into] = {.pocket = load.from, .certain = job.state == State::done};
    }
    void add(const Unload& unload, const LoggedJob& job) {
        moved(origin_of(unload.from), job);
        if (job.state == State::done) origins.erase(unload.from);
        const bool stays =
            job.state == State::failed && (job.fault == Fault::pick_missed || job.fault == Fault::eject_failed ||
                                           job.fault == Fault::pocket_occupied);
        if (stays) return;
        if (const auto left = origins.find(unload.from); left != origins.end()) left->second.certain = false;
        const auto* pocket = std::get_if<Pocket>(&unload.to);
        for (auto& [reader, origin] : origins)
            if (pocket != nullptr && reader != unload.from && origin.pocket == *pocket) origin.pocket.reset();
    }
    void add(const Identify& identify, const LoggedJob& job) { moved(identify.pocket, job); }
    void add(const Home&, const LoggedJob&) {}
    void add(const Power&, const LoggedJob&) {}
    void add(const Clear&, const LoggedJob&) {}
    void add(const Park&, const LoggedJob&) {}
    void add(const Guard&, const LoggedJob&) {}
    void add(const NestRead&, const LoggedJob&) {}
    void add(const Empty& empty, const LoggedJob& job) {
        if (job.state != State::done) return;
        std::erase_if(origins, [&](const auto& origin) { return empty.readers.contains(origin.first); });
    }
    void add(const Jog&, const LoggedJob&) {}
    void add(const Bootloader&, const LoggedJob&) {}

    [[nodiscard]] std::optional<Pocket> origin_of(PortIndex port) const {
        const auto found = origins.find(port);
        return found == origins.end() ? std::nullopt : found->second.pocket;
    }
    [[nodiscard]] PortSet filled() const {
        PortSet readers;
        for (const auto& [reader, origin] : origins)
            if (origin.certain) readers.insert(reader);
        return readers;
    }

private:
    void moved(std::optional<Pocket> card, const LoggedJob& job) {
        const bool nowhere_else = job.state == State::done || job.fault == Fault::pick_missed;
        adrift = nowhere_else ? std::nullopt : card;
    }
};

CardHistory past_of(const std::vector<LoggedJob>& newest_first) {
    CardHistory past;
    for (auto job = newest_first.rbegin(); job != newest_first.rend(); ++job)
        if (job->state != State::refused)
            std::visit([&](const auto& operation) { past.add(operation, *job); }, job->intent.what);
    return past;
}

/// Reports readers that must contain a card although no card is detected there.
std::string unseen(PortSet readers) {
    return fmt::format(
        "a card was put into reader {0} and is not detected there; get it out with mediarig rig unload, or take it out "
        "by hand and run mediarig rig empty; then look at the wire of its card-detect",
        numbers_of(readers));
}

} // namespace

bool may_be_cleared(Fault latched) {
    return latched == Fault::estop || latched == Fault::stopped || latched == Fault::jam;
}

Recovery recover(const std::vector<LoggedJob>& newest_first, const BoardReport& board) {
    const rigproto::StatusReply& now = board.status;
    Recovery recovery;
    if (!has(now.flags, rigproto::flag_safety_closed)) {
        recovery.person = "the emergency stop is pressed or a door is open; release it, then continue";
        return recovery;
    }
    if (has(now.flags, rigproto::flag_holding)) {
        recovery.person = "a card is on the cup; take it off by hand, then continue";
        return recovery;
    }
    recovery.clear = now.state == rigproto::State::latched;
    recovery.home = recovery.clear || !has(now.flags, rigproto::flag_homed);

    // Jobs that are missing from this ledger came from another program, which may have moved any card.
    const std::uint32_t newest = newest_first.empty() ? 0 : newest_first.front().job;
    const bool ours_alone = now.last_job <= newest;
    const CardHistory past = ours_alone ? past_of(newest_first) : CardHistory{};
    const auto hidden = static_cast<std::uint8_t>((now.occupied | past.filled().bits) & ~now.cards);
    if (hidden != 0) {
        recovery = {};
        recovery.person = unseen(PortSet{hidden});
        return recovery;
    }
    for (std::uint8_t index = 0; index < rigproto::port_count; ++index)
        if (const PortIndex port{index}; PortSet{now.cards}.contains(port))
            recovery.cards.push_back({.port = port, .pocket = past.origin_of(port)});

    recovery.adrift = past.adrift;
    for (const FoundCard& card : recovery.cards)
        if (card.pocket == recovery.adrift) recovery.adrift.reset();
    return recovery;
}

} // namespace mediarig::rig
