// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/resident/request.hpp"

#include <fmt/format.h>

#include <array>
#include <limits>

#include "host/base/json/json_text.hpp"

namespace mediarig::lab {
namespace {

using nlohmann::json;

struct Arguments {
    json operator()(const StatusRequest&) const { return json::object(); }
    json operator()(const PlugCard& plug) const {
        json out{{"card", plug.card}};
        if (plug.slot) out["slot"] = plug.slot->number;
        if (plug.kind) out["kind"] = name_of(*plug.kind);
        if (plug.size) out["size"] = plug.size->count;
        if (plug.seed) out["seed"] = *plug.seed;
        return out;
    }
    json operator()(const UnplugCard& unplug) const { return {{"slot", unplug.slot.number}}; }
    json operator()(const CutPower& cut) const { return {{"slot", cut.slot.number}, {"lose", name_of(cut.lose)}}; }
    json operator()(const OrderCard& order) const {
        return {{"slot", order.slot.number}, {"order", codec::read_json(command_line(order.order))}};
    }
    json operator()(const RunScript& run) const { return {{"script", run.script}}; }
    json operator()(const UseAgent&) const { return json::object(); }
    json operator()(const StopLab&) const { return json::object(); }
};

tl::unexpected<Error> wrong(const std::string& what) {
    return fail(Errc::bad_request, "the lab does not understand the request: " + what);
}

Result<SlotId> slot_of(const json& from) {
    const auto number = from.at("slot").get<std::uint64_t>();
    if (number > std::numeric_limits<decltype(SlotId::number)>::max())
        return fail(Errc::bad_request, fmt::format("there is no slot {}", number));
    return SlotId{static_cast<decltype(SlotId::number)>(number)};
}

Result<LabRequest> read_plug(const json& from) {
    PlugCard plug{.card = from.at("card").get<std::string>()};
    if (from.contains("slot")) {
        auto slot = slot_of(from);
        if (!slot) return fail(slot.error());
        plug.slot = *slot;
    }
    if (from.contains("kind")) {
        auto kind = from_word<SlotKind>(from.at("kind").get<std::string>(), "kind of slot");
        if (!kind) return fail(kind.error());
        plug.kind = *kind;
    }
    if (from.contains("size")) plug.size = Bytes{from.at("size").get<std::uint64_t>()};
    if (from.contains("seed")) plug.seed = from.at("seed").get<std::uint64_t>();
    return LabRequest{std::move(plug)};
}

Result<LabRequest> read_unplug(const json& from) {
    const auto slot = slot_of(from);
    if (!slot) return fail(slot.error());
    return LabRequest{UnplugCard{*slot}};
}

Result<LabRequest> read_power_cut(const json& from) {
    const auto slot = slot_of(from);
    if (!slot) return fail(slot.error());
    const auto lose = from_name<Loss>(from.at("lose").get<std::string>());
    if (!lose) return wrong("lose: " + lose.error().detail);
    return LabRequest{CutPower{*slot, *lose}};
}

Result<LabRequest> read_order(const json& from) {
    const auto slot = slot_of(from);
    if (!slot) return fail(slot.error());
    auto order = parse_command(codec::json_line(from.at("order")));
    if (!order) return fail(order.error());
    return LabRequest{OrderCard{*slot, *order}};
}

Result<LabRequest> read_script(const json& from) {
    return LabRequest{RunScript{from.at("script").get<std::string>()}};
}

template <class T>
Result<LabRequest> alone(const json&) {
    return LabRequest{T{}};
}

struct Form {
    std::string_view name;
    Result<LabRequest> (*read)(const json&);
};
/// In the order of the variant.
constexpr std::array<Form, std::variant_size_v<LabRequest>> forms{{
    {"status", alone<StatusRequest>},
    {"plug", read_plug},
    {"unplug", read_unplug},
    {"power_cut", read_power_cut},
    {"card", read_order},
    {"script", read_script},
    {"agent", alone<UseAgent>},
    {"stop", alone<StopLab>},
}};

} // namespace

std::string request_line(const LabRequest& request) {
    json line = std::visit(Arguments{}, request);
    line["request"] = forms.at(request.index()).name;
    return codec::json_line(line);
}

Result<LabRequest> parse_request(std::string_view line) {
    try {
        const json from = codec::read_json(line);
        const auto name = from.at("request").get<std::string>();
        for (const Form& form : forms)
            if (form.name == name) return form.read(from);
        return wrong("'" + name + "'");
    } catch (const json::exception& broken) {
        return wrong(broken.what());
    }
}

std::string answer_line(const Result<json>& answer) {
    json line = answer ? *answer : json{{"code", name_of(answer.error().code)}, {"error", answer.error().detail}};
    line["ok"] = answer.has_value();
    return codec::json_line(line) + "\n";
}

Result<json> parse_lab_answer(std::string_view line) {
    try {
        json answer = codec::read_json(line);
        if (answer.at("ok").get<bool>()) return answer;
        const auto code = from_name<Errc>(answer.at("code").get<std::string>());
        return fail(code.value_or(Errc::rig_fault), answer.at("error").get<std::string>());
    } catch (const json::exception&) {
        return fail(Errc::bad_format, "the lab sent an invalid answer: install one version of mediarig");
    }
}

} // namespace mediarig::lab
