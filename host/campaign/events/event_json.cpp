// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/campaign/events/event_json.hpp"

#include "host/base/json/codec.hpp"
#include "host/store/record_json.hpp"
#include "host/workload/json.hpp"

namespace mediarig::plan {

constexpr auto members_of(codec::Tag<Step>) {
    return codec::members(codec::member("key", &Step::key), codec::member("kind", &Step::kind),
                          codec::member("medium", &Step::medium), codec::member("repeat", &Step::repeat),
                          codec::member("format", &Step::format_name), codec::member("rest_s", &Step::rest),
                          codec::member("entry", &Step::entry), codec::member("pass", &Step::pass),
                          codec::omitted(&Step::format), codec::omitted(&Step::suite));
}

} // namespace mediarig::plan

namespace mediarig::campaign {

using codec::member;
using codec::members;
using codec::Tag;

constexpr auto members_of(Tag<CampaignStarted>) {
    using T = CampaignStarted;
    return members(member("campaign", &T::campaign), member("name", &T::name), member("steps", &T::steps),
                   member("resumed", &T::resumed));
}
constexpr auto members_of(Tag<StepStarted>) {
    using T = StepStarted;
    return members(member("index", &T::index), member("step", &T::step), member("medium", &T::medium),
                   member("expected_s", &T::expected));
}
constexpr auto members_of(Tag<StepProgress>) {
    using T = StepProgress;
    return members(member("index", &T::index), member("phase", &T::phase), member("done", &T::done),
                   member("total", &T::total), member("cell", &T::cell), member("cells", &T::cells),
                   member("failures", &T::failures).unless_default(),
                   member("first_failure", &T::first_failure).unless_default());
}
constexpr auto members_of(Tag<StepEnded>) {
    using T = StepEnded;
    return members(member("index", &T::index), member("step", &T::step), member("how", &T::how),
                   member("detail", &T::detail));
}
constexpr auto members_of(Tag<MediumIdentified>) {
    using T = MediumIdentified;
    return members(
        member("medium", &T::medium),
        member("identity", &T::identity)
            .shaped([](const media::Medium& identity) { return media::to_json(identity); }, media::medium_from_json));
}
constexpr auto members_of(Tag<CellFinished>) {
    using T = CellFinished;
    return members(member("medium", &T::medium), member("step", &T::step),
                   member("result", &T::result).shaped(workload::facts_to_json, workload::cell_result_from_json));
}
constexpr auto members_of(Tag<FindingReported>) {
    using T = FindingReported;
    return members(member("medium", &T::medium), member("finding", &T::finding));
}
constexpr auto members_of(Tag<Conclusion>) {
    using T = Conclusion;
    return members(member("key", &T::key), member("text", &T::text), member("decisions", &T::decisions),
                   member("lines", &T::lines), member("title", &T::title));
}
constexpr auto members_of(Tag<ConclusionReached>) {
    using T = ConclusionReached;
    return members(member("medium", &T::medium), member("conclusion", &T::conclusion));
}
constexpr auto members_of(Tag<VerdictReached>) {
    using T = VerdictReached;
    return members(member("medium", &T::medium),
                   member("verdict", &T::verdict)
                       .shaped([](const measure::Verdict& verdict) { return measure::to_json(verdict); },
                               measure::verdict_from_json));
}
constexpr auto members_of(Tag<CampaignEnded>) {
    using T = CampaignEnded;
    return members(member("campaign", &T::campaign), member("state", &T::state), member("detail", &T::detail));
}
constexpr auto members_of(Tag<PauseChanged>) {
    return members(member("paused", &PauseChanged::paused));
}
constexpr auto members_of(Tag<TimeLeft>) {
    using T = TimeLeft;
    return members(member("left_s", &T::left), member("within_s", &T::within), member("at_most", &T::at_most));
}
constexpr auto members_of(Tag<TemperatureRead>) {
    return members(member("medium", &TemperatureRead::medium), member("celsius", &TemperatureRead::celsius));
}
constexpr auto members_of(Tag<SessionEvent>) {
    return members(member("at_ns", &SessionEvent::since_start),
                   codec::one_of(&SessionEvent::body, "campaign_started", "step_started", "step_progress", "step_ended",
                                 "medium_identified", "cell_finished", "finding", "conclusion", "verdict",
                                 "campaign_ended", "pause", "time_left", "temperature"));
}

} // namespace mediarig::campaign

namespace mediarig::events {

nlohmann::json to_json(const campaign::SessionEvent& event) {
    return codec::encode(event);
}

Result<campaign::SessionEvent> event_from_json(const nlohmann::json& json) {
    return codec::decode<campaign::SessionEvent>(json);
}

} // namespace mediarig::events
