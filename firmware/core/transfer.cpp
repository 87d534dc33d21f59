// SPDX-License-Identifier: GPL-3.0-or-later
#include "firmware/core/transfer.hpp"

#include <utility>

namespace mediarig::firmware {

using rigproto::Fault;
using rigproto::JobStage;

void CardTransfer::start(const CardLocation& source, const CardLocation& target, bool probe) {
    source_ = source;
    target_ = target;
    fault_ = Fault::none;
    detail_ = 0;
    hold_ = picked_ = false;
    probe_ = probe;
    nest_.reset();
    mated_.reset();
    pushed_into_.reset();
    step_ = Step::retracting;
    carriage_->to_origin(Axis::z);
}

void CardTransfer::identify(const CardLocation& pocket, const CardLocation& nest, std::uint32_t job) {
    start(pocket, pocket);
    nest_ = nest;
    job_ = job;
}

void CardTransfer::hold() {
    hold_ = true;
}

JobStage CardTransfer::stage() const {
    switch (step_) {
        case Step::idle:
            return JobStage::idle;
        case Step::retracting:
        case Step::halting:
            return JobStage::retracting;
        case Step::referencing:
        case Step::to_probe:
        case Step::to_source:
        case Step::to_target:
        case Step::to_nest:
            return JobStage::travelling;
        case Step::reaching_probe:
        case Step::reaching_source:
        case Step::reaching_target:
        case Step::reaching_nest:
            return JobStage::reaching;
        case Step::picking:
            return JobStage::picking;
        case Step::lifting_source:
        case Step::lifting_target:
        case Step::lifting_nest:
            return JobStage::lifting;
        case Step::checking_out:
        case Step::checking_in:
        case Step::probing:
        case Step::reading:
        case Step::testing:
            return JobStage::checking;
        case Step::releasing:
            return JobStage::releasing;
    }
    return JobStage::idle;
}

void CardTransfer::enter(Step step, std::uint64_t now_us) {
    step_ = step;
    since_us_ = now_us;
    switch (step) {
        case Step::referencing:
            carriage_->to_origin(Axis::x);
            gripper_->test(now_us);
            break;
        case Step::to_source:
            carriage_->move(Axis::x, source_.x);
            gripper_->reach(now_us);
            break;
        case Step::to_probe:
            carriage_->move(Axis::x, target_.x);
            gripper_->reach(now_us);
            break;
        case Step::reaching_probe:
            carriage_->move(Axis::z, target_.z);
            break;
        case Step::to_target:
            carriage_->move(Axis::x, target_.x);
            break;
        case Step::to_nest:
            carriage_->move(Axis::x, nest_->x);
            break;
        case Step::reaching_nest:
            carriage_->move(Axis::z, nest_->z);
            break;
        case Step::reading:
            reader_->start(job_, now_us);
            break;
        case Step::picking:
        case Step::probing:
            gripper_->grip(now_us);
            break;
        case Step::testing:
            gripper_->test(now_us);
            break;
        case Step::releasing:
            gripper_->release(now_us);
            break;
        case Step::lifting_source:
        case Step::lifting_target:
        case Step::lifting_nest:
            carriage_->to_origin(Axis::z);
            break;
        default:
            break;
    }
}

CardTransfer::Progress CardTransfer::give_up(Fault fault, std::uint8_t detail) {
    step_ = Step::idle;
    fault_ = fault;
    detail_ = detail;
    gripper_->close();
    return Progress::failed;
}

CardTransfer::Progress CardTransfer::abort(Fault fault, std::uint8_t detail) {
    give_up(fault, detail);
    return Progress::broken;
}

/// Returns the card on the cup to its source, because the card cannot go to its target.
void CardTransfer::put_back(Fault fault, std::uint64_t now_us) {
    fault_ = fault;
    detail_ = source_.port ? source_.number : target_.number;
    target_ = source_;
    enter(Step::lifting_source, now_us);
}

bool CardTransfer::forbidden(const CardLocation& place) const {
    return place.port && !(*ports_)[*place.port].safe_for_cards();
}

CardTransfer::Progress CardTransfer::tick(std::uint64_t now_us) {
    mated_.reset();
    entered_.reset();
    emptied_.reset();
    pocket_result_.reset();
    // Every plausible rig is faster than the maximum times of pump and jaw.
    if (gripper_->state() == GripperState::overtime || gripper_->state() == GripperState::stuck)
        return abort(Fault::internal, static_cast<std::uint8_t>(Axis::z));
    const bool on_its_way = step_ == Step::to_target || (step_ == Step::reaching_target && !target_.port) ||
                            (step_ == Step::lifting_source && !source_.port) || step_ == Step::to_nest ||
                            step_ == Step::reaching_nest || step_ == Step::reading || step_ == Step::lifting_nest;
    if (on_its_way && lost()) return abort(Fault::card_dropped, target_.number);

    // The test found a card: the card of this transfer, or one that an earlier transfer left on the cup.
    if (gripper_->state() == GripperState::clings) return clings();
    const bool empty_cup = step_ == Step::retracting || step_ == Step::referencing || step_ == Step::to_probe ||
                           step_ == Step::reaching_probe || step_ == Step::to_source || step_ == Step::reaching_source;
    if (hold_ && empty_cup) {
        if (step_ != Step::retracting) carriage_->stop();
        fault_ = Fault::lease;
        probe_ = false;
        step_ = Step::halting;
    }
    if (step_ == Step::picking) return picked(now_us);
    if (step_ == Step::probing) return probed(now_us);
    if (carriage_->busy()) return Progress::running;
    switch (step_) {
        case Step::retracting:
            enter(Step::referencing, now_us);
            return Progress::running;
        case Step::referencing:
            if (!gripper_->under_test()) enter(probe_ ? Step::to_probe : Step::to_source, now_us);
            return Progress::running;
        case Step::to_probe:
            if (gripper_->reached()) enter(Step::reaching_probe, now_us);
            return Progress::running;
        case Step::reaching_probe:
            enter(Step::probing, now_us);
            return Progress::running;
        case Step::to_source:
            return gripper_->reached() ? reach(source_, Step::reaching_source, now_us) : Progress::running;
        case Step::to_target:
            return reach(target_, Step::reaching_target, now_us);
        case Step::to_nest:
        case Step::reaching_nest:
        case Step::lifting_nest:
            return over_nest(now_us);
        case Step::reading:
            return read(now_us);
        case Step::halting:
            enter(Step::lifting_target, now_us);
            return Progress::running;
        case Step::checking_out:
            return check_out(now_us);
        case Step::checking_in:
            return check_in(now_us);
        case Step::releasing:
            if (gripper_->state() == GripperState::open) enter(Step::lifting_target, now_us);
            return Progress::running;
        case Step::testing:
            return gripper_->under_test() ? Progress::running : tested();
        case Step::reaching_source:
        case Step::reaching_target:
            return arrived(now_us);
        case Step::lifting_source:
        case Step::lifting_target:
            return lifted(now_us);
        default:
            return Progress::running;
    }
}

CardTransfer::Progress CardTransfer::reach(const CardLocation& place, Step reaching, std::uint64_t now_us) {
    if (forbidden(place)) {
        const Fault fault = (*ports_)[*place.port].fault();
        const Fault cause = fault == Fault::none ? Fault::port_not_discharged : fault;
        if (reaching == Step::reaching_source) return give_up(cause, place.number);
        if (fault_ != Fault::none) return abort(cause, place.number); // the card cannot be returned either
        put_back(cause, now_us);
        return Progress::running;
    }
    if (reaching == Step::reaching_target && place.port && fault_ == Fault::none && cards_->present(*place.port)) {
        put_back(Fault::insert_failed, now_us);
        return Progress::running;
    }
    if (reaching == Step::reaching_target && place.port) entered_ = pushed_into_ = place.port;
    enter(reaching, now_us);
    carriage_->move(Axis::z, place.z);
    return Progress::running;
}

CardTransfer::Progress CardTransfer::arrived(std::uint64_t now_us) {
    if (step_ == Step::reaching_source) {
        enter(Step::picking, now_us);
    } else if (target_.port && fault_ == Fault::none) {
        enter(Step::checking_in, now_us);
    } else {
        if (lost()) return abort(Fault::card_dropped, target_.number);
        enter(Step::releasing, now_us);
    }
    return Progress::running;
}

CardTransfer::Progress CardTransfer::picked(std::uint64_t now_us) {
    if (gripper_->holding()) {
        picked_ = true;
        enter(Step::lifting_source, now_us);
    } else if (gripper_->state() == GripperState::missed || hold_) {
        fault_ = hold_ ? Fault::lease : Fault::pick_missed;
        detail_ = source_.number;
        note_pocket(source_, PocketResult::Content::unknown);
        enter(Step::releasing, now_us);
    }
    return Progress::running;
}

CardTransfer::Progress CardTransfer::probed(std::uint64_t now_us) {
    if (gripper_->holding() || hold_) {
        fault_ = hold_ ? Fault::lease : Fault::pocket_occupied;
        detail_ = target_.number;
        if (!hold_) note_pocket(target_, PocketResult::Content::card);
        probe_ = false;
        enter(Step::releasing, now_us);
    } else if (gripper_->state() == GripperState::missed) {
        enter(Step::releasing, now_us);
    }
    return Progress::running;
}

CardTransfer::Progress CardTransfer::lifted(std::uint64_t now_us) {
    if (step_ == Step::lifting_target) {
        enter(probe_ ? Step::to_source : Step::testing, now_us);
        probe_ = false;
        return Progress::running;
    }
    // After a card was lifted out of a reader, check_out() checks once that the card is on the cup.
    const bool out_of_reader = source_.port && fault_ == Fault::none;
    if (!out_of_reader && lost()) return abort(Fault::card_dropped, source_.number);
    note_pocket(source_, PocketResult::Content::empty);
    if (pushed_into_ && !source_.port)
        emptied_ = std::exchange(pushed_into_, {}); // the reader did not take it; it is still on the cup
    enter(out_of_reader ? Step::checking_out : nest_ ? Step::to_nest : Step::to_target, now_us);
    return Progress::running;
}

CardTransfer::Progress CardTransfer::check_out(std::uint64_t now_us) {
    if (!cards_->present(*source_.port)) {
        if (lost()) return abort(Fault::card_dropped, source_.number);
        emptied_ = source_.port;
        enter(Step::to_target, now_us);
    } else if (now_us - since_us_ >= card_check_us) {
        if (lost()) {
            fault_ = Fault::eject_failed;
            detail_ = source_.number;
            picked_ = false;
            enter(Step::testing, now_us); // card-detect may be stuck, and the card may be on the cup without vacuum
            return Progress::running;
        }
        put_back(Fault::eject_failed, now_us);
    }
    return Progress::running;
}

CardTransfer::Progress CardTransfer::check_in(std::uint64_t now_us) {
    if (cards_->present(*target_.port)) {
        mated_ = target_.port;
        enter(Step::releasing, now_us);
    } else if (now_us - since_us_ >= card_check_us) {
        if (lost()) return abort(Fault::card_dropped, target_.number);
        // A card that does not slide in is usually bent, or the reader is worn: do not push again.
        put_back(Fault::insert_failed, now_us);
    }
    return Progress::running;
}

/// A silent host has no use for the reading: the card returns to its pocket.
CardTransfer::Progress CardTransfer::over_nest(std::uint64_t now_us) {
    if (hold_ && step_ != Step::lifting_nest) fault_ = Fault::lease;
    if (step_ == Step::reaching_nest)
        enter(hold_ ? Step::lifting_nest : Step::reading, now_us);
    else
        enter(step_ == Step::to_nest && !hold_ ? Step::reaching_nest : Step::to_target, now_us);
    return Progress::running;
}

CardTransfer::Progress CardTransfer::read(std::uint64_t now_us) {
    if (hold_ && reader_->busy()) {
        reader_->stop(now_us);
        fault_ = Fault::lease;
    }
    // The vacuum was not measured during the reading: Z moves only after the sensor has confirmed the card on the cup.
    if (!reader_->busy() && gripper_->senses_vacuum()) enter(Step::lifting_nest, now_us);
    return Progress::running;
}

/// Aborts the transfer, because a card is on the cup after its release or before the pick.
CardTransfer::Progress CardTransfer::clings() {
    if (picked_) {
        note_pocket(target_, PocketResult::Content::unknown);
        if (target_.port && !cards_->present(*target_.port)) emptied_ = target_.port;
    }
    return abort(Fault::card_clings, picked_ ? target_.number : source_.number);
}

/// Ends the transfer after the test found the cup empty.
CardTransfer::Progress CardTransfer::tested() {
    step_ = Step::idle;
    if (picked_) note_pocket(target_, PocketResult::Content::card);
    if (fault_ != Fault::none) return Progress::failed;
    // The card left the reader with the cup and fell off.
    if (target_.port && !cards_->present(*target_.port)) return abort(Fault::card_dropped, target_.number);
    return Progress::done;
}

/// Notes the result for a pocket; ignores other places.
void CardTransfer::note_pocket(const CardLocation& place, PocketResult::Content content) {
    if (place.pocket) pocket_result_ = {.pocket = place.number, .content = content};
}

} // namespace mediarig::firmware
