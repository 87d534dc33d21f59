// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/app/compare.hpp"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "host/app/target.hpp"
#include "host/base/json/json_text.hpp"
#include "host/media/claim/claim.hpp"
#include "host/plan/check_whole.hpp"
#include "host/plan/parse_plan.hpp"

namespace mediarig::app {
namespace {

using nlohmann::json;

/// A deviation may be a JSON object as in a plan; the plan's reader checks everything else.
json as_in_a_plan(const std::string& deviation) {
    if (!deviation.starts_with('{')) return deviation;
    const json object = codec::read_json(deviation);
    return object.is_discarded() ? json(deviation) : object;
}

/// Like as_in_a_plan(), for a value that may be a number.
json number_in_a_plan(const std::string& text) {
    std::int64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    return error == std::errc() && stop == end ? json(number) : json(text);
}

/// Returns "--deviation cluster_size:5KiB" for "/compare/deviations/0/cluster_size"; empty for any other place.
std::string element_at(std::string_view place, std::string_view list, std::string_view option,
                       const std::vector<std::string>& given) {
    if (!place.starts_with(list)) return {};
    std::size_t index = given.size();
    if (place.size() > list.size()) std::from_chars(place.data() + list.size() + 1, place.data() + place.size(), index);
    return index < given.size() ? fmt::format("{} {}", option, given[index]) : std::string(option);
}

/// Replaces the position in the generated plan, which the user did not write, with the option that caused the fault.
std::string told_by_option(const std::string& fault, const CompareRequest& request) {
    const std::size_t colon = fault.find(": ");
    const std::string place = fault.substr(0, colon), reason = fault.substr(colon + 2);
    for (const auto& [list, option, given] : {std::tuple{"/compare/deviations", "--deviation", &request.deviations},
                                              std::tuple{"/compare/formats", "--formats", &request.formats},
                                              std::tuple{"/compare/headlines", "--headlines", &request.headlines}})
        if (const std::string at = element_at(place, list, option, *given); !at.empty()) return at + ": " + reason;
    constexpr std::pair<std::string_view, std::string_view> options[] = {{"/compare/baseline/profile", "--profile"},
                                                                         {"/compare/self_test/profile", "--profile"},
                                                                         {"/compare/baseline", "--fs"},
                                                                         {"/compare/self_test", "--fs"},
                                                                         {"/compare/blocks", "--blocks"},
                                                                         {"/compare/margin_percent", "--margin"},
                                                                         {"/time_budget_s", "--minutes"},
                                                                         {"/compare/rest_s", "--rest"},
                                                                         {"/compare/rest_at_most_s", "--rest-at-most"},
                                                                         {"/compare/fill", "--fill"}};
    for (const auto& [where, option] : options)
        if (place.starts_with(where)) return fmt::format("{}: {}", option, reason);
    return fault;
}

/// Confirms a medium: an image by its path, which is known here; a device by its identity at the time of the claim.
Result<void> confirm(const plan::MediumRef& medium, const CompareRequest& request) {
    if (medium.confirm.empty() && request.may_lack_confirmation) return {};
    if (medium.confirm.empty()) return fail(unconfirmed(request.target));
    if (medium.image.empty()) return {};
    media::Medium image;
    image.node = medium.image;
    image.transport = media::Transport::image;
    return media::check_confirmation(image, medium.confirm);
}

/// The formats to compare, given in exactly one of three ways.
Result<json> compared(const CompareRequest& request) {
    const bool has_baseline = !request.fs.empty() || !request.profile.empty();
    const int ways =
        (request.formats.empty() ? 0 : 1) + (request.deviations.empty() ? 0 : 1) + (request.self_test ? 1 : 0);
    if (ways != 1 || (!request.formats.empty() && has_baseline))
        return fail(Errc::bad_request,
                    "give exactly one of --formats exfat,hfs+j, --deviation from --fs or --profile, and --self-test");
    json section = json::object();
    for (const std::string& format : request.formats) section["formats"].push_back(format);
    if (!request.formats.empty()) return section;
    json baseline = json::object();
    if (!request.profile.empty()) baseline["profile"] = request.profile;
    if (!request.fs.empty() || request.profile.empty()) baseline["fs"] = request.fs.empty() ? "exfat" : request.fs;
    section[request.self_test ? "self_test" : "baseline"] = std::move(baseline);
    for (const std::string& deviation : request.deviations) section["deviations"].push_back(as_in_a_plan(deviation));
    return section;
}

} // namespace

Result<plan::Plan> compare_plan(const CompareRequest& request) {
    const auto medium = medium_of(request.target);
    if (!medium) return fail(medium.error());
    if (!medium->directory.empty())
        return fail(Errc::bad_request, fmt::format("{} is a directory, and formats are made on a device or an image; "
                                                   "name one of these",
                                                   request.target.name));
    if (auto confirmed = confirm(*medium, request); !confirmed) return fail(confirmed.error());
    auto section = compared(request);
    if (!section) return fail(section.error());
    if (!request.blocks.empty()) (*section)["blocks"] = number_in_a_plan(request.blocks);
    if (request.margin_percent) (*section)["margin_percent"] = *request.margin_percent;
    if (request.no_discard) (*section)["discard"] = false;
    if (request.rest_s) (*section)["rest_s"] = *request.rest_s;
    if (request.longest_rest_s) (*section)["rest_at_most_s"] = *request.longest_rest_s;
    if (!request.fill.empty()) (*section)["fill"] = number_in_a_plan(request.fill);
    for (const std::string& headline : request.headlines) (*section)["headlines"].push_back(headline);

    // The plan's reader checks the request and fills in defaults.
    json text =
        plan::to_json(plan::Plan{.name = "compare", .media = {*medium}, .suites = plan::compare_suites(request.quick)});
    for (const char* made_up : {"formats", "repeats", "on_failure"}) text.erase(made_up);
    text["compare"] = std::move(*section);
    text["order"] = {{"kind", "random"}, {"seed", request.seed}};
    if (request.time) text["time_budget_s"] = std::chrono::seconds(*request.time).count();
    const std::string line = codec::json_line(text);
    auto plan = request.may_lack_confirmation ? plan::parse_plan_to_look(line) : plan::parse_plan(line);
    if (!plan) return fail(Errc::bad_request, told_by_option(plan.error().lines.front(), request));
    return std::move(*plan);
}

Result<plan::Plan> single_plan(const SingleRequest& request) {
    const bool raw = request.suite.where == plan::SuiteTarget::raw;
    const Target target{.name = request.target,
                        .elsewhere = request.elsewhere,
                        .confirm = request.confirm,
                        .contents_unknown = request.contents_unknown,
                        .use_unknown = request.use_unknown,
                        .keeps_data = request.keeps_data};
    const auto found = medium_of(target);
    if (!found) return fail(found.error());
    plan::MediumRef medium = *found;
    medium.partition = request.partition;
    if (request.partition && (raw || !medium.directory.empty()))
        return fail(Errc::bad_request,
                    fmt::format("--partition chooses the file system to be mounted, and {}: leave "
                                "one of the two out",
                                raw ? "--raw mounts no file system" : request.target + " is a directory"));
    if (!medium.directory.empty() && raw)
        return fail(Errc::bad_request, fmt::format("{} is a directory: the bare device cannot be reached through it; "
                                                   "name the device{}",
                                                   request.target, request.keeps_data ? "" : ", or leave out --raw"));
    if (!medium.image.empty() && request.suite.replug)
        return fail(Errc::bad_request, fmt::format("{} is an image, which has no power to be cut: name a device, or "
                                                   "leave out --replug",
                                                   request.target));
    if (!medium.directory.empty() && !request.confirm.empty())
        return fail(Errc::bad_request, fmt::format("--confirm permits erasing a device or an image, and {} is a "
                                                   "directory: leave it out",
                                                   request.target));
    if (request.contents_unknown && !raw)
        return fail(Errc::bad_request, fmt::format("--contents-unknown permits destroying the data on {}, and its file "
                                                   "system is to be measured: add --raw, or leave it out",
                                                   request.target));
    for (const plan::SuiteEntry& suite : request.before)
        if (auto sane = plan::check_suite(suite, "--raw"); !sane) return fail(sane.error());
    if (auto sane = plan::check_suite(request.suite, "--raw"); !sane) return fail(sane.error());
    if (raw && request.confirm.empty() && !request.may_lack_confirmation) return fail(unconfirmed(target));

    plan::Plan plan{.name = request.name.empty() ? request.suite.request.name : request.name,
                    .media = {medium},
                    .suites = request.before,
                    .repeats = request.repeats};
    plan.suites.push_back(request.suite);
    if (medium.directory.empty() && !raw) plan.formats = {plan::FormatEntry{.keep = true}};
    return plan;
}

} // namespace mediarig::app
