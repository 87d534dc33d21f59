// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/app/preflight.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "host/agent/protocol/samples.hpp"
#include "host/app/lab/lab_route.hpp"
#include "host/app/rig/rig_route.hpp"
#include "host/campaign/comparison/comparison_text.hpp"
#include "host/campaign/remaining_time.hpp"
#include "host/media/identity/confirmation.hpp"
#include "host/workload/suites/suite.hpp"

namespace mediarig::app {
namespace {

namespace asio = boost::asio;

/// A preview erases nothing and needs no confirmation; a present confirmation is compared.
std::string confirmation_for(const plan::MediumRef& ref, const media::Medium& identity) {
    return ref.confirm.empty() ? media::confirmation_to_type(identity) : ref.confirm;
}

/// Returns the same code as the attaching of an image: an image that is too small is a wrong argument.
Errc code_of(const media::Refusal& refusal, const media::Medium& medium) {
    const bool wrong = refusal.kind == media::RefusalKind::too_small && medium.transport == media::Transport::image;
    return wrong ? Errc::bad_request : Errc::refused;
}

bool is_mounted(const plan::Plan& plan, const plan::FormatEntry& format) {
    const std::vector<plan::SuiteEntry>& suites = format.suites ? *format.suites : plan.suites;
    return std::ranges::any_of(
        suites, [](const plan::SuiteEntry& suite) { return suite.where == plan::SuiteTarget::file_system; });
}

/// Refusals of steps of the plan that are not allowed in this directory.
std::vector<Error> refusals_in(const plan::Plan& plan, const media::Medium& directory) {
    std::vector<Error> found;
    for (const plan::SuiteEntry& suite : plan.suites) {
        const auto job = suites::expand(suite.request, directory.size);
        if (!job) {
            // Usually the estimate reports a job that does not fit, but a full disk has no estimate.
            if (directory.size == 0_B) found.push_back(job.error());
            continue;
        }
        if (auto refusal = agent::refusal_to_fill(directory, *job)) found.push_back(std::move(*refusal));
    }
    return found;
}

std::vector<Error> refusals_of(const plan::MediumRef& ref, const media::Medium& identity) {
    std::vector<Error> found;
    for (const media::Refusal& refusal : media::permanent_refusals(identity, confirmation_for(ref, identity)))
        found.push_back({code_of(refusal, identity), refusal.detail});
    return found;
}

void add_once(std::vector<Error>& problems, Error problem) {
    if (std::ranges::find(problems, problem) == problems.end()) problems.push_back(std::move(problem));
}

/// Checks the media of one plan with one agent. Queries each file system once.
class MediaCheck {
public:
    MediaCheck(agent::AgentClient& agent, const agent::HelloReport& machine, const plan::Plan& plan, Claims claims)
        : agent_(agent),
          machine_(machine),
          plan_(plan),
          titles_(comparison_campaign::titles_of(plan)),
          claims_(claims) {}

    asio::awaitable<void> identify(const plan::MediumRef& ref, CheckedMedium& medium) {
        auto identity = co_await agent_.identify(ref.target());
        if (identity)
            medium.identity = std::move(*identity);
        else
            medium.refuse(identity.error());
    }

    asio::awaitable<void> check(const plan::MediumRef& ref, CheckedMedium& medium) {
        const media::Medium& identity = *medium.identity;
        if (!ref.directory.empty()) {
            medium.problems = refusals_in(plan_, identity);
            co_return;
        }
        for (Error& refusal : refusals_of(ref, identity)) medium.refuse(std::move(refusal));
        if (medium.problems.empty()) co_await check_formats(medium);
        if (plan::destroys(plan_) && ref.confirm.empty()) medium.to_confirm = confirmation_for(ref, identity);
        if (claims_ == Claims::left_out || !medium.problems.empty()) co_return;
        if (auto claimed = co_await try_claim(ref, identity); !claimed) medium.problems.push_back(claimed.error());
    }

private:
    asio::awaitable<void> check_formats(CheckedMedium& medium) {
        if (!machine_.privileged)
            medium.problems.push_back(
                {Errc::no_permission, fmt::format("the agent on {} may not claim, format or mount: run as root, or "
                                                  "with --agent sudo",
                                                  machine_.host_name)});
        for (std::size_t i = 0; i < plan_.formats.size(); ++i) {
            std::string lacks;
            for (Error& problem : co_await lacks_of(plan_.formats[i], *medium.identity)) {
                lacks += (lacks.empty() ? "" : ", ") + problem.detail;
                if (!medium.lacking) medium.lacking = Error{problem.code, {}};
                add_once(medium.problems, std::move(problem));
            }
            if (!lacks.empty())
                medium.lacking->detail +=
                    fmt::format("{}{}: {}", medium.lacking->detail.empty() ? "" : "; ", titles_[i], lacks);
        }
    }

    /// Reasons why a format cannot be made and measured on the medium: each missing tool or driver with its remedy.
    asio::awaitable<std::vector<Error>> lacks_of(const plan::FormatEntry& format, const media::Medium& medium) {
        std::vector<Error> found;
        if (format.keep) co_return found;
        const auto spec = plan::spec_for(format, medium.size, medium.logical_sector);
        if (!spec) {
            found.push_back(spec.error());
            co_return found;
        }
        // Only a privileged agent makes the kernel load a driver: an unprivileged agent would report a driver as
        // missing.
        const agent::SupportParams wanted{.fs = spec->fs,
                                          .partition = spec->partition.has_value(),
                                          .mount = machine_.privileged && is_mounted(plan_, format)};
        const auto lines = co_await lacks(wanted);
        if (!lines) found.push_back(lines.error());
        for (const std::string& line : lines ? *lines : MissingFeatures{}) found.push_back({Errc::no_driver, line});
        co_return found;
    }

    using MissingFeatures = std::vector<std::string>;
    asio::awaitable<Result<MissingFeatures>> lacks(const agent::SupportParams& wanted) {
        const std::string key = fmt::format("{} {} {}", media::name_of(wanted.fs), wanted.partition, wanted.mount);
        if (const auto known = asked_.find(key); known != asked_.end()) co_return known->second;
        auto answer = co_await agent_.lacks(wanted);
        if (answer) asked_[key] = *answer;
        co_return answer;
    }

    /// Claims the medium as a run would: only a claim checks all possible refusals.
    asio::awaitable<Result<void>> try_claim(const plan::MediumRef& ref, const media::Medium& identity) {
        // Use a named variable, because GCC 12 destroys an aggregate twice if it is created inside a co_await
        // expression.
        const media::ClaimRequest request{
            .target = ref.target(),
            .confirm = confirmation_for(ref, identity),
            .presence = media::presence_of(identity),
            .contents = plan::claimed_contents(plan_, ref),
            .use = ref.use_unknown ? media::Use::may_be_unknown : media::Use::must_be_known};
        auto claimed = co_await agent_.claim(request);
        if (!claimed) co_return fail(claimed.error());
        co_return co_await agent_.release(claimed->claim);
    }

    agent::AgentClient& agent_;
    const agent::HelloReport& machine_;
    const plan::Plan& plan_;
    std::vector<std::string> titles_; ///< titles of the formats
    Claims claims_;
    std::map<std::string, MissingFeatures> asked_; ///< cached answers by query
};

/// Detects a medium that a plan names twice by different names: links, loop devices, /dev/disk/by-id. Two lanes would
/// overwrite each other's data, and the record would mix two results in one device. Fails with bad_request and both
/// names if two media are the same file or would have the same key in the record.
Result<void> check_distinct(const std::vector<CheckedMedium>& media) {
    std::map<std::string, std::string> names;                             // name of each medium by its key
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::string> files; // name of each medium by its device and inode
    for (const CheckedMedium& medium : media) {
        if (!medium.identity) continue;
        const std::string key = media::device_key(*medium.identity);
        std::string same;
        if (const auto [at, is_new] = names.try_emplace(key, medium.target); !is_new) same = at->second;
        // A directory itself is not a medium.
        if (const auto& file = medium.identity->file; file && medium.identity->transport != media::Transport::directory)
            if (const auto [at, is_new] = files.try_emplace({file->device, file->inode}, medium.target); !is_new)
                same = at->second;
        if (!same.empty())
            return fail(Errc::bad_request,
                        fmt::format("{} is the medium of {} already ({}), or cannot be distinguished from it; name "
                                    "each medium once; nothing was written",
                                    medium.target, same, key));
    }
    return {};
}

/// Returns the error for a device or an image as bad_request: its size is fixed, while a full disk may be temporary.
Error wrong_for(const plan::MediumRef& medium, Error error) {
    if (medium.directory.empty()) error.code = Errc::bad_request;
    return error;
}

/// Adds the steps that do not fit on their medium to its problems.
void check_fit(const plan::Plan& plan, const std::vector<plan::Step>& steps, std::vector<CheckedMedium>& media) {
    for (const plan::Step& step : steps) {
        CheckedMedium& medium = media[step.medium];
        if (!medium.identity) continue;
        const auto estimate = plan::estimate(step, medium.identity->size, campaign::assumed_rate);
        if (estimate) continue;
        if (medium.untestable.empty()) medium.untestable = estimate.error().detail;
        add_once(medium.problems, wrong_for(plan.media[step.medium], estimate.error()));
    }
}

/// Fails if the plan's comparison cannot be made on all of the media.
Result<void> check_comparable(const agent::HelloReport& machine, const std::vector<CheckedMedium>& media) {
    for (const CheckedMedium& medium : media) {
        if (!medium.identity || medium.problems.empty()) continue;
        const Error& first = medium.problems.front();
        if (medium.lacking)
            return fail(medium.lacking->code,
                        fmt::format("not every format can be measured on the machine {}: {}; nothing was written: "
                                    "install the missing software, or leave those formats out",
                                    machine.host_name, medium.lacking->detail));
        return fail(first.code, media.size() == 1 ? first.detail : medium.name + ": " + first.detail);
    }
    return {};
}

/// Returns the duration of the test if each medium starts in the first free lane.
std::chrono::seconds time_in_lanes(const std::vector<std::chrono::seconds>& of_media, unsigned lanes) {
    std::vector<std::chrono::seconds> busy(std::max(lanes, 1U));
    for (const std::chrono::seconds each : of_media) *std::min_element(busy.begin(), busy.end()) += each;
    return *std::max_element(busy.begin(), busy.end());
}

/// Returns a plan whose steps can be listed. If a comparison has no budget, the number of its blocks is unknown, so the
/// preview lists one block.
plan::Plan listed(plan::Plan plan) {
    if (plan.compare && plan.compare->endless) plan.repeats = 1;
    return plan;
}

/// Describes the media of a lab by the data of the card models, because a preview boots no machine.
Result<std::vector<CheckedMedium>> in_the_lab(const plan::Plan& plan, const RigChoice& rig) {
    const auto lab = set_up_lab(rig.simulated() ? living_cards(plan) : plan.lab, {}, std::nullopt, plan.lab_machine);
    if (!lab) return fail(lab.error());
    // A rig plugs in only the cards in its readers.
    if (!rig.simulated())
        if (auto fits = check_slots(*lab); !fits) return fail(fits.error());
    std::vector<CheckedMedium> media;
    for (const plan::MediumRef& ref : plan.media) {
        media::Medium medium;
        medium.node = fmt::format("slot {} of the lab", ref.slot->number);
        CheckedMedium shown{.name = ref.name, .target = medium.node};
        if (const auto claimed = lab->claimed.find(*ref.slot); claimed != lab->claimed.end()) {
            medium.size = claimed->second;
            shown.identity = medium;
        }
        media.push_back(std::move(shown));
    }
    return media;
}

std::vector<CheckedMedium> media_of(const plan::Plan& plan) {
    std::vector<CheckedMedium> media;
    for (const plan::MediumRef& ref : plan.media)
        media.push_back({.name = ref.name,
                         .target = ref.slot ? fmt::format("slot {} of the rig", ref.slot->number) : ref.target()});
    return media;
}

Result<std::vector<CheckedMedium>> look(const plan::Plan& plan, const AgentChoice& choice, const RigChoice& rig) {
    if (!plan.lab.empty()) return in_the_lab(plan, rig);
    // A preview moves no cards.
    if (!rig.how.empty() && std::ranges::all_of(plan.media, [](const auto& ref) { return ref.slot.has_value(); }))
        return media_of(plan);
    return ask_agent(choice, [&](agent::AgentClient& agent, const agent::HelloReport& machine) {
        return check_media(agent, machine, plan, Claims::tried);
    });
}

Result<media::Medium> identify_without_privilege(const AgentChoice& choice, const std::string& target) {
    AgentChoice looking = choice;
    if (looking.how != "lab") looking.how = "local";
    looking.devices = {target};
    return ask_agent(looking,
                     [&](agent::AgentClient& agent, const agent::HelloReport&) { return agent.identify(target); });
}

std::optional<Error> refusal_to_erase(const media::Medium& medium, const std::string& target) {
    const std::vector<Error> refusals = refusals_of({}, medium);
    if (refusals.empty()) return std::nullopt;
    Error found = refusals.front();
    if (!found.detail.starts_with(medium.node + ' '))
        found.detail = fmt::format("{} may not be erased: {}", target, found.detail);
    return found;
}

} // namespace

void CheckedMedium::refuse(Error why) {
    if (untestable.empty()) untestable = why.detail;
    problems.push_back(std::move(why));
}

asio::awaitable<Result<std::vector<CheckedMedium>>> check_media(agent::AgentClient& agent,
                                                                const agent::HelloReport& machine,
                                                                const plan::Plan& plan, Claims claims) {
    MediaCheck check(agent, machine, plan, claims);
    std::vector<CheckedMedium> media = media_of(plan);
    for (std::size_t i = 0; i < media.size(); ++i)
        if (!plan.media[i].slot) co_await check.identify(plan.media[i], media[i]);
    if (auto distinct = check_distinct(media); !distinct) co_return fail(distinct.error());
    for (std::size_t i = 0; i < media.size(); ++i)
        if (media[i].identity) co_await check.check(plan.media[i], media[i]);
    co_return media;
}

asio::awaitable<Result<std::vector<std::string>>> preflight(agent::AgentClient& agent,
                                                            const agent::HelloReport& machine, const plan::Plan& plan) {
    const bool compares = plan.compare && machine.privileged;
    auto media = co_await check_media(agent, machine, plan, compares ? Claims::tried : Claims::left_out);
    if (!media) co_return fail(media.error());
    std::vector<std::string> lines;
    if (compares)
        if (auto comparable = check_comparable(machine, *media); !comparable) co_return fail(comparable.error());
    if (plan.compare) co_return lines;
    check_fit(plan, plan::unroll(plan), *media);
    MediaByReason failures;
    for (const CheckedMedium& medium : *media) {
        // The campaign reports the failure of a single medium.
        if (media->size() > 1 && !medium.untestable.empty())
            failures.add("this medium will not be tested: " + medium.untestable, medium.name);
        if (medium.lacking && machine.privileged)
            failures.add("some formats cannot be measured here and are recorded as untested: " + medium.lacking->detail,
                         medium.name);
    }
    for (const auto& [what, names] : failures.all())
        lines.push_back(fmt::format("{}{}: {}", names.front(),
                                    names.size() == 1 ? "" : fmt::format(" and {} more", names.size() - 1), what));
    co_return lines;
}

Result<media::Medium> writable_medium(const AgentChoice& choice, const std::string& target, InterruptedCheck check) {
    auto medium = identify_without_privilege(choice, target);
    if (!medium) return medium;
    if (check == InterruptedCheck::permitted)
        std::erase_if(medium->refusals, [](const media::Refusal& refusal) {
            return refusal.kind == media::RefusalKind::interrupted_check;
        });
    if (auto refusal = refusal_to_erase(*medium, target)) return fail(std::move(*refusal));
    return medium;
}

std::optional<Error> permanent_refusal(const AgentChoice& choice, const std::string& target) {
    const auto medium = identify_without_privilege(choice, target);
    return medium ? refusal_to_erase(*medium, target) : std::nullopt;
}

int exit_status(const Preview& preview) {
    const int left_out = mediarig::exit_status(Errc::host_fault);
    int status = 0;
    for (const CheckedMedium& medium : preview.media)
        for (const Error& problem : medium.problems) {
            const int its = mediarig::exit_status(problem.code);
            status = status == 0 || status == its ? its : left_out;
            // The run stops for this medium at a refusal.
            if (problem.code == Errc::refused) break;
        }
    const bool some_tested = std::ranges::any_of(preview.media, [](const auto& each) { return each.problems.empty(); });
    return status == mediarig::exit_status(Errc::bad_request) && some_tested ? left_out : status;
}

Result<Preview> preview(const plan::Plan& wanted, const PreviewOptions& options) {
    const RigChoice& rig = options.rig;
    if (rig.board())
        if (const auto config = rig_for(rig, wanted); !config) return fail(config.error());
    // Without a rig no slot is loaded; the run reports the same error.
    const auto resolved = wanted.all_slots || rig.how.empty() ? plan_on(rig, wanted) : wanted;
    if (!resolved) return fail(resolved.error());
    const plan::Plan& plan = *resolved;
    Preview result{.whole = true, .assumed = campaign::assumed_rate};
    auto media = look(plan, options.agent, rig);
    if (!media) return fail(media.error());
    result.media = std::move(*media);

    result.one_block = plan.compare && plan.compare->endless;
    result.lanes = options.lanes.value_or(plan.lanes.value_or(1));
    std::vector<std::chrono::seconds> of_media(plan.media.size());
    const std::vector<plan::Step> steps = plan::unroll(listed(plan));
    check_fit(plan, steps, result.media);
    for (const plan::Step& step : steps) {
        PreviewStep line{.step = step, .estimate = std::nullopt};
        if (const auto& identity = result.media[step.medium].identity; identity) {
            const auto estimate = plan::estimate(step, identity->size, campaign::assumed_rate);
            if (estimate && !estimate->known) {
                result.whole = false;
            } else if (estimate) {
                result.written += estimate->written;
                result.read += estimate->read;
                of_media[step.medium] += estimate->time;
                line.estimate = *estimate;
            }
        }
        result.steps.push_back(std::move(line));
    }
    result.time = time_in_lanes(of_media, result.lanes);
    if (plan.time_budget) result.time = std::min(result.time, *plan.time_budget);
    result.whole = result.whole && std::all_of(result.media.begin(), result.media.end(),
                                               [](const CheckedMedium& medium) { return medium.identity.has_value(); });
    return result;
}

} // namespace mediarig::app
