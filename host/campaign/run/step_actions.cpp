// SPDX-License-Identifier: GPL-3.0-or-later
/// Performs the steps of a medium: identification, formatting, measurement and verdict.
#include "host/campaign/run/step_actions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <chrono>
#include <cmath>
#include <iterator>
#include <utility>

#include "common/fnv1a.hpp"
#include "host/base/text.hpp"
#include "host/campaign/run/assess.hpp"
#include "host/campaign/run/card_identity.hpp"
#include "host/campaign/run/label_claims.hpp"
#include "host/campaign/run/required_resources.hpp"
#include "host/plan/names.hpp"
#include "host/store/record_json.hpp"
#include "host/workload/metrics/inconsistent_passes.hpp"

namespace mediarig::campaign {

namespace asio = boost::asio;

namespace {

/// Returns the format of a step that formats; a profile depends on the capacity of the present medium.
Result<media::FormatSpec> spec_of(const plan::Step& step, const MediumState& medium) {
    return plan::spec_for(*step.format, medium.identity->size, medium.identity->logical_sector);
}

/// The volume that a step uses.
struct RequestedVolume {
    media::FileSystem fs{};
    std::optional<std::uint32_t> partition;
};

/// Returns the volume that the plan made, or the existing volume of the medium.
Result<RequestedVolume> volume_of(const plan::Step& step, const MediumState& medium) {
    if (step.format && !step.format->keep) {
        const auto spec = spec_of(step, medium);
        if (!spec) return fail(spec.error());
        RequestedVolume made{.fs = spec->fs, .partition = std::nullopt};
        if (medium.formatted && medium.formatted->partition) made.partition = medium.formatted->partition->number;
        return made;
    }
    if (!medium.kept) return fail(medium.kept.error());
    RequestedVolume kept{.fs = medium.kept->fs, .partition = std::nullopt};
    if (medium.kept->span.partition != 0) kept.partition = medium.kept->span.partition;
    return kept;
}

/// Returns "partition 2 (63.9 GB from byte 1048576), ", or nothing for a volume that occupies the whole medium.
std::string where_of(const media::MountReport& mounted) {
    if (!mounted.volume || mounted.volume->partition == 0) return {};
    return fmt::format("{} ({} from byte {}{}), ", name_of(*mounted.volume), size_text(mounted.volume->length),
                       mounted.volume->start.count, mounted.through_loop ? ", through a loop device" : "");
}

std::string others_of(const plan::Step& step, const MediumState& medium) {
    if (!step.format || !step.format->keep || !medium.kept || medium.kept->passed_over == 0) return {};
    return fmt::format("; other volumes that could be mounted: {}; choose one by its number", medium.kept->passed_over);
}

/// `now` comes from the agent: through a reader it lacks the registers that the nest read.
bool is_same(const media::Medium& now, media::Medium before) {
    if (!now.sd) before.sd.reset();
    return media::device_key(now) == media::device_key(before) && now.disk_sequence == before.disk_sequence;
}

/// Refuses a different driver: passes with different drivers are not comparable as one format.
Result<void> check_same_driver(const plan::Step& step, const MediumState& medium) {
    for (const store::PassView& before : medium.tested.passes) {
        if (before.pass.format != step.format_name || !before.pass.mounted) continue;
        const media::MountReport &was = *before.pass.mounted, &is = *medium.mounted;
        if (was.driver == is.driver && was.driver_version == is.driver_version) continue;
        return fail(Errc::bad_request,
                    fmt::format("{} is mounted by {} {} now, and its earlier passes were measured with {} {}; begin a "
                                "new comparison",
                                step.format_name, is.driver, is.driver_version, was.driver, was.driver_version));
    }
    return {};
}

} // namespace

asio::awaitable<Result<void>> release_claim(agent::AgentClient& agent, agent::ClaimId claim, const StopSignal& stop) {
    // A cancelled release does not wait for a volume that stays busy.
    if (stop.requested()) cancel_soon(co_await asio::this_coro::executor, agent);
    co_return co_await agent.release(claim);
}

void cancel_soon(const asio::any_io_executor& executor, agent::AgentClient& agent) {
    asio::post(executor, [executor, &agent] {
        asio::co_spawn(
            executor, [&agent]() -> asio::awaitable<void> { (void)co_await agent.cancel(); }, asio::detached);
    });
}

StepActions::Outcome StepActions::perform(std::size_t index, const plan::Step& step, MediumState& medium) {
    if (!traits_of(step.kind).is_cleanup)
        if (auto stop = context_.stopped()) co_return fail(std::move(*stop));
    switch (step.kind) {
        case plan::StepKind::load:
            co_return co_await load(medium);
        case plan::StepKind::identify:
            co_return co_await identify(medium);
        case plan::StepKind::claim:
            co_return co_await claim(medium);
        case plan::StepKind::discard:
            co_return co_await discard(medium);
        case plan::StepKind::rest:
            co_return co_await rest(step, medium);
        case plan::StepKind::format:
            co_return co_await format(step, medium);
        case plan::StepKind::mount:
            co_return co_await mount(step, medium);
        case plan::StepKind::run:
            co_return co_await run(index, step, medium);
        case plan::StepKind::check:
            co_return co_await check(step, medium);
        case plan::StepKind::unmount:
            co_return co_await unmount(medium);
        case plan::StepKind::release:
            co_return co_await release(medium);
        case plan::StepKind::unload:
            co_return co_await unload(medium);
        case plan::StepKind::verdict:
            co_return co_await judge(medium);
    }
    co_return fail(Errc::bad_request, "unknown kind of step");
}

StepActions::Outcome StepActions::load(MediumState& medium) {
    if (!context_.ports.rig)
        co_return fail(Errc::bad_request, medium.ref->name + " is in a slot, but no rig is connected");
    // Set before the load: a load that fails halfway must be undone too.
    medium.loaded = true;
    auto there = co_await context_.ports.rig->load(*medium.ref->slot, context_.ports.agent);
    if (!there) co_return fail(there.error());
    medium.target = there->medium.node;
    medium.handshake = there->detachment;
    medium.nest = there->nest;
    const std::string how = rig::journal_text(there->how, there->detachment);
    co_return how.empty() ? there->medium.node : fmt::format("{}, {}", there->medium.node, how);
}

StepActions::Outcome StepActions::claim(MediumState& medium) {
    // If the file system is kept, the medium loses no data; a medium in a slot was put there to be tested. In both
    // cases the name is enough confirmation, and all other refusals still apply.
    std::string confirm = medium.ref->confirm;
    if (confirm.empty() && (medium.loaded || !plan::destroys(context_.plan)))
        confirm = media::confirmation_of(*medium.identity);
    // GCC 12 destroys an aggregate twice if it is created inside a co_await expression.
    const media::ClaimRequest request{
        .target = medium.target,
        .confirm = confirm,
        .presence = media::presence_of(*medium.identity),
        .contents = plan::claimed_contents(context_.plan, *medium.ref),
        .use = medium.ref->use_unknown ? media::Use::may_be_unknown : media::Use::must_be_known};
    auto claimed = co_await context_.ports.agent.claim(request);
    if (!claimed) co_return fail(claimed.error());
    medium.claim = claimed->claim;
    co_return claimed->medium.node;
}

StepActions::Outcome StepActions::format(const plan::Step& step, MediumState& medium) {
    medium.formatted.reset();
    const auto spec = spec_of(step, medium);
    if (!spec) co_return fail(spec.error());
    auto made = co_await context_.ports.agent.format(*medium.claim, *spec);
    if (!made) co_return fail(made.error());
    medium.formatted = *made;
    medium.has_begun = true;
    // Inspect before a mount changes the volume. The formatter reads back only its own settings; the inspector reads
    // the whole medium.
    store::FormatRecord record{.step = step.key,
                               .device = medium.device,
                               .format = step.format_name,
                               .repeat = step.repeat,
                               .formatted = *made,
                               .seen = std::nullopt};
    std::string not_inspected;
    auto seen = co_await context_.ports.agent.inspect(medium.target);
    if (seen) {
        // The claim holds the device, but another device may have its name now.
        auto still = co_await context_.ports.agent.identify(medium.target);
        if (!still && still.error().code == Errc::cancelled) co_return fail(still.error());
        if (!still)
            not_inspected = "; not inspected: " + still.error().detail;
        else if (!is_same(*still, *medium.identity))
            not_inspected =
                fmt::format("; not inspected: {} is another medium now ({})", medium.target, media::device_key(*still));
        else
            record.seen = std::move(*seen);
    } else if (seen.error().code == Errc::cancelled) {
        co_return fail(seen.error());
    } else {
        not_inspected = "; not inspected: " + seen.error().detail;
    }
    if (auto kept = co_await context_.ports.store.put(context_.campaign.id, record); !kept)
        co_return fail(kept.error());
    co_return fmt::format("{} by {} {}, {} usable{}", media::title_of(made->fs), made->tool, made->tool_version,
                          size_text(made->usable), not_inspected);
}

StepActions::Outcome StepActions::mount(const plan::Step& step, MediumState& medium) {
    const auto volume = volume_of(step, medium);
    if (!volume) co_return fail(volume.error());
    auto mounted = co_await context_.ports.agent.mount(*medium.claim, volume->fs, volume->partition);
    if (!mounted) co_return fail(mounted.error());
    medium.mounted = *mounted;
    medium.about_mount.clear();
    if (context_.plan.compare)
        if (auto same = check_same_driver(step, medium); !same) co_return fail(std::move(same.error()));
    std::string settled;
    if (context_.plan.compare) {
        auto quiet = co_await wait_idle(medium);
        if (!quiet) co_return fail(quiet.error());
        settled = "; " + *quiet;
    }
    co_return fmt::format("{}driver {}, {} free{}{}", where_of(*mounted), mounted->driver, size_text(mounted->free),
                          others_of(step, medium), settled);
}

StepActions::Outcome StepActions::check(const plan::Step& step, MediumState& medium) {
    const auto volume = volume_of(step, medium);
    if (!volume) co_return fail(volume.error());
    auto report = co_await context_.ports.agent.check(*medium.claim, volume->fs, volume->partition);
    if (!report) co_return fail(report.error());
    if (auto kept = co_await context_.ports.store.add(context_.campaign.id, medium.device, *report); !kept)
        co_return fail(kept.error());
    if (medium.made_anew_for_check) {
        const measure::Findings note{{.kind = measure::FindingKind::resumed,
                                      .severity = measure::Severity::note,
                                      .detail = fmt::format("{}: interrupted between measuring and checking; a newly "
                                                            "formatted volume was checked, but not the measured volume",
                                                            step.format_name)}};
        if (auto kept = co_await keep_findings(medium, note); !kept) co_return fail(kept.error());
    }
    if (!report->clean) {
        const std::string said = report->said.empty() ? "nothing more" : report->said.back();
        const measure::Findings found{{.kind = measure::FindingKind::check_failed,
                                       .severity = measure::Severity::fault,
                                       .detail = fmt::format("{} on {}: {}", report->tool, step.format_name, said)}};
        if (auto kept = co_await keep_findings(medium, found); !kept) co_return fail(kept.error());
    }
    co_return fmt::format("{} {}: {}", report->tool, report->tool_version, report->clean ? "clean" : "damaged");
}

StepActions::Outcome StepActions::unmount(MediumState& medium) {
    auto done = co_await context_.ports.agent.unmount(*medium.claim);
    if (!done) co_return fail(done.error());
    medium.mounted.reset();
    medium.condition.reset();
    co_return "";
}

StepActions::Outcome StepActions::release(MediumState& medium) {
    medium.mounted.reset();
    auto done = co_await release_claim(context_.ports.agent, *medium.claim, context_.stop);
    // The agent keeps the claim if its release failed: end_claim() tries again.
    if (!done) co_return fail(done.error());
    medium.claim.reset();
    co_return "";
}

StepActions::Outcome StepActions::unload(MediumState& medium) {
    medium.loaded = false;
    const rig::Sorting to = sorting_of(medium);
    auto done = co_await context_.ports.rig->unload(*medium.ref->slot, to, context_.ports.agent);
    if (!done) co_return fail(done.error());
    medium.in_bin = done->in_bin;
    if (done->detachment && !medium.device.empty() && !medium.may_be_another())
        if (auto kept = co_await context_.ports.store.add(context_.campaign.id, medium.device, *done->detachment);
            !kept)
            co_return fail(kept.error());
    co_return rig::journal_text(done->how, done->detachment);
}

asio::awaitable<std::optional<Error>> StepActions::rig_fault_of() {
    std::vector<ResourceRequest> resources{{the_rig, ResourceRequest::How::alone}};
    const auto permit = co_await context_.admission.enter(std::move(resources));
    co_return co_await context_.ports.rig->rig_fault();
}

StepActions::Done StepActions::record_unidentified(MediumState& medium) {
    if (!medium.device.empty()) co_return Result<void>{};
    // The medium already has a record. A second record would count it twice and hide its identity from the next
    // attempt.
    medium.device = medium.earlier.device;
    if (!medium.device.empty()) co_return Result<void>{};
    const store::DeviceRecord record = unidentified(*medium.ref, medium.target);
    medium.device = record.key;
    co_return co_await context_.ports.store.put(context_.campaign.id, record);
}

StepActions::Done StepActions::note_untested(MediumState& medium, const plan::Step& step, const std::string& why) {
    medium.tested.untested.push_back(plan::untested(step, why));
    co_return co_await context_.ports.store.add(context_.campaign.id, medium.device, medium.tested.untested.back());
}

StepActions::Done StepActions::keep_findings(const MediumState& medium, const measure::Findings& findings) {
    for (const measure::Finding& finding : findings) {
        context_.tell(FindingReported{.medium = medium.ref->name, .finding = finding});
        if (auto kept = co_await context_.ports.store.add(context_.campaign.id, medium.device, finding); !kept)
            co_return kept;
    }
    co_return Result<void>{};
}

namespace {

/// Returns the record of a medium from the plan, before the medium is identified.
store::DeviceRecord described(const plan::MediumRef& ref) {
    store::DeviceRecord record{.name = ref.name, .lot = ref.lot, .label = ref.label};
    if (ref.slot) record.slot = fmt::format("{}", ref.slot->number);
    return record;
}

/// Compares more than the key: the key of a card in a reader is the reader's key, and the key of an image is its path.
Result<void> check_same_as_before(const MediumState& medium, const store::DeviceRecord& now) {
    const PreviousAttempt& earlier = medium.earlier;
    if (earlier.device.empty()) return {};
    const auto other = [&](const std::string& is, const std::string& was) {
        return fail(
            Errc::refused,
            fmt::format("{} {} now and {} when the campaign began; insert the first medium, or start a new campaign",
                        medium.target, is, was));
    };
    if (earlier.device != now.key) return other("is " + now.key, "was " + earlier.device);
    if (!medium.ref->directory.empty()) return {};
    const media::Medium &is = now.identity, &was = earlier.identity;
    if (const SizeTexts sizes = size_texts(is.size, was.size); is.size != was.size)
        return other("has " + sizes.first, "had " + sizes.second);
    // The device number is not compared, because numbers of file systems change at a reboot.
    if (is.file && was.file && is.file->inode != was.file->inode)
        return other(fmt::format("is another file (inode {})", is.file->inode),
                     fmt::format("was inode {}", was.file->inode));
    // The inode number of a removed file is reused.
    if (is.file && was.file && is.file_born_ns != was.file_born_ns)
        return other("is a file created at another time", "was another file");
    return {};
}

/// Chooses the volume by the content of the medium, or by discovery if the content could not be inspected. A request to
/// keep a volume is invalid if the medium has no volume.
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
                fmt::format("{} holds no file system that mediarig can mount{}: {}", medium.target,
                            said.empty() ? "" : " (" + said + ")", media::next_step_without_volume(!said.empty())));
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
        // SMART data is useful, but a test does not require it.
        if (auto smart = co_await context_.ports.agent.smart(medium.target)) record.identity.smart = std::move(*smart);
        if (auto stop = context_.stopped()) co_return fail(std::move(*stop));
    }
    if (media::may_have_card_health(record.identity)) {
        if (auto health = co_await context_.ports.agent.card_health(medium.target))
            record.identity.health = std::move(*health);
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
    const PreviousAttempt& earlier = medium.earlier;
    // A record that was begun before the nest could read the card keeps its key.
    const bool keeps_key = !earlier.device.empty() && !has_cid(earlier.identity);
    record.key = key_of(keeps_key ? without_registers(record.identity) : record.identity, ref);
    if (auto same = check_same_as_before(medium, record); !same) co_return fail(std::move(same.error()));
    std::vector<KnownCard> known = note_identity(record);

    measure::Findings about_card;
    // Some readers report the card's identity. Cards in a machine's own slot are not checked for duplicates.
    const bool passed_on = record.identity.transport == media::Transport::usb && has_cid(record.identity);
    if (nest || passed_on) {
        const auto earlier_identities = co_await earlier_cards();
        if (!earlier_identities) co_return fail(earlier_identities.error());
        known.insert(known.end(), earlier_identities->begin(), earlier_identities->end());
        about_card = findings_about_card(record, nest ? &*nest : nullptr, known);
    }
    std::ranges::move(findings_about_label(record), std::back_inserter(about_card));
    medium.identity = record.identity;
    medium.device = record.key;
    // The mount uses the present content; the record contains the content before the first write.
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
        if (auto kept = co_await context_.ports.store.add(context_.campaign.id, record.key, *handshake); !kept)
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
            if (!view && view.error().code == Errc::bad_request) continue; // removed since then
            if (!view) co_return fail(view.error());
            std::ranges::move(known_cards(view->devices, campaign.name), std::back_inserter(cards));
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
        return std::ranges::find(view->findings, finding) != view->findings.end();
    });
    co_return co_await keep_findings(medium, findings);
}

/// Prepares a medium, so that each pass of a comparison starts from the same state: discards or fills it, lets it rest,
/// and waits for background work of its format.
namespace {

using namespace std::chrono_literals;

constexpr Bytes transfer = 1_MiB;
/// Length of a transfer that a card completes in a fraction of a second and that exceeds the buffer of a reader.
constexpr Bytes pace_length = 8_MiB;
/// Within these limits a medium is in its initial state: throttling changes the rate more, the scatter of 8 MiB changes
/// it less.
constexpr double same_rate = 0.9, same_degrees = 2;
constexpr auto between_looks = 5s;

/// Writes the beginning of a raw medium sequentially.
workload::JobSpec written_in_order(const char* name, Bytes length) {
    workload::SweepJob sweep{.cells = {}, .span = length, .no_layout = true};
    sweep.cells.push_back({.id = name,
                           .table = name,
                           .access = workload::Access::sequential_write,
                           .block = std::min(transfer, length),
                           .volume = length,
                           .time_limit = {}});
    workload::JobSpec job{.suite = name, .kind = std::move(sweep)};
    job.cache = workload::CachePolicy::direct;
    job.sync = workload::SyncLevel::at_end;
    return job;
}

double per_second(const workload::CellResult& cell) {
    return rate_of(cell.moved, cell.elapsed).bytes_per_second;
}

std::string amount_of(store::RestUntil until, double value) {
    return until == store::RestUntil::temperature ? fmt::format("{:.0f} degrees", value)
                                                  : fmt::format("{:.1f} MB/s", value / 1e6);
}

bool is_back(store::RestUntil until, double value, double reference) {
    return until == store::RestUntil::temperature ? value <= reference + same_degrees : value >= reference * same_rate;
}

std::string text_of(const store::Rest& rest) {
    std::string text = fmt::format("{:.0f} s", std::chrono::duration<double>(rest.waited).count());
    if (rest.until == store::RestUntil::time) return text;
    return text + fmt::format(", {} at {}, before the first pass at {}{}", store::name_of(rest.until),
                              amount_of(rest.until, rest.value), amount_of(rest.until, rest.reference),
                              rest.reached ? "" : ": not restored when the longest rest was over");
}

/// Returns the rest before the first pass for which a rest of this kind was recorded; a resumed comparison continues
/// with its state.
std::optional<store::Rest> first_rest(const MediumState& medium, store::RestUntil until) {
    for (const store::PassView& view : medium.tested.passes)
        if (view.pass.condition && view.pass.condition->rested && view.pass.condition->rested->until == until)
            return view.pass.condition->rested;
    return std::nullopt;
}

} // namespace

asio::awaitable<Result<workload::CellResult>> StepActions::write_in_order(MediumState& medium, const char* name,
                                                                          Bytes length) {
    std::optional<workload::CellResult> cell;
    agent::RunHandlers handlers;
    handlers.on_cell = [&](const workload::CellResult& result) { cell = result; };
    // Use a named variable, because GCC 12 destroys an aggregate twice if it is created inside a co_await expression.
    const agent::RunTarget target = agent::RunTarget::raw(*medium.claim);
    const workload::JobSpec job = written_in_order(name, align_down(std::min(length, medium.identity->size), 4_KiB));
    const std::vector<workload::PreviousCell> none;
    auto report = co_await context_.ports.agent.run(target, job, none, std::move(handlers));
    if (!report) co_return fail(report.error());
    if (!cell || cell->end != workload::CellEnd::volume || cell->elapsed.count() <= 0)
        co_return fail(Errc::io_failed,
                       fmt::format("{} of the bare medium was not written completely", size_text(length)));
    co_return std::move(*cell);
}

StepActions::Outcome StepActions::discard(MediumState& medium) {
    medium.discarded.reset();
    medium.condition = store::Condition{};
    auto done = co_await context_.ports.agent.discard(*medium.claim);
    if (!done) co_return fail(done.error());
    medium.discarded = *done;
    std::string words = media::text_of(*done);
    if (done->taken || !context_.plan.compare || context_.plan.compare->fill == 0_B) co_return words;
    const auto filled = co_await write_in_order(medium, "fill", context_.plan.compare->fill);
    if (!filled) co_return fail(filled.error());
    medium.condition->filled = store::Fill{.length = filled->moved, .elapsed = filled->elapsed};
    co_return fmt::format("{}; filled with {} at {:.1f} MB/s", words, size_text(filled->moved),
                          per_second(*filled) / 1e6);
}

StepActions::Done StepActions::leave_alone(std::chrono::milliseconds time) {
    co_await wait_until(context_, std::chrono::steady_clock::now() + time);
    if (auto stop = context_.stopped()) co_return fail(std::move(*stop));
    co_return Result<void>{};
}

/// Returns the temperature if the medium reports it; otherwise the rate of writing a few megabytes.
asio::awaitable<Result<store::Rest>> StepActions::read_rest_state(MediumState& medium) {
    if (media::may_have_smart(*medium.identity)) {
        const auto smart = co_await context_.ports.agent.smart(medium.target);
        if (!smart && smart.error().code == Errc::cancelled) co_return fail(smart.error());
        if (smart && smart->temperature_c) {
            context_.tell(TemperatureRead{.medium = medium.ref->name, .celsius = *smart->temperature_c});
            co_return store::Rest{.until = store::RestUntil::temperature, .value = *smart->temperature_c};
        }
    }
    const auto written = co_await write_in_order(medium, "pace", pace_length);
    if (!written) co_return fail(written.error());
    co_return store::Rest{.until = store::RestUntil::rate, .value = per_second(*written)};
}

StepActions::Outcome StepActions::rest(const plan::Step& step, MediumState& medium) {
    if (auto left = co_await leave_alone(step.rest); !left) co_return fail(left.error());
    const std::chrono::milliseconds longest = context_.plan.compare->longest_rest;
    std::chrono::milliseconds waited = step.rest;
    store::Rest rest;
    for (;;) {
        auto seen = co_await read_rest_state(medium);
        if (!seen) co_return fail(seen.error());
        rest = *seen;
        const auto first = first_rest(medium, rest.until);
        // Use the lowest of three rates: a single fast measurement would make every later pass wait.
        for (int again = 0; !first && rest.until == store::RestUntil::rate && again < 2; ++again) {
            seen = co_await read_rest_state(medium);
            if (!seen) co_return fail(seen.error());
            rest.value = std::min(rest.value, seen->value);
        }
        rest.waited = waited;
        rest.reference = first ? first->reference : rest.value;
        rest.reached = is_back(rest.until, rest.value, rest.reference);
        if (rest.reached || waited >= longest) break;
        const auto more = std::min<std::chrono::milliseconds>(between_looks, longest - waited);
        if (auto left = co_await leave_alone(more); !left) co_return fail(left.error());
        waited += more;
    }
    if (!medium.condition) medium.condition = store::Condition{};
    medium.condition->rested = rest;
    co_return text_of(rest);
}

asio::awaitable<Result<std::string>> StepActions::wait_idle(MediumState& medium) {
    auto settled = co_await context_.ports.agent.wait_idle(*medium.claim);
    if (!settled) co_return fail(settled.error());
    if (!medium.condition) medium.condition = store::Condition{};
    medium.condition->idle = *settled;
    co_return media::text_of(*settled);
}

/// Passes that were measured in parallel with other media: their records, and the repetition of some of these passes
/// alone.
namespace {

/// Allowed scatter of a medium from pass to pass.
constexpr double audit_tolerance = 0.1;

Rate cell_rate(const workload::CellResult& cell) {
    return rate_of(cell.moved, cell.elapsed);
}

std::string rate_text(Rate rate) {
    return fmt::format("{:.1f} MB/s", rate.megabytes_per_second());
}

measure::Finding about_neighbours(measure::Severity severity, std::string detail) {
    return {.kind = measure::FindingKind::beside_others, .severity = severity, .detail = std::move(detail)};
}

/// Returns one of 2^32 equally likely numbers, always the same number for the same arguments.
std::uint32_t drawn_for(const std::string& campaign, const std::string& pass) {
    const std::uint32_t hash = fnv1a<std::uint32_t>(campaign + "\n" + pass);
    // Mix the bits: the lower bits depend too much on the last character.
    return (hash ^ hash >> 15) * 0x2c1b3c6d;
}

} // namespace

measure::Findings findings_of(const ConcurrentCells& beside, std::size_t cells) {
    measure::Findings findings;
    for (const auto& [neighbour, during] : beside) {
        std::string when = during.size() == cells
                               ? fmt::format("in all {} cells", cells)
                               : fmt::format("in {} of {} cells: {}", during.size(), cells, fmt::join(during, ", "));
        findings.push_back(
            about_neighbours(measure::Severity::note,
                             fmt::format("{} used the same uplink ({}) {}", neighbour.medium, neighbour.step, when)));
    }
    return findings;
}

bool StepActions::audit_is_due(const MediumState& medium) const {
    if (context_.plan.compare || context_.ports.uplinks.measure || context_.stopped() || medium.tested.passes.empty())
        return false;
    const store::PassView& pass = medium.tested.passes.back();
    const bool beside = std::ranges::find(pass.findings, measure::FindingKind::beside_others,
                                          &measure::Finding::kind) != pass.findings.end();
    return beside && workload::disturbance_of(pass.pass.job) == workload::Disturbance::by_lack_of_bytes &&
           drawn_for(context_.campaign.id, pass.pass.id) < context_.ports.uplinks.audited * 4294967296.0;
}

StepActions::Done StepActions::audit(std::size_t index, const plan::Step& step, MediumState& medium) {
    const store::PassView& pass = medium.tested.passes.back();
    std::vector<workload::CellResult> alone;
    agent::RunHandlers handlers;
    handlers.on_progress = [&](const agent::RunProgress& progress) { report_progress(index, progress, pass.pass.job); };
    handlers.on_cell = [&](const workload::CellResult& cell) { alone.push_back(cell); };
    const agent::RunTarget target = target_of(step, medium);
    const std::vector<workload::PreviousCell> none;
    auto report = co_await context_.ports.agent.run(target, pass.pass.job, none, std::move(handlers));
    measure::Findings findings;
    if (!report) {
        if (report.error().code == Errc::cancelled) co_return Result<void>{};
        findings.push_back(
            about_neighbours(measure::Severity::note, "could not be repeated alone: " + report.error().detail));
    } else {
        findings.push_back(isolation_finding(pass.cells, alone));
    }
    for (measure::Finding& finding : findings) finding.pass = pass.pass.id;
    co_return co_await keep_findings(medium, findings);
}

measure::Finding isolation_finding(const std::vector<workload::CellResult>& beside,
                                   const std::vector<workload::CellResult>& alone) {
    const workload::CellResult *worst = nullptr, *its_own = nullptr;
    double most = 0;
    std::size_t compared = 0;
    for (const workload::CellResult& one : beside)
        for (const workload::CellResult& other : alone) {
            if (one.cell.id != other.cell.id || one.elapsed.count() <= 0 || other.elapsed.count() <= 0) continue;
            ++compared;
            const double change = std::abs(cell_rate(one).bytes_per_second / cell_rate(other).bytes_per_second - 1);
            if (worst != nullptr && change <= most) continue;
            most = change;
            worst = &one;
            its_own = &other;
        }
    if (worst == nullptr) return about_neighbours(measure::Severity::note, "repeated alone: no cell can be compared");
    const std::string seen =
        fmt::format("repeated alone: {} gives {} in parallel and {} alone, the largest difference of {} cells",
                    worst->cell.id, rate_text(cell_rate(*worst)), rate_text(cell_rate(*its_own)), compared);
    if (most <= audit_tolerance) return about_neighbours(measure::Severity::note, seen);
    return about_neighbours(measure::Severity::warning,
                            seen + "; use fewer lanes, or measure the uplink again with --measure-uplinks");
}

/// Determines the verdict on a medium, and the place into which a rig sorts the medium.
asio::awaitable<Result<measure::Verdict>> StepActions::assessed(const MediumState& medium) {
    const auto view = co_await context_.ports.store.load_device(context_.campaign.id, medium.device);
    if (!view) co_return fail(view.error());
    co_return assess(*view, context_.plan.limits);
}

asio::awaitable<Result<bool>> StepActions::found_a_fault(MediumState& medium) {
    auto verdict = co_await assessed(medium);
    if (!verdict) co_return fail(std::move(verdict.error()));
    const bool faulty = verdict->grade == measure::Grade::fail || verdict->grade == measure::Grade::fake;
    // The next step judges the medium by the same record.
    if (faulty) medium.assessed = std::move(*verdict);
    co_return faulty;
}

asio::awaitable<Result<void>> StepActions::compare_passes(const MediumState& medium) {
    // The answer of a comparison already includes the order of its passes as a cause.
    if (context_.plan.compare) co_return Result<void>{};
    const auto view = co_await context_.ports.store.load_device(context_.campaign.id, medium.device);
    if (!view) co_return fail(view.error());
    std::vector<metrics::PassCells> passes;
    for (const store::PassView& pass : view->passes)
        if (workload::measures_rates(pass.pass.job))
            passes.push_back({pass.pass.job.suite, plan::place_of_format(pass.pass.format), &pass.cells,
                              pass.pass.job.payload.kind});
    co_return co_await keep_new_findings(medium, metrics::inconsistent_passes(passes));
}

StepActions::Outcome StepActions::judge(MediumState& medium) {
    auto& known = medium.assessed;
    if (!known) {
        // If a medium has a fault, the order of its passes is no longer relevant.
        if (auto kept = co_await compare_passes(medium); !kept) co_return fail(kept.error());
        auto verdict = co_await assessed(medium);
        if (!verdict) co_return fail(verdict.error());
        known = std::move(*verdict);
    }
    const measure::Verdict verdict = *std::exchange(known, std::nullopt);
    if (auto kept = co_await context_.ports.store.add(context_.campaign.id, medium.device, verdict); !kept)
        co_return fail(kept.error());
    medium.grade = verdict.grade;
    context_.tell(VerdictReached{.medium = medium.ref->name, .verdict = verdict});
    co_return std::string(measure::name_of(verdict.grade));
}

rig::Sorting StepActions::sorting_of(const MediumState& medium) {
    if (!medium.grade || medium.may_be_another()) return std::nullopt;
    switch (*medium.grade) {
        case measure::Grade::pass:
        // The plan was done, and another run would prove no more.
        case measure::Grade::formatted:
        case measure::Grade::measured:
        case measure::Grade::sampled:
        case measure::Grade::probed:
            return rigproto::Bin::pass;
        case measure::Grade::fail:
        case measure::Grade::fake:
            return rigproto::Bin::fail;
        case measure::Grade::marginal:
        case measure::Grade::inconclusive:
            break;
    }
    return rigproto::Bin::retest;
}

} // namespace mediarig::campaign
