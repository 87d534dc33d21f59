// SPDX-License-Identifier: GPL-3.0-or-later
/// Which medium it is: what it says itself, what the rig read of it, and under which key it is recorded.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "host/session/card_identity.hpp"
#include "host/session/label_claims.hpp"
#include "host/session/step_actions.hpp"
#include "host/size_texts.hpp"
#include "host/text.hpp"

namespace mediarig::session {

namespace asio = boost::asio;

namespace {

/// What the plan says of a medium, before it says anything itself.
store::DeviceRecord described(const plan::MediumRef& ref) {
    store::DeviceRecord record{.name = ref.name, .lot = ref.lot, .label = ref.label};
    if (ref.slot) record.slot = fmt::format("{}", ref.slot->number);
    return record;
}

/// A key says less than there is to see: of a card in a reader it is the reader's, of an image its path.
Result<void> check_same_as_before(const MediumState& medium, const store::DeviceRecord& now) {
    const Earlier& earlier = medium.earlier;
    if (earlier.device.empty()) return {};
    const auto other = [&](const std::string& is, const std::string& was) {
        return fail(
            Errc::refused,
            fmt::format("{} {} now and {} when the campaign began; put the first one back, or start a new campaign",
                        medium.target, is, was));
    };
    if (earlier.device != now.key) return other("is " + now.key, "was " + earlier.device);
    if (!medium.ref->directory.empty()) return {};
    const media::Medium &is = now.identity, &was = earlier.identity;
    if (const SizeTexts sizes = size_texts(is.size, was.size); is.size != was.size)
        return other("has " + sizes.first, "had " + sizes.second);
    // Without the device: numbers of file systems change when a machine starts anew.
    if (is.file && was.file && is.file->inode != was.file->inode)
        return other(fmt::format("is another file (inode {})", is.file->inode),
                     fmt::format("was inode {}", was.file->inode));
    // The number of a removed file is given to the next one.
    if (is.file && was.file && is.file_born_ns != was.file_born_ns)
        return other("is a file made at another time", "was the one before it");
    return {};
}

/// By the medium's own bytes; by what discovery says where they could not be read as a report. Keeping a volume of a
/// medium that is known to hold none was asked for wrongly.
Result<media::FoundVolume> volume_on(const media::Medium& identity, const std::optional<media::InspectReport>& seen,
                                     const MediumState& medium) {
    if (seen) {
        auto chosen = media::choose_volume(*seen, {.fs = {}, .partition = medium.ref->partition}, medium.target);
        if (!chosen && chosen.error().code == Errc::bad_format) chosen.error().code = Errc::bad_request;
        if (chosen || medium.ref->partition || identity.file_system.empty()) return chosen;
    }
    const std::string& said = identity.file_system;
    const auto fs = media::file_system_of_kernel(said);
    if (fs) return media::FoundVolume{.fs = *fs, .span = {.start = {}, .length = identity.size}};
    return fail(seen || !said.empty() ? Errc::bad_request : Errc::bad_format,
                fmt::format("{} holds no file system that mediarig can mount{}: make one with mediarig format, or "
                            "measure the bare device (--raw)",
                            medium.target, said.empty() ? "" : " (" + said + ")"));
}

media::Medium without_registers(media::Medium medium) {
    medium.sd.reset();
    return medium;
}

} // namespace

store::DeviceRecord unidentified(const plan::MediumRef& ref, const std::string& target) {
    store::DeviceRecord record = described(ref);
    record.identity.node = target.empty() ? "slot " + record.slot : target;
    record.key = media::device_key(record.identity);
    return record;
}

StepActions::Outcome StepActions::identify(MediumState& medium) {
    const plan::MediumRef& ref = *medium.ref;
    store::DeviceRecord record = described(ref);
    std::optional<media::InspectReport> seen;
    std::string not_inspected;
    auto identity = co_await context_.ports.agent.identify(medium.target);
    if (!identity) co_return fail(identity.error());
    if (auto stop = context_.stopped()) co_return fail(std::move(*stop));
    record.identity = *identity;
    if (media::may_have_smart(record.identity)) {
        // Health is worth knowing, and never a reason not to test.
        if (auto smart = co_await context_.ports.agent.smart(medium.target)) record.identity.smart = std::move(*smart);
        if (auto stop = context_.stopped()) co_return fail(std::move(*stop));
    }
    if (ref.directory.empty()) {
        if (auto found = co_await context_.ports.agent.inspect(medium.target))
            seen = std::move(*found);
        else
            not_inspected = "; not inspected: " + found.error().detail;
        if (auto stop = context_.stopped()) co_return fail(std::move(*stop));
    }
    const auto nest = std::exchange(medium.nest, std::nullopt);
    if (nest) add_registers(record.identity, *nest);
    const Earlier& earlier = medium.earlier;
    // A record that was begun before the nest could read the card keeps its key.
    const bool keeps_key = !earlier.device.empty() && !has_cid(earlier.identity);
    record.key = key_of(keeps_key ? without_registers(record.identity) : record.identity, ref);
    if (auto same = check_same_as_before(medium, record); !same) co_return fail(std::move(same.error()));
    std::vector<KnownCard> known = note_identity(record);

    measure::Findings about_card;
    // Some readers pass on which card it is. Hosts with slots of their own are not asked to tell cards apart.
    const bool passed_on = record.identity.transport == media::Transport::usb && has_cid(record.identity);
    if (nest || passed_on) {
        const auto met_before = co_await earlier_cards();
        if (!met_before) co_return fail(met_before.error());
        known.insert(known.end(), met_before->begin(), met_before->end());
        about_card = findings_about_card(record, nest ? &*nest : nullptr, known);
    }
    std::ranges::move(findings_about_label(record), std::back_inserter(about_card));
    medium.identity = record.identity;
    medium.device = record.key;
    // What is mounted is what is there now; what is told is what was there before the first write.
    medium.kept = volume_on(record.identity, seen, medium);
    if (earlier.found)
        record.found = *earlier.found;
    else
        record.found = std::move(seen);
    if (earlier.fake) medium.set_aside = set_aside_as_fake;
    medium.passes = earlier.passes;
    if (auto kept = co_await context_.ports.store.put(context_.campaign.id, record); !kept)
        co_return fail(kept.error());
    if (auto kept = co_await keep_new_findings(medium, std::move(about_card)); !kept) co_return fail(kept.error());
    if (const auto handshake = std::exchange(medium.handshake, std::nullopt))
        if (auto kept = co_await context_.ports.store.add_detachment(context_.campaign.id, record.key, *handshake);
            !kept)
            co_return fail(kept.error());
    context_.tell(MediumIdentified{.medium = ref.name, .identity = record.identity});
    const media::Medium& is = record.identity;
    const std::string what = is.vendor.empty() ? is.model : fmt::format("{} {}", is.vendor, is.model);
    co_return fmt::format("{}{}{}{}", record.key, what.empty() ? "" : ", " + what,
                          is.size.count > 0 ? ", " + size_text(is.size) : "", not_inspected);
}

std::string StepActions::key_of(const media::Medium& identity, const plan::MediumRef& ref) const {
    std::string key = media::device_key(identity);
    if (!ref.slot) return key;
    const bool taken = std::ranges::any_of(
        identified_.keys, [&](const auto& each) { return each.first != ref.name && each.second == key; });
    return taken ? fmt::format("{}-slot-{}", key, ref.slot->number) : key;
}

std::vector<KnownCard> StepActions::note_identity(const store::DeviceRecord& record) {
    identified_.keys[record.name] = record.key;
    std::erase_if(identified_.cards, [&](const KnownCard& card) { return card.device.name == record.name; });
    std::vector<KnownCard> others = identified_.cards;
    if (has_cid(record.identity)) identified_.cards.push_back({.device = record, .campaign = {}});
    return others;
}

asio::awaitable<Result<std::vector<KnownCard>>> StepActions::earlier_cards() {
    if (!earlier_cards_) {
        const auto campaigns = co_await context_.ports.store.campaigns();
        if (!campaigns) co_return fail(campaigns.error());
        std::vector<KnownCard> cards;
        for (const store::CampaignRecord& campaign : *campaigns) {
            if (campaign.id == context_.campaign.id) continue;
            const auto view = co_await context_.ports.store.outline(campaign.id);
            if (!view && view.error().code == Errc::bad_request) continue; // removed since
            if (!view) co_return fail(view.error());
            std::ranges::move(cards_among(view->devices, campaign.name), std::back_inserter(cards));
        }
        earlier_cards_ = std::move(cards);
    }
    co_return *earlier_cards_;
}

StepActions::Done StepActions::keep_new_findings(const MediumState& medium, measure::Findings findings) {
    if (findings.empty()) co_return Result<void>{};
    const auto view = co_await context_.ports.store.load_device(context_.campaign.id, medium.device);
    if (!view) co_return fail(view.error());
    std::erase_if(findings, [&](const measure::Finding& finding) {
        return std::ranges::find(view->findings, finding, &store::FindingRecord::finding) != view->findings.end();
    });
    co_return co_await keep_findings(medium, "", findings);
}

} // namespace mediarig::session
