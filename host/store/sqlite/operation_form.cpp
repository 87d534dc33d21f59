// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/store/sqlite/operation_form.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/base/json/codec.hpp"
#include "host/base/json/json_text.hpp"
#include "host/rig/port/rig_text.hpp"

namespace mediarig::rig {
namespace {

using nlohmann::json;

/// Converts a Pocket, a Port or a PortSet.
template <class Place>
json number_form(const Place& place) {
    const auto& [number] = place;
    return number;
}
template <class Place>
Result<Place> from_number(const json& from) {
    if (!from.is_number_unsigned() || from.get<std::uint64_t>() > 255)
        return fail(Errc::bad_format, "must be a whole number from 0 to 255");
    return Place{from.get<std::uint8_t>()};
}

json destination_form(const Destination& to) {
    const auto* bin = std::get_if<rigproto::Bin>(&to);
    return bin != nullptr ? json{{"bin", name_of(*bin)}} : json{{"pocket", number_form(std::get<Pocket>(to))}};
}
Result<Destination> destination_from(const json& from) {
    if (from.is_object() && from.contains("pocket")) return from_number<Pocket>(from.at("pocket"));
    const auto* name =
        from.is_object() && from.contains("bin") ? from.at("bin").get_ptr<const std::string*>() : nullptr;
    if (name != nullptr)
        if (const auto bin = from_name<rigproto::Bin>(*name)) return *bin;
    return fail(Errc::bad_format, "must name a pocket or a bin");
}

template <class Owner, class Place>
constexpr auto place(const char* name, Place Owner::*field) {
    return codec::member(name, field).shaped(number_form<Place>, from_number<Place>);
}

json axis_form(rigproto::Axis axis) {
    return axis == rigproto::Axis::x ? "x" : "z";
}
Result<rigproto::Axis> axis_from(const json& from) {
    if (from == "x") return rigproto::Axis::x;
    if (from == "z") return rigproto::Axis::z;
    return fail(Errc::bad_format, "must be x or z");
}

constexpr auto operations = codec::one_of(&Intent::what, "home", "load", "unload", "power", "clear", "park", "guard",
                                          "nest_read", "identify", "empty", "jog", "bootloader");

} // namespace

constexpr auto members_of(codec::Tag<Home>) {
    return codec::members();
}
constexpr auto members_of(codec::Tag<Load>) {
    return codec::members(place("from", &Load::from), place("into", &Load::into));
}
constexpr auto members_of(codec::Tag<Unload>) {
    return codec::members(place("from", &Unload::from),
                          codec::member("to", &Unload::to).shaped(destination_form, destination_from));
}
constexpr auto members_of(codec::Tag<Power>) {
    return codec::members(place("port", &Power::port), codec::member("on", &Power::on));
}
constexpr auto members_of(codec::Tag<Clear>) {
    return codec::members();
}
constexpr auto members_of(codec::Tag<Park>) {
    return codec::members();
}
constexpr auto members_of(codec::Tag<Guard>) {
    return codec::members(place("ports", &Guard::ports));
}
constexpr auto members_of(codec::Tag<NestRead>) {
    return codec::members();
}
constexpr auto members_of(codec::Tag<Identify>) {
    return codec::members(place("pocket", &Identify::pocket));
}
constexpr auto members_of(codec::Tag<Empty>) {
    return codec::members(place("readers", &Empty::readers));
}
constexpr auto members_of(codec::Tag<Jog>) {
    return codec::members(codec::member("axis", &Jog::axis).shaped(axis_form, axis_from),
                          codec::member("position", &Jog::position));
}
constexpr auto members_of(codec::Tag<Bootloader>) {
    return codec::members();
}
constexpr auto members_of(codec::Tag<Intent>) {
    return codec::members(operations, codec::omitted(&Intent::why)); // a column of the table
}

} // namespace mediarig::rig

namespace mediarig::store {

OperationForm form_of(const rig::Operation& operation) {
    const auto whole = codec::encode(rig::Intent{.what = operation});
    const auto form = whole.begin();
    return {.op = form.key(), .arguments = codec::json_line(*form)};
}

Result<rig::Operation> operation_from(const OperationForm& form) {
    const auto& names = rig::operations.names;
    if (std::find(names.begin(), names.end(), form.op) == names.end())
        return fail(Errc::bad_format, fmt::format("\"{}\" is not an operation that this mediarig knows", form.op));
    const auto arguments = codec::read_json(form.arguments);
    if (!arguments.is_object()) return fail(Errc::bad_format, form.op + ": its arguments are not a JSON object");
    auto intent = codec::decode<rig::Intent>({{form.op, arguments}});
    if (!intent) return fail(std::move(intent.error()));
    return intent->what;
}

} // namespace mediarig::store
