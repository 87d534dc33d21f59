// SPDX-License-Identifier: GPL-3.0-or-later
/// The macros LOAD, UNLOAD and IDENTIFY: they move one card from one place to another in stages, each of which ends by
/// a sensor or by a time-out.
///
///     retracting - referencing - (to_probe - reaching_probe - probing - releasing - lifting_target)
///                - to_source - reaching_source - picking - lifting_source - (checking_out)
///                - to_target - reaching_target - (checking_in) - releasing - lifting_target - testing
///
/// `referencing` includes a test of the empty cup, and `testing` is the same test after the release: a card that stays
/// on the cup would be pushed onto the next one. The jaw is open on the way to a card and after the release.
///
/// The probe looks for a card in the target pocket with the empty cup, before the card of the source is picked.
///
/// IDENTIFY has its pocket as source and target, and between them
///
///     to_nest - reaching_nest - reading - lifting_nest
///
/// in which the card stays on the cup, and Z does not move while the nest has supply.
///
/// `checking_out` applies when the card comes out of a reader, `checking_in` when it goes into one. A transfer that
/// cannot be completed returns the card to its source; it never pushes a second time. Each transfer references X at its
/// home flag first: the teeth of the comb look alike, so after the loss of one pitch of steps the carriage would stop
/// at a neighbour.
#pragma once

#include <cstdint>
#include <optional>

#include "firmware/core/card_detect.hpp"
#include "firmware/core/carriage.hpp"
#include "firmware/core/gripper.hpp"
#include "firmware/core/ports.hpp"
#include "firmware/core/sd_reader.hpp"

namespace mediarig::firmware {

inline constexpr std::uint32_t card_check_us = 500'000; ///< time for card-detect to agree, including debouncing

/// A place for a card.
struct CardLocation {
    std::int32_t x{}, z{};
    std::optional<std::uint8_t> port{}; ///< set for a reader
    std::uint8_t number{};              ///< port, pocket or bin, for reports
    bool pocket{};
};

class CardTransfer {
public:
    CardTransfer(Carriage& carriage, Gripper& gripper, const Ports& ports, const CardDetect& cards, SdReader& reader)
        : carriage_(&carriage), gripper_(&gripper), ports_(&ports), cards_(&cards), reader_(&reader) {}

    /// Call only at standstill, while the rig is homed and the cup is empty.
    /// `probe`: the target is a pocket that is not known to be empty.
    void start(const CardLocation& source, const CardLocation& target, bool probe = false);
    /// Moves a card from its pocket to the nest, where the job reads it, and back.
    void identify(const CardLocation& pocket, const CardLocation& nest, std::uint32_t job);
    /// Call when the host is silent: the transfer continues to the next hold point, where Z is up and the cup is empty.
    void hold();

    enum class Progress : std::uint8_t {
        running,
        done,
        failed, ///< Z is up and the cup empty; the rig is ready
        broken  ///< the rig must latch `fault()`
    };
    Progress tick(std::uint64_t now_us);

    [[nodiscard]] rigproto::JobStage stage() const;
    [[nodiscard]] rigproto::Fault fault() const { return fault_; }
    [[nodiscard]] std::uint8_t detail() const { return detail_; }
    /// Returns the port of the reader whose contacts were mated in this tick; nothing otherwise.
    [[nodiscard]] std::optional<std::uint8_t> mated() const { return mated_; }
    /// entered(): the port of the reader that a card begins to enter in this tick; the reader then counts as occupied.
    /// emptied(): the port of a reader from which a card is known to have come out in this tick. An empty cup does not
    /// prove that a reader is full: a label may be torn, or a pump dead.
    [[nodiscard]] std::optional<std::uint8_t> entered() const { return entered_; }
    [[nodiscard]] std::optional<std::uint8_t> emptied() const { return emptied_; }
    /// Result for a pocket in this tick: a card left it or was released into it, or nothing is known of it any more.
    struct PocketResult {
        std::uint8_t pocket{};
        enum class Content : std::uint8_t { unknown, empty, card } content{};
    };
    [[nodiscard]] std::optional<PocketResult> pocket_result() const { return pocket_result_; }

private:
    enum class Step : std::uint8_t {
        idle,
        retracting,
        referencing,
        to_probe,
        reaching_probe,
        probing,
        to_source,
        reaching_source,
        picking,
        lifting_source,
        checking_out,
        to_target,
        reaching_target,
        checking_in,
        releasing,
        lifting_target,
        testing,
        to_nest,
        reaching_nest,
        reading,
        lifting_nest,
        halting
    };

    void enter(Step step, std::uint64_t now_us);
    void put_back(rigproto::Fault fault, std::uint64_t now_us);
    Progress clings();
    Progress give_up(rigproto::Fault fault, std::uint8_t detail);
    Progress abort(rigproto::Fault fault, std::uint8_t detail);
    Progress reach(const CardLocation& place, Step reaching, std::uint64_t now_us);
    Progress arrived(std::uint64_t now_us);
    Progress picked(std::uint64_t now_us);
    Progress probed(std::uint64_t now_us);
    Progress lifted(std::uint64_t now_us);
    Progress check_out(std::uint64_t now_us);
    Progress check_in(std::uint64_t now_us);
    Progress over_nest(std::uint64_t now_us);
    Progress read(std::uint64_t now_us);
    Progress tested();
    void note_pocket(const CardLocation& place, PocketResult::Content content);
    [[nodiscard]] bool lost() const { return gripper_->state() == GripperState::lost; }
    [[nodiscard]] bool forbidden(const CardLocation& place) const;

    Carriage* carriage_;
    Gripper* gripper_;
    const Ports* ports_;
    const CardDetect* cards_;
    SdReader* reader_;
    CardLocation source_{}, target_{};
    std::optional<CardLocation> nest_{}; // first destination of the card
    std::uint32_t job_{};                // job that reads the card on the nest
    std::uint64_t since_us_{};
    std::optional<std::uint8_t> mated_{}, entered_{}, emptied_{};
    std::optional<std::uint8_t> pushed_into_{}; // set while the card is on the cup
    std::optional<PocketResult> pocket_result_{};
    Step step_{};
    rigproto::Fault fault_{}; // reason of a failure
    std::uint8_t detail_{};
    bool hold_{};
    bool probe_{};  // the target pocket has yet to be probed
    bool picked_{}; // the card of the source is or was on the cup
};

} // namespace mediarig::firmware
