// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/app/preview.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "host/app/lab_route.hpp"
#include "host/app/rig_plan.hpp"

namespace mediarig::app {
namespace {

namespace asio = boost::asio;

constexpr Rate assumed_rate{20e6}; ///< a card in an ordinary reader

/// What making and checking a file system takes; mounting it is up to drivers that only a mount tells of.
std::vector<std::string> tools_of(const plan::FormatEntry& format) {
    if (format.keep) return {};
    std::vector<std::string> tools;
    const std::string_view fs = media::name_of(format.spec.fs);
    // A profile makes exFAT or FAT by the capacity.
    if (format.profile || fs == "exfat") tools = {"mkfs.exfat", "fsck.exfat"};
    if (format.profile || fs.starts_with("fat")) tools.emplace_back("mkfs.fat");
    if (!format.profile && fs == "apfs") tools = {"mkapfs", "apfsck"};
    if (format.profile || format.spec.partition) tools.emplace_back("sfdisk");
    return tools;
}

/// What the agent's machine lacks, whatever the medium; empty where nothing.
std::vector<Error> lacks_of(const agent::HelloReport& machine, const plan::Plan& plan) {
    std::vector<Error> lacks;
    if (!machine.privileged)
        lacks.push_back({Errc::no_permission,
                         fmt::format("the agent on {} may not claim, format or mount: run as root, or with --agent "
                                     "sudo",
                                     machine.host_name)});
    std::set<std::string> missing;
    for (const plan::FormatEntry& format : plan.formats)
        for (const std::string& tool : tools_of(format))
            if (const auto known = machine.tools.find(tool); known != machine.tools.end() && !known->second)
                missing.insert(tool);
    for (const std::string& tool : missing)
        lacks.push_back({Errc::no_driver, fmt::format("{} is not installed on {}", tool, machine.host_name)});
    return lacks;
}

/// What a run would begin with, and nothing more: only a claim looks at everything that may forbid one.
asio::awaitable<Result<void>> try_claim(agent::AgentClient& agent, const plan::MediumRef& ref,
                                        const media::Medium& identity) {
    // Not made within the co_await: GCC 12 destroys such an aggregate twice.
    const media::ClaimRequest request{
        .target = ref.target(),
        // A look erases nothing: a confirmation is asked for by the run. One that is given is compared.
        .confirm = ref.confirm.empty() ? media::confirmation_of(identity) : ref.confirm,
        .presence = media::presence_of(identity),
        .contents = ref.contents_unknown ? media::Contents::may_be_unknown : media::Contents::must_be_known};
    auto claimed = co_await agent.claim(request);
    if (!claimed) co_return fail(claimed.error());
    co_return co_await agent.release(claimed->claim);
}

asio::awaitable<PreviewMedium> look_at(agent::AgentClient& agent, const plan::MediumRef& ref,
                                       const std::vector<Error>& lacks) {
    PreviewMedium medium{.name = ref.name, .target = ref.target(), .identity = std::nullopt, .problems = {}};
    auto identity = co_await agent.identify(ref.target());
    if (!identity) {
        medium.problems.push_back(identity.error());
        co_return medium;
    }
    medium.identity = std::move(*identity);
    if (!ref.directory.empty()) co_return medium;
    for (const media::Refusal& refusal : medium.identity->refusals)
        medium.problems.push_back({Errc::refused, refusal.detail});
    if (medium.problems.empty()) medium.problems = lacks;
    if (medium.problems.empty())
        if (auto claimed = co_await try_claim(agent, ref, *medium.identity); !claimed)
            medium.problems.push_back(claimed.error());
    co_return medium;
}

Result<std::vector<PreviewMedium>> on_this_machine(const plan::Plan& plan, const AgentChoice& choice) {
    std::vector<PreviewMedium> media;
    session::StopSignal stop;
    const auto done = with_agent(
        choice, stop, [&](agent::AgentClient& agent, const agent::HelloReport& hello) -> asio::awaitable<Result<void>> {
            const std::vector<Error> lacks = lacks_of(hello, plan);
            for (const plan::MediumRef& ref : plan.media) media.push_back(co_await look_at(agent, ref, lacks));
            co_return Result<void>{};
        });
    if (!done) return fail(done.error());
    return media;
}

/// What the models say of themselves: nothing is booted for a look.
Result<std::vector<PreviewMedium>> in_the_lab(const plan::Plan& plan, const RigChoice& rig) {
    const auto lab = set_up_lab(rig.simulated() ? living_cards(plan) : plan.lab, {});
    if (!lab) return fail(lab.error());
    std::vector<PreviewMedium> media;
    for (const plan::MediumRef& ref : plan.media) {
        media::Medium medium;
        medium.node = fmt::format("slot {} of the lab", ref.slot->number);
        PreviewMedium shown{.name = ref.name, .target = medium.node, .identity = std::nullopt, .problems = {}};
        if (const auto claimed = lab->claimed.find(*ref.slot); claimed != lab->claimed.end()) {
            medium.size = claimed->second;
            shown.identity = medium;
        }
        media.push_back(std::move(shown));
    }
    return media;
}

/// Nothing is moved for a look.
std::vector<PreviewMedium> in_the_rig(const plan::Plan& plan) {
    std::vector<PreviewMedium> media;
    for (const plan::MediumRef& ref : plan.media)
        media.push_back({.name = ref.name,
                         .target = fmt::format("slot {} of the rig", ref.slot->number),
                         .identity = std::nullopt,
                         .problems = {}});
    return media;
}

Result<std::vector<PreviewMedium>> look(const plan::Plan& plan, const AgentChoice& choice, const RigChoice& rig) {
    if (!plan.lab.empty()) return in_the_lab(plan, rig);
    const bool all_in_slots = std::all_of(plan.media.begin(), plan.media.end(),
                                          [](const plan::MediumRef& ref) { return ref.slot.has_value(); });
    if (!rig.how.empty() && all_in_slots) return in_the_rig(plan);
    return on_this_machine(plan, choice);
}

} // namespace

int exit_status(const Preview& preview) {
    int status = 0;
    for (const PreviewMedium& medium : preview.media)
        for (const Error& problem : medium.problems) {
            const int its = mediarig::exit_status(problem.code);
            status = status == 0 || status == its ? its : mediarig::exit_status(Errc::host_fault);
        }
    return status;
}

Result<Preview> preview(const plan::Plan& wanted, const AgentChoice& choice, const RigChoice& rig) {
    const auto resolved = wanted.all_slots ? plan_on(rig, wanted) : wanted;
    if (!resolved) return fail(resolved.error());
    const plan::Plan& plan = *resolved;
    Preview result{.assumed = assumed_rate};
    auto media = look(plan, choice, rig);
    if (!media) return fail(media.error());
    result.media = std::move(*media);

    for (const plan::Step& step : plan::unroll(plan)) {
        PreviewStep line{.step = step, .estimate = std::nullopt};
        if (const auto& identity = result.media[step.medium].identity; identity) {
            if (auto estimate = plan::estimate(step, identity->size, assumed_rate)) {
                result.written += estimate->written;
                result.read += estimate->read;
                result.time += estimate->time;
                line.estimate = *estimate;
            } else {
                return fail(estimate.error());
            }
        }
        result.steps.push_back(std::move(line));
    }
    return result;
}

} // namespace mediarig::app
