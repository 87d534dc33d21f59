// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/qmp/qmp_message.hpp"

#include <fmt/format.h>

#include "host/base/json/json_text.hpp"

namespace mediarig::lab {
namespace {

using nlohmann::json;

tl::unexpected<Error> no_message(std::string_view why, std::string_view line) {
    constexpr std::size_t shown = 80;
    std::string head;
    for (const char c : line.substr(0, shown)) head += c >= ' ' && c <= '~' ? c : '.';
    return fail(Errc::bad_format, fmt::format("QEMU's control socket sent an invalid message ({}): '{}'", why, head));
}

const json* member(const json& object, const char* name, json::value_t type) {
    if (!object.is_object()) return nullptr;
    const auto found = object.find(name);
    return found != object.end() && found->type() == type ? &*found : nullptr;
}

/// Error texts have one line.
std::string one_line(std::string text) {
    for (char& c : text)
        if (c == '\n' || c == '\r') c = ' ';
    return text;
}

std::string version_of(const json& greeting) {
    const json* version = member(greeting, "version", json::value_t::object);
    const json* qemu = version != nullptr ? member(*version, "qemu", json::value_t::object) : nullptr;
    if (qemu == nullptr) return "unknown";
    std::string text;
    for (const char* part : {"major", "minor", "micro"}) {
        const json* number = member(*qemu, part, json::value_t::number_unsigned);
        if (number == nullptr) return "unknown";
        text += (text.empty() ? "" : ".") + std::to_string(number->get<std::uint64_t>());
    }
    return text;
}

} // namespace

Result<QmpMessage> parse_qmp(std::string_view line) {
    const json message = codec::read_json(line);
    if (!message.is_object()) return no_message("no JSON object", line);
    if (const json* greeting = member(message, "QMP", json::value_t::object))
        return QmpMessage(QmpGreeting{version_of(*greeting)});
    if (const json* event = member(message, "event", json::value_t::string)) {
        const json* data = member(message, "data", json::value_t::object);
        return QmpMessage(QmpEvent{event->get<std::string>(), data != nullptr ? *data : json::object()});
    }
    const json* id = member(message, "id", json::value_t::number_unsigned);
    if (const json* error = member(message, "error", json::value_t::object)) {
        const json* description = member(*error, "desc", json::value_t::string);
        if (description == nullptr) return no_message("an error without a description", line);
        // QEMU answers an unparsable command without an id. This client never sends such a command, so no caller waits
        // for the answer.
        return QmpMessage(QmpAnswer{id != nullptr ? id->get<std::uint64_t>() : 0,
                                    tl::unexpected(one_line(description->get<std::string>()))});
    }
    if (!message.contains("return")) return no_message("neither an event nor an answer", line);
    if (id == nullptr) return no_message("an answer without the number of its command", line);
    return QmpMessage(QmpAnswer{id->get<std::uint64_t>(), message["return"]});
}

std::string serialise(const QmpCommand& command, std::uint64_t id) {
    json message{{"execute", command.execute}, {"id", id}};
    if (!command.arguments.empty()) message["arguments"] = command.arguments;
    return codec::json_line(message) + "\n";
}

} // namespace mediarig::lab
