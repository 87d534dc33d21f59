// SPDX-License-Identifier: GPL-3.0-or-later
/// Reads the members of one JSON object; inner part of the JSON forms of formats, mounts and inspections.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/result.hpp"

namespace mediarig::media::detail {

/// Keeps the first fault ("format.label: not a string") and answers with defaults from then on: a reader is a plain
/// list of members and one look at fault().
class JsonFields {
public:
    JsonFields(const nlohmann::json& json, std::string place);

    [[nodiscard]] std::string text(const char* name);
    [[nodiscard]] std::string text_or_empty(const char* name);
    [[nodiscard]] std::uint64_t number(const char* name);
    [[nodiscard]] std::optional<std::uint64_t> maybe_number(const char* name);
    [[nodiscard]] bool flag(const char* name);
    /// Missing or null is an empty list.
    [[nodiscard]] const nlohmann::json& list(const char* name);
    [[nodiscard]] std::vector<std::string> texts(const char* name);
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> parameters(const char* name);
    void refuse(const std::string& name, const std::string& why);
    [[nodiscard]] const std::optional<Error>& fault() const { return fault_; }

private:
    [[nodiscard]] const nlohmann::json* find(const char* name) const;
    const nlohmann::json& json_;
    std::string place_;
    std::optional<Error> fault_;
};

/// A list of {"name", "value"}: parameters have an order, which a JSON object would lose.
[[nodiscard]] nlohmann::json parameters_json(const std::vector<std::pair<std::string, std::string>>& parameters);

} // namespace mediarig::media::detail
