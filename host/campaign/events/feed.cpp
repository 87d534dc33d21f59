// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/campaign/events/feed.hpp"

#include <nlohmann/json.hpp>

#include "host/base/json/codec.hpp"
#include "host/base/json/json_text.hpp"
#include "host/campaign/events/event_json.hpp"

namespace mediarig::events {
namespace {

/// Version of the form of these lines.
constexpr int events_form = 1;

std::string one_line(const nlohmann::json& json) {
    return codec::json_text(json, -1) + '\n';
}

/// Name of the JSON member in a refusal.
constexpr const char* refused_member = "refused";

} // namespace

constexpr auto members_of(codec::Tag<Greeting>) {
    return codec::members(codec::member("campaign", &Greeting::campaign), codec::member("history", &Greeting::history));
}

std::string line_of(const Greeting& greeting) {
    auto json = codec::encode(greeting);
    json["mediarig_events"] = events_form;
    return one_line(json);
}

std::string line_of(const campaign::SessionEvent& event) {
    return one_line(to_json(event));
}

std::string line_of(const Error& refusal) {
    return one_line({{refused_member, refusal.detail}});
}

Result<std::optional<campaign::SessionEvent>> Feed::take_line(std::string_view line) {
    const auto json = codec::read_json(line);
    if (!json.is_object()) return fail(Errc::bad_format, "a line from the campaign is not a JSON object");
    if (const auto refused = json.find(refused_member); refused != json.end() && refused->is_string())
        return fail(Errc::bad_request, refused->get<std::string>());
    if (!greeting_) {
        const auto form = json.find("mediarig_events");
        if (form == json.end() || *form != events_form)
            return fail(Errc::bad_format,
                        "the campaign belongs to another version of mediarig; watch it with that version");
        auto greeting = codec::decode<Greeting>(json);
        if (!greeting) return fail(greeting.error());
        greeting_ = std::move(*greeting);
        return std::nullopt;
    }
    auto event = event_from_json(json);
    if (!event) return fail(event.error());
    return std::move(*event);
}

Result<std::vector<campaign::SessionEvent>> Feed::take(std::string_view bytes) {
    std::vector<campaign::SessionEvent> events;
    while (!bytes.empty()) {
        const std::size_t end = bytes.find('\n');
        rest_ += bytes.substr(0, end);
        if (rest_.size() > longest_line) return fail(Errc::bad_format, "a line from the campaign has no end");
        if (end == std::string_view::npos) break;
        bytes.remove_prefix(end + 1);
        auto event = take_line(rest_);
        rest_.clear();
        if (!event) return fail(event.error());
        if (*event) events.push_back(std::move(**event));
    }
    return events;
}

} // namespace mediarig::events
