// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/rig/power/enclosure/detach_sequence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <thread>
#include <utility>

#include "host/base/enum_names.hpp"

namespace mediarig::rig {
namespace {

using Step = EnclosureStep;
using std::chrono::steady_clock;

class Sequence {
public:
    Sequence(const Enclosure& enclosure, EnclosureSupply supply, const EnclosureActions& hands)
        : enclosure_(enclosure), supply_(supply), hands_(hands) {}

    Result<void> run(const std::vector<Step>& steps) {
        for (const Step step : steps) {
            hands_.tell(step);
            auto done = take(step);
            if (done) continue;
            // Restore the supply if it was switched off.
            if (dark_) (void)hands_.plug(true);
            return fail(done.error().code, fmt::format("{} {}: {}: {}", enclosure_.vendor, enclosure_.device,
                                                       name_of(step), done.error().detail));
        }
        return {};
    }
    [[nodiscard]] Detachment detachment() const {
        const bool plug = supply_ == EnclosureSupply::plug;
        return Detachment(plug ? DetachLevel::mains_off : DetachLevel::withdrawn, evidence_,
                          plug ? "the enclosure's mains plug" : "the operator at the cable");
    }

private:
    Result<void> take(Step step) {
        switch (step) {
            case Step::quiesce:
                return hands_.quiesce();
            case Step::remove:
                for (const std::string& disk : hands_.disks)
                    if (auto removed = remove_disk(disk); !removed) return removed;
                return {};
            case Step::deauthorize:
                return deauthorize(enclosure_);
            case Step::supply_off:
                return switch_plug(false);
            case Step::withdraw:
                return hands_.person(fmt::format("pull the cable of {} {}", enclosure_.vendor, enclosure_.device));
            case Step::wait_gone:
                return wait_gone();
            case Step::supply_on:
                return switch_plug(true);
            case Step::plug_in:
                return hands_.person(
                    fmt::format("plug {} {} in again, at the same port", enclosure_.vendor, enclosure_.device));
            case Step::wait_back:
                return wait_back();
            case Step::authorize:
                break;
        }
        if (back_->authorized != 0) return {};
        return authorize(*back_, hands_.boltctl);
    }

    Result<void> switch_plug(bool on) {
        dark_ = !on;
        auto watts = hands_.plug(on);
        if (!watts) return fail(std::move(watts.error()));
        if (!on) evidence_.plug_watts = *watts;
        return {};
    }

    /// Find the enclosure by its id: at another port it has another name.
    [[nodiscard]] Result<std::optional<Enclosure>> look() const {
        const auto all = find_enclosures();
        if (!all) return fail(all.error());
        const auto found = std::ranges::find(*all, enclosure_.unique_id, &Enclosure::unique_id);
        return found == all->end() ? std::nullopt : std::optional(*found);
    }

    Result<void> wait_gone() {
        const auto deadline = steady_clock::now() + hands_.gone_within;
        for (;;) {
            const auto seen = look();
            if (!seen) return fail(seen.error());
            evidence_.vanished = !*seen;
            if (*evidence_.vanished) return {};
            if (steady_clock::now() > deadline)
                return fail(Errc::timed_out,
                            fmt::format("it is still on the bus after {} s: check that the plug is that of this "
                                        "enclosure, and that it has no second supply",
                                        hands_.gone_within.count() / 1000));
            std::this_thread::sleep_for(hands_.poll_interval);
        }
    }

    Result<void> wait_back() {
        const auto deadline = steady_clock::now() + hands_.back_within;
        for (;;) {
            auto seen = look();
            if (!seen) return fail(std::move(seen.error()));
            back_ = std::move(*seen);
            if (back_) return {};
            if (const auto other = in_its_place())
                return fail(Errc::refused, fmt::format("another enclosure came back in its place: {} {} ({})",
                                                       other->vendor, other->device, other->unique_id));
            if (steady_clock::now() > deadline)
                return fail(Errc::timed_out, fmt::format("it did not come back within {} s: look at its cable and "
                                                         "supply",
                                                         hands_.back_within.count() / 1000));
            std::this_thread::sleep_for(hands_.poll_interval);
        }
    }
    [[nodiscard]] std::optional<Enclosure> in_its_place() const {
        const auto all = find_enclosures();
        if (!all) return std::nullopt;
        const auto found = std::ranges::find(*all, enclosure_.name, &Enclosure::name);
        return found == all->end() || found->unique_id == enclosure_.unique_id ? std::nullopt : std::optional(*found);
    }

    const Enclosure& enclosure_;
    EnclosureSupply supply_;
    const EnclosureActions& hands_;
    Evidence evidence_;
    std::optional<Enclosure> back_;
    bool dark_{};
};

std::vector<Step> steps_to_detach(const Enclosure& enclosure, EnclosureSupply supply) {
    std::vector<Step> steps{Step::quiesce, Step::remove};
    if (enclosure.domain.deauthorizes && enclosure.authorized != 0) steps.push_back(Step::deauthorize);
    steps.push_back(supply == EnclosureSupply::plug ? Step::supply_off : Step::withdraw);
    steps.push_back(Step::wait_gone);
    return steps;
}

std::vector<Step> steps_to_attach(EnclosureSupply supply) {
    return {supply == EnclosureSupply::plug ? Step::supply_on : Step::plug_in, Step::wait_back, Step::authorize};
}

} // namespace

std::vector<EnclosureStep> steps_for(const Enclosure& enclosure, EnclosureSupply supply) {
    std::vector<Step> steps = steps_to_detach(enclosure, supply);
    std::ranges::copy(steps_to_attach(supply), std::back_inserter(steps));
    return steps;
}

Result<Detachment> detach_enclosure(const Enclosure& enclosure, EnclosureSupply supply, const EnclosureActions& hands) {
    Sequence sequence(enclosure, supply, hands);
    if (auto done = sequence.run(steps_to_detach(enclosure, supply)); !done) return fail(std::move(done.error()));
    return sequence.detachment();
}

Result<void> attach_enclosure(const Enclosure& enclosure, EnclosureSupply supply, const EnclosureActions& hands) {
    return Sequence(enclosure, supply, hands).run(steps_to_attach(supply));
}

Result<Detachment> cycle_enclosure(const Enclosure& enclosure, EnclosureSupply supply, const EnclosureActions& hands) {
    Sequence sequence(enclosure, supply, hands);
    if (auto done = sequence.run(steps_for(enclosure, supply)); !done) return fail(std::move(done.error()));
    return sequence.detachment();
}

} // namespace mediarig::rig
