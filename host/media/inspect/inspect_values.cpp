// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/inspect_values.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "host/base/json/codec.hpp"
#include "host/media/format_options.hpp"

namespace mediarig::media {
namespace {

using nlohmann::json;

} // namespace

std::string text_of(const Fingerprint& by) {
    return fmt::format("{} ({}: {}{}{})", by.formatter, name_of(by.sureness), fmt::join(by.signs, ", "),
                       by.also_on.empty() ? "" : "; also seen on ", by.also_on);
}

std::optional<std::string> parameter(const InspectedVolume& volume, std::string_view name) {
    for (const auto& [key, value] : volume.parameters)
        if (key == name) return value;
    return std::nullopt;
}

using codec::member;

/// A parameter and its position.
struct LocatedParameter {
    std::string name, value;
    std::optional<std::string> field, unit;
    std::optional<Bytes> at, length;
    std::optional<std::string> hex;
};
constexpr auto members_of(codec::Tag<LocatedParameter>) {
    return codec::members(member("name", &LocatedParameter::name), member("value", &LocatedParameter::value),
                          member("field", &LocatedParameter::field), member("unit", &LocatedParameter::unit),
                          member("at", &LocatedParameter::at), member("length", &LocatedParameter::length),
                          member("hex", &LocatedParameter::hex));
}

namespace {

template <class Owner>
std::vector<LocatedParameter> placed(const Owner& owner) {
    std::vector<LocatedParameter> list;
    for (std::size_t i = 0; i < owner.parameters.size(); ++i) {
        const auto& [name, value] = owner.parameters[i];
        LocatedParameter& entry = list.emplace_back(LocatedParameter{name, value, {}, {}, {}, {}, {}});
        if (i >= owner.places.size()) continue;
        const FieldLocation& place = owner.places[i];
        entry.field = place.field, entry.unit = place.unit, entry.hex = place.hex;
        entry.at = place.at, entry.length = place.length;
    }
    return list;
}

template <class Owner>
void place(Owner& owner, std::vector<LocatedParameter> list) {
    const bool all = std::ranges::all_of(list, [](const LocatedParameter& each) { return each.field.has_value(); });
    for (LocatedParameter& each : list) {
        if (all)
            owner.places.push_back({.name = each.name,
                                    .field = *each.field,
                                    .unit = each.unit.value_or(""),
                                    .at = each.at.value_or(Bytes{}),
                                    .length = each.length.value_or(Bytes{}),
                                    .hex = each.hex.value_or("")});
        owner.parameters.emplace_back(std::move(each.name), std::move(each.value));
    }
}

template <class Owner>
constexpr auto parameters_of() {
    return codec::computed("parameters", placed<Owner>, place<Owner>, {.most = longest_list});
}

} // namespace

constexpr auto members_of(codec::Tag<Fingerprint>) {
    return codec::members(member("formatter", &Fingerprint::formatter).or_default(),
                          member("sureness", &Fingerprint::sureness),
                          member("signs", &Fingerprint::signs).at_most(longest_list).or_default(),
                          member("also_on", &Fingerprint::also_on).or_default());
}

constexpr auto members_of(codec::Tag<FreeSpaceSample>) {
    return codec::members(member("sampled", &FreeSpaceSample::sampled),
                          member("with_data", &FreeSpaceSample::with_data),
                          member("unreadable", &FreeSpaceSample::unreadable), member("first", &FreeSpaceSample::first));
}

constexpr auto members_of(codec::Tag<InspectedVolume>) {
    return codec::members(member("start", &InspectedVolume::start), member("length", &InspectedVolume::length),
                          member("file_system", &InspectedVolume::file_system).or_default(),
                          member("label", &InspectedVolume::label).or_default(), parameters_of<InspectedVolume>(),
                          member("problem", &InspectedVolume::problem).or_default(),
                          member("usable", &InspectedVolume::usable).or_default(),
                          member("fingerprint", &InspectedVolume::fingerprint).or_default(),
                          member("free_space", &InspectedVolume::free_space));
}

constexpr auto members_of(codec::Tag<StaleSignature>) {
    return codec::members(member("what", &StaleSignature::what), member("at", &StaleSignature::at),
                          member("in_volume", &StaleSignature::in_volume));
}

constexpr auto members_of(codec::Tag<UnreadRange>) {
    return codec::members(member("at", &UnreadRange::at), member("length", &UnreadRange::length),
                          member("why", &UnreadRange::why).or_default());
}

constexpr auto members_of(codec::Tag<InspectReport>) {
    return codec::members(
        member("size", &InspectReport::size), member("sector_size", &InspectReport::sector_size).or_default(),
        member("scheme", &InspectReport::scheme), parameters_of<InspectReport>(),
        member("problem", &InspectReport::problem).or_default(),
        member("blank", &InspectReport::blank).unless_default(),
        member("volumes", &InspectReport::volumes).at_most(longest_list).or_default(),
        member("stale_signatures", &InspectReport::stale_signatures).at_most(longest_list).or_default(),
        member("read", &InspectReport::read).or_default(),
        member("unread", &InspectReport::unread).at_most(longest_list).or_default());
}

json to_json(const InspectReport& report) {
    return codec::encode(report);
}
Result<InspectReport> inspect_report_from_json(const json& from) {
    return codec::decode<InspectReport>(from, "inspect report");
}
void read_form(const json& from, const codec::Path& at, InspectReport& report, codec::DecodeError& fault) {
    codec::read(from, at, report, fault);
}
void check_form(const InspectReport& report, const codec::Path& at, codec::DecodeError& fault) {
    codec::check(report, at, fault);
}

} // namespace mediarig::media
