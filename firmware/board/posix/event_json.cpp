// SPDX-License-Identifier: GPL-3.0-or-later
#include "firmware/board/posix/event_json.hpp"

#include <array>

namespace mediarig::board {

namespace {

using plant::Card;
using plant::PlantEvent;

struct Words {
    std::string_view what, place;
};

Words text_for(PlantEvent::Kind kind) {
    switch (kind) {
        case PlantEvent::Kind::card_picked:
            return {"card_picked", "pocket"};
        case PlantEvent::Kind::card_inserted:
            return {"card_inserted", "port"};
        case PlantEvent::Kind::card_removed:
            return {"card_removed", "port"};
        case PlantEvent::Kind::card_stored:
            return {"card_stored", "pocket"};
        case PlantEvent::Kind::card_binned:
            return {"card_binned", "bin"};
        case PlantEvent::Kind::card_lost:
            return {"card_lost", ""};
        case PlantEvent::Kind::voltage_up:
            return {"voltage_up", "port"};
        case PlantEvent::Kind::voltage_down:
            return {"voltage_down", "port"};
    }
    return {"unknown", ""};
}

std::string_view name_of(Card::CardPlace where) {
    constexpr std::array<std::string_view, 7> names{"nowhere", "pocket", "port", "bin", "cup", "lost", "nest"};
    return names[static_cast<std::size_t>(where)];
}

} // namespace

std::string json_string(std::string_view text) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string result = "\"";
    for (const char letter : text) {
        const auto code = static_cast<unsigned char>(letter);
        if (letter == '"' || letter == '\\') {
            result += '\\';
            result += letter;
        } else if (code < 0x20) {
            result += "\\u00";
            result += digits[code >> 4U];
            result += digits[code & 15U];
        } else {
            result += letter;
        }
    }
    return result + '"';
}

std::string event_json(const PlantEvent& event) {
    const Words words = text_for(event.kind);
    std::string text = R"({"what":)" + json_string(words.what);
    if (!words.place.empty()) text += ',' + json_string(words.place) + ':' + std::to_string(event.place);
    if (event.card != plant::no_card) text += R"(,"card":)" + std::to_string(event.card);
    return text + R"(,"at_ns":)" + std::to_string(event.at) + '}';
}

std::string state_json(const plant::Plant& plant, bool firmware_runs) {
    std::string text = R"({"x":)" + std::to_string(plant.position(rigproto::Axis::x)) + R"(,"z":)" +
                       std::to_string(plant.position(rigproto::Axis::z)) + R"(,"firmware_runs":)" +
                       (firmware_runs ? "true" : "false") + R"(,"ports_on":)" +
                       std::to_string(plant.actuators().ports_on) + R"(,"cards":[)";
    bool first = true;
    for (std::uint8_t card = 0; card < plant::Cards::count(); ++card) {
        const Card& known = plant.cards()[card];
        if (known.where == Card::CardPlace::nowhere) continue;
        text += std::string(first ? "" : ",") + R"({"card":)" + std::to_string(card) + R"(,"where":)" +
                json_string(name_of(known.where)) + R"(,"index":)" + std::to_string(known.index) + '}';
        first = false;
    }
    return text + "]}";
}

std::string answer_json(std::string_view error) {
    return error.empty() ? R"({"ok":true})" : R"({"ok":false,"error":)" + json_string(error) + '}';
}

} // namespace mediarig::board
