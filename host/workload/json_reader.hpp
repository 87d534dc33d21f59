// SPDX-License-Identifier: GPL-3.0-or-later
/// Reads one JSON object without trusting it. Inner part of the JSON forms of this folder.
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "host/result.hpp"

namespace mediarig::workload::detail {

/// Remembers the first fault ("cells[3].block: missing") and then answers with defaults, so that a reader is a plain
/// list of members followed by one look at `error()`.
class ObjectReader {
public:
    /// `path` names the object in messages; empty for the outermost one.
    ObjectReader(const nlohmann::json& json, std::string path);

    [[nodiscard]] std::uint64_t number(const char* member,
                                       std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
    [[nodiscard]] std::uint64_t number_or(const char* member, std::uint64_t fallback,
                                          std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
    [[nodiscard]] std::optional<std::uint64_t> maybe_number(const char* member);
    /// A number that fits a count of nanoseconds, at most 292 years.
    [[nodiscard]] std::int64_t nanoseconds(const char* member);
    [[nodiscard]] bool flag_or(const char* member, bool fallback);
    [[nodiscard]] std::string text(const char* member, std::size_t longest);
    [[nodiscard]] std::string text_or(const char* member, std::string fallback, std::size_t longest);
    /// A list of at most `longest` elements; nullptr when missing, null or refused.
    [[nodiscard]] const nlohmann::json* list(const char* member, std::size_t longest);
    /// nullptr when missing or null.
    [[nodiscard]] const nlohmann::json* object(const char* member);
    /// One of the names that `from` knows.
    template <class E>
    [[nodiscard]] E name(const char* member, Result<E> (*from)(std::string_view), std::optional<E> fallback = {}) {
        if (fallback && !has(member)) return *fallback;
        const std::string word = text(member, 64);
        if (fault_) return E{};
        auto value = from(word);
        if (!value) refuse(member, value.error().detail);
        return value.value_or(E{});
    }

    [[nodiscard]] bool has(const char* member) const;
    [[nodiscard]] std::string path_of(std::string_view member) const;
    void refuse(std::string_view member, std::string_view why);
    /// Takes over the fault of a part, whose detail already names its place.
    void refuse(const Error& fault_of_part);
    [[nodiscard]] const std::optional<Error>& error() const { return fault_; }

private:
    [[nodiscard]] const nlohmann::json* find(const char* member) const;

    const nlohmann::json& json_;
    std::string path_;
    std::optional<Error> fault_;
};

} // namespace mediarig::workload::detail
