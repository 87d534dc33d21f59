// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/app/price.hpp"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "host/media/claim.hpp"
#include "host/plan/look.hpp"

namespace mediarig::app {
namespace {

using nlohmann::json;

/// A deviation may be an object as in a plan; whatever else it is, the plan's reader judges it.
json as_in_a_plan(const std::string& deviation) {
    if (!deviation.starts_with('{')) return deviation;
    const json object = json::parse(deviation, nullptr, false);
    return object.is_discarded() ? json(deviation) : object;
}

/// The option that a plan's fault is about, in place of where it stands in a file that nobody wrote.
std::string told_by_option(const std::string& fault, const std::vector<std::string>& deviations) {
    const std::size_t colon = fault.find(": ");
    const std::string place = fault.substr(0, colon), reason = fault.substr(colon + 2);
    constexpr std::string_view deviation = "/price/deviations/";
    if (place.starts_with(deviation)) {
        std::size_t index = 0;
        std::from_chars(place.data() + deviation.size(), place.data() + place.size(), index);
        if (index < deviations.size()) return fmt::format("--deviation {}: {}", deviations[index], reason);
    }
    if (place.starts_with("/price/deviations")) return "--deviation: " + reason;
    if (place == "/price/baseline/profile") return "--profile: " + reason;
    if (place.starts_with("/price/baseline")) return "--fs: " + reason;
    if (place == "/repeats") return "--repeats: " + reason;
    return fault;
}

/// A plan's image is confirmed by its path, which is known here; a device by what it says when it is claimed.
Result<void> confirm(const plan::MediumRef& medium, const PriceRequest& request) {
    if (medium.confirm.empty() && request.only_to_look) return {};
    if (medium.confirm.empty()) return fail(unconfirmed(request.target.name));
    if (medium.image.empty()) return {};
    media::Medium image;
    image.node = medium.image;
    image.transport = media::Transport::image;
    return media::check_confirmation(image, medium.confirm);
}

} // namespace

std::vector<std::string> default_deviations(const PriceRequest& request) {
    // A profile's FAT has the length that its own clusters need: other clusters would not fit it.
    if (!request.profile.empty()) return {"misaligned"};
    const std::string& fs = request.fs;
    if (fs.empty() || fs == "exfat" || fs == "fat32") return {"misaligned", "cluster_size:4KiB"};
    if (fs == "hfs+j") return {"fs:hfs+"};
    if (fs == "hfs+" || fs == "hfsx+j") return {"fs:hfs+j"};
    return {};
}

Result<plan::Plan> price_plan(const PriceRequest& request) {
    const auto medium = medium_of(request.target);
    if (!medium) return fail(medium.error());
    if (!medium->directory.empty())
        return fail(Errc::bad_request, fmt::format("{} is a directory, and formats are made on a device or an image; "
                                                   "name one of these",
                                                   request.target.name));
    if (auto confirmed = confirm(*medium, request); !confirmed) return fail(confirmed.error());
    const auto deviations = request.deviations.empty() ? default_deviations(request) : request.deviations;
    if (deviations.empty())
        return fail(Errc::bad_request,
                    fmt::format("{} has no usual deviations; name one with --deviation", request.fs));

    json baseline = json::object();
    if (!request.profile.empty()) baseline["profile"] = request.profile;
    if (!request.fs.empty() || request.profile.empty()) baseline["fs"] = request.fs.empty() ? "exfat" : request.fs;
    json price{{"baseline", std::move(baseline)}, {"deviations", json::array()}};
    for (const std::string& deviation : deviations) price["deviations"].push_back(as_in_a_plan(deviation));
    // The plan's own reader checks it and fills it in; it says what a medium is in words of its own.
    json text =
        plan::to_json(plan::Plan{.name = "price", .media = {*medium}, .suites = plan::price_suites(request.quick)});
    for (const char* made_up : {"formats", "order", "repeats"}) text.erase(made_up);
    text["price"] = std::move(price);
    if (request.repeats) text["repeats"] = *request.repeats;
    auto plan = request.only_to_look ? plan::parse_plan_to_look(text.dump()) : plan::parse_plan(text.dump());
    if (!plan) return fail(Errc::bad_request, told_by_option(plan.error().lines.front(), deviations));
    return std::move(*plan);
}

} // namespace mediarig::app
