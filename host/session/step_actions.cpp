// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/session/step_actions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <utility>

#include "host/session/needs.hpp"
#include "host/text.hpp"

namespace mediarig::session {

namespace asio = boost::asio;

namespace {

/// Of a step that formats; a profile decides by the capacity of the medium that is there.
Result<media::FormatSpec> spec_of(const plan::Step& step, const MediumState& medium) {
    return plan::spec_for(*step.format, medium.identity->size, medium.identity->logical_sector);
}

/// What a step works on.
struct Wanted {
    media::FileSystem fs{};
    std::optional<std::uint32_t> partition;
};

/// The plan's, where it was made; or what is on the medium.
Result<Wanted> volume_of(const plan::Step& step, const MediumState& medium) {
    if (step.format && !step.format->keep) {
        const auto spec = spec_of(step, medium);
        if (!spec) return fail(spec.error());
        Wanted made{.fs = spec->fs, .partition = std::nullopt};
        if (medium.formatted && medium.formatted->partition) made.partition = medium.formatted->partition->number;
        return made;
    }
    if (!medium.kept) return fail(medium.kept.error());
    Wanted kept{.fs = medium.kept->fs, .partition = std::nullopt};
    if (medium.kept->span.partition != 0) kept.partition = medium.kept->span.partition;
    return kept;
}

/// "partition 2 (63.9 GB from byte 1048576), ": nothing for a volume that has the medium to itself.
std::string where_of(const media::MountReport& mounted) {
    if (!mounted.volume || mounted.volume->partition == 0) return {};
    return fmt::format("{} ({} from byte {}{}), ", name_of(*mounted.volume), size_text(mounted.volume->length),
                       mounted.volume->start.count, mounted.through_loop ? ", through a loop device" : "");
}

std::string others_of(const plan::Step& step, const MediumState& medium) {
    if (!step.format || !step.format->keep || !medium.kept || medium.kept->passed_over == 0) return {};
    return fmt::format("; {} more could be mounted, choose by its number", medium.kept->passed_over);
}

/// `now` is as the agent sees it: through a reader, without the registers that the nest read.
bool is_same(const media::Medium& now, media::Medium before) {
    if (!now.sd) before.sd.reset();
    return media::device_key(now) == media::device_key(before) && now.disk_sequence == before.disk_sequence;
}

/// Passes of two drivers are no passes of one format.
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

Bytes available(const MediumState& medium) {
    return medium.mounted ? medium.mounted->free : medium.identity->size;
}

asio::awaitable<Result<void>> release_claim(agent::AgentClient& agent, agent::ClaimId claim, const StopSignal& stop) {
    // A cancelled release does not wait for what does not let go.
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
    // What fails halfway has to be put away as well.
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
    // A medium whose file system is kept loses nothing, and one in a slot was put there to be tested: naming it is
    // enough, and every refusal still holds.
    std::string confirm = medium.ref->confirm;
    if (confirm.empty() && (medium.loaded || !plan::destroys(context_.plan)))
        confirm = media::confirmation_of(*medium.identity);
    // GCC 12 destroys an aggregate that is made within a co_await twice.
    const media::ClaimRequest request{
        .target = medium.target,
        .confirm = confirm,
        .presence = media::presence_of(*medium.identity),
        .contents = medium.ref->contents_unknown ? media::Contents::may_be_unknown : media::Contents::must_be_known,
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
    // Before a mount changes it. A formatter reads back what it set; the inspector looks at the whole medium.
    store::MadeFormat record{.step = step.key,
                             .device = medium.device,
                             .format = step.format_name,
                             .repeat = step.repeat,
                             .formatted = *made,
                             .seen = std::nullopt};
    std::string not_inspected;
    auto seen = co_await context_.ports.agent.inspect(medium.target);
    if (seen) {
        // The claim holds the device; the name that is inspected may have been given to another one meanwhile.
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
        auto quiet = co_await settle(medium);
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
    if (auto kept = co_await context_.ports.store.add_check(context_.campaign.id, medium.device, *report); !kept)
        co_return fail(kept.error());
    if (medium.made_anew_for_check) {
        const measure::Findings note{
            {.kind = measure::FindingKind::resumed,
             .severity = measure::Severity::note,
             .detail = fmt::format("{}: interrupted between measuring and checking; the check is of a newly "
                                   "formatted volume, and the one that was measured was not checked",
                                   step.format_name)}};
        if (auto kept = co_await keep_findings(medium, "", note); !kept) co_return fail(kept.error());
    }
    if (!report->clean) {
        const std::string said = report->said.empty() ? "nothing more" : report->said.back();
        const measure::Findings found{{.kind = measure::FindingKind::check_failed,
                                       .severity = measure::Severity::fault,
                                       .detail = fmt::format("{} on {}: {}", report->tool, step.format_name, said)}};
        if (auto kept = co_await keep_findings(medium, "", found); !kept) co_return fail(kept.error());
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
    // The agent keeps the claim of a release that failed: let_go() tries it again.
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
        if (auto kept =
                co_await context_.ports.store.add_detachment(context_.campaign.id, medium.device, *done->detachment);
            !kept)
            co_return fail(kept.error());
    co_return rig::journal_text(done->how, done->detachment);
}

asio::awaitable<std::optional<Error>> StepActions::trouble_of_rig() {
    std::vector<Need> needs{{the_rig, Need::How::alone}};
    const auto permit = co_await context_.admission.enter(std::move(needs));
    co_return co_await context_.ports.rig->trouble();
}

StepActions::Done StepActions::give_up_unidentified(MediumState& medium) {
    if (!medium.device.empty()) co_return Result<void>{};
    // It has its record already: a second one would count it twice, and hide from the next attempt which it was.
    medium.device = medium.earlier.device;
    if (!medium.device.empty()) co_return Result<void>{};
    const store::DeviceRecord record = unidentified(*medium.ref, medium.target);
    medium.device = record.key;
    co_return co_await context_.ports.store.put(context_.campaign.id, record);
}

StepActions::Done StepActions::note_untested(MediumState& medium, const plan::Step& step, const std::string& why) {
    medium.tested.untested.push_back(plan::untested(step, why));
    co_return co_await context_.ports.store.add_untested(context_.campaign.id, medium.device,
                                                         medium.tested.untested.back());
}

StepActions::Done StepActions::keep_findings(const MediumState& medium, const std::string& pass,
                                             const measure::Findings& findings) {
    for (const measure::Finding& finding : findings) {
        context_.tell(FindingSeen{.medium = medium.ref->name, .pass = pass, .finding = finding});
        // Named: GCC 12 destroys an aggregate that is made within a co_await twice.
        const store::FindingRecord record{.pass = pass, .cell = {}, .finding = finding};
        if (auto kept = co_await context_.ports.store.add_finding(context_.campaign.id, medium.device, record); !kept)
            co_return kept;
    }
    co_return Result<void>{};
}

} // namespace mediarig::session
