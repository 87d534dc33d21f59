// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/card/medium_request.hpp"

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "host/base/json/json_text.hpp"

namespace mediarig::lab {
namespace {

using nlohmann::json;

/// In the order of the alternatives of ModelRequest.
constexpr std::array<const char*, std::variant_size_v<ModelRequest>> request_names{"start", "stop", "attach", "detach",
                                                                                   "order"};

struct RequestMembers {
    json operator()(const StartModel& start) const {
        json out{{"config", start.config}, {"backing", start.backing}};
        const CardOverrides& overrides = start.overrides;
        if (overrides.claimed) out["claimed"] = overrides.claimed->count;
        if (overrides.real) out["real"] = overrides.real->count;
        if (overrides.start_value) out["seed"] = *overrides.start_value;
        if (overrides.joins_within) out["joins_within_ns"] = overrides.joins_within->count();
        return out;
    }
    json operator()(const StopModel&) const { return json::object(); }
    json operator()(const AttachModel& attach) const {
        return {{"number", attach.number}, {"identity", attach.identity}};
    }
    json operator()(const DetachModel&) const { return json::object(); }
    json operator()(const OrderModel& order) const { return {{"command", order.command}}; }
};

template <class T>
std::optional<T> number_in(const json& object, const char* name) {
    if (!object.contains(name)) return std::nullopt;
    return object.at(name).get<T>();
}

StartModel start_from(const json& object, std::string card) {
    StartModel start{.card = std::move(card),
                     .config = object.at("config").get<std::string>(),
                     .backing = object.at("backing").get<std::string>(),
                     .overrides = {}};
    if (const auto claimed = number_in<std::uint64_t>(object, "claimed")) start.overrides.claimed = Bytes{*claimed};
    if (const auto real = number_in<std::uint64_t>(object, "real")) start.overrides.real = Bytes{*real};
    start.overrides.start_value = number_in<std::uint64_t>(object, "seed");
    if (const auto joins = number_in<std::int64_t>(object, "joins_within_ns"))
        start.overrides.joins_within = std::chrono::nanoseconds(*joins);
    return start;
}

std::optional<ModelRequest> request_from(const json& object) {
    const std::string name = object.at("request").get<std::string>();
    std::string card = object.at("card").get<std::string>();
    if (name == request_names[0]) return start_from(object, std::move(card));
    if (name == request_names[1]) return StopModel{std::move(card)};
    if (name == request_names[2])
        return AttachModel{std::move(card), object.at("number").get<std::uint8_t>(),
                           object.at("identity").get<std::string>()};
    if (name == request_names[3]) return DetachModel{std::move(card)};
    if (name == request_names[4]) return OrderModel{std::move(card), object.at("command").get<std::string>()};
    return std::nullopt;
}

template <class T>
tl::unexpected<Error> not_a(std::string_view kind, const T& reason) {
    return fail(Errc::bad_format, "the lab's guest sent an invalid " + std::string(kind) + ": " + std::string(reason));
}

} // namespace

std::string model_request_line(const NumberedRequest& request) {
    json out = std::visit(RequestMembers{}, request.request);
    out["id"] = request.id;
    out["request"] = request_names.at(request.request.index());
    out["card"] = std::visit([](const auto& one) { return one.card; }, request.request);
    return codec::json_line(out);
}

Result<NumberedRequest> parse_model_request(std::string_view line) {
    try {
        const json object = codec::read_json(line);
        auto request = request_from(object);
        if (!request) return not_a("request", "its name is unknown");
        return NumberedRequest{object.at("id").get<std::uint64_t>(), std::move(*request)};
    } catch (const json::exception& cause) {
        return not_a("request", cause.what());
    }
}

std::string model_message_line(const ModelMessage& message) {
    if (const auto* failure = std::get_if<StorageFailure>(&message))
        return codec::json_line({{"storage_failed", failure->card}, {"reason", failure->reason}});
    const auto& answer = std::get<ModelAnswer>(message);
    json out{{"id", answer.id}, {"ok", answer.text.has_value()}};
    if (answer.text) {
        out["text"] = *answer.text;
    } else {
        out["code"] = name_of(answer.text.error().code);
        out["error"] = answer.text.error().detail;
    }
    return codec::json_line(out);
}

Result<ModelMessage> parse_model_message(std::string_view line) {
    try {
        const json object = codec::read_json(line);
        if (object.contains("storage_failed"))
            return StorageFailure{object.at("storage_failed").get<std::string>(),
                                  object.at("reason").get<std::string>()};
        ModelAnswer answer{object.at("id").get<std::uint64_t>(), {}};
        if (object.at("ok").get<bool>()) {
            answer.text = object.at("text").get<std::string>();
        } else {
            const auto code = from_name<Errc>(object.at("code").get<std::string>());
            answer.text = fail(code.value_or(Errc::rig_fault), object.at("error").get<std::string>());
        }
        return answer;
    } catch (const json::exception& cause) {
        return not_a("answer", cause.what());
    }
}

} // namespace mediarig::lab
