// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/virtual/owed_answers.hpp"

#include <nlohmann/json.hpp>

#include "host/base/json/json_text.hpp"

namespace mediarig::lab {
namespace {

using nlohmann::json;

/// A new controller of the agent begins with a request whose id has this prefix; its answer ends all earlier requests.
constexpr std::string_view new_controller = "\"start-over-";

LineIds::Id json_id(std::string_view line, bool is_request) {
    const json message = codec::read_json(line);
    if (!message.is_object() || !message.contains("id")) return std::nullopt;
    if (is_request != (message.contains("method") || message.contains("request"))) return std::nullopt;
    return codec::json_text(message["id"]);
}

LineIds::Id first_word(std::string_view line) {
    const std::string_view word = line.substr(0, line.find(' '));
    return word.empty() ? std::nullopt : LineIds::Id(word);
}

} // namespace

LineIds json_ids() {
    return {.request = [](std::string_view line) { return json_id(line, true); },
            .answer = [](std::string_view line) { return json_id(line, false); }};
}

LineIds shell_ids() {
    return {.request = first_word, .answer = first_word};
}

void OwedAnswers::sent(std::string_view bytes) {
    to_guest_.push(bytes);
    while (const auto frame = to_guest_.next())
        if (auto id = ids_.request(frame->text)) owed_.insert(std::move(*id));
}

void OwedAnswers::received(std::string_view bytes) {
    from_guest_.push(bytes);
    while (const auto frame = from_guest_.next()) {
        const auto id = ids_.answer(frame->text);
        if (!id) continue;
        owed_.erase(*id);
        if (id->starts_with(new_controller)) owed_.clear();
    }
}

} // namespace mediarig::lab
