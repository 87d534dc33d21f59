// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/virtual/owed_answers.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "host/base/json/json_text.hpp"

namespace mediarig::lab {
namespace {

using nlohmann::json;

bool is_request(const json& message) {
    return message.contains("method") || message.contains("request");
}

std::optional<LineRequest> json_request(std::string_view line) {
    const json message = codec::read_json(line);
    if (!message.is_object() || !message.contains("id") || !is_request(message)) return std::nullopt;
    return LineRequest{codec::json_line(message["id"]), message.value("method", json()) == "start_over"};
}

std::optional<std::string> json_answer(std::string_view line) {
    const json message = codec::read_json(line);
    if (!message.is_object() || !message.contains("id") || is_request(message)) return std::nullopt;
    return codec::json_line(message["id"]);
}

std::optional<std::string> first_word(std::string_view line) {
    const std::string_view word = line.substr(0, line.find(' '));
    return word.empty() ? std::nullopt : std::optional<std::string>(word);
}

std::optional<LineRequest> shell_line(std::string_view line) {
    auto id = first_word(line);
    return id ? std::optional(LineRequest{std::move(*id)}) : std::nullopt;
}

} // namespace

LineIds json_ids() {
    return {.request = json_request, .answer = json_answer};
}

LineIds shell_ids() {
    return {.request = shell_line, .answer = first_word};
}

void OwedAnswers::sent(std::string_view bytes) {
    to_guest_.push(bytes);
    while (const auto frame = to_guest_.next())
        if (auto request = ids_.request(frame->text)) {
            if (request->ends_earlier) ending_ = request->id;
            owed_.insert(std::move(request->id));
        }
}

void OwedAnswers::received(std::string_view bytes) {
    from_guest_.push(bytes);
    while (const auto frame = from_guest_.next()) {
        const auto id = ids_.answer(frame->text);
        if (!id) continue;
        owed_.erase(*id);
        if (*id == ending_) owed_.clear();
    }
}

} // namespace mediarig::lab
