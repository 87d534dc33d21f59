// SPDX-License-Identifier: GPL-3.0-or-later
/// Reads the members of one JSON object into a record; the first that does not fit is remembered, the rest are skipped.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/result.hpp"
#include "host/store/record.hpp"

namespace mediarig::store {

class Members {
public:
    /// `record` goes into the error: "device: member 'key' is missing or no text".
    Members(std::string_view record, const nlohmann::json& object);

    void text(const char* name, std::string& out);
    void texts(const char* name, std::vector<std::string>& out);
    void count(const char* name, std::uint32_t& out);
    void number(const char* name, double& out);
    void number(const char* name, std::optional<double>& out);
    /// JSON has no NaN; it is written as null.
    void numbers(const char* name, std::vector<double>& out);
    void time(const char* name, TimePoint& out);
    void time(const char* name, std::optional<TimePoint>& out);

    /// A name such as "running", through its own `from`.
    template <class T, class From>
    void named(const char* name, T& out, From from) {
        std::string word;
        text(name, word);
        if (!problem_.empty()) return;
        keep(name, from(word), out);
    }
    /// An object or list, through its own `from`.
    template <class T, class From>
    void part(const char* name, T& out, From from) {
        if (const nlohmann::json* member = find(name); member != nullptr)
            keep(name, from(*member), out);
        else
            wrong(name, "missing");
    }
    /// The same; a missing member or null leaves it unset.
    template <class T, class From>
    void part(const char* name, std::optional<T>& out, From from) {
        out.reset();
        if (const nlohmann::json* member = find(name); member != nullptr && !member->is_null())
            keep(name, from(*member), out);
    }
    template <class T, class From>
    void parts(const char* name, std::vector<T>& out, From from) {
        const nlohmann::json* list = find(name);
        if (list == nullptr || !list->is_array()) return wrong(name, "missing or no list");
        for (const nlohmann::json& element : *list) {
            T item;
            keep(name, from(element), item);
            if (!problem_.empty()) return;
            out.push_back(std::move(item));
        }
    }

    /// `value` if every member fitted, else bad_format.
    template <class T>
    [[nodiscard]] Result<T> finish(T value) const {
        if (!problem_.empty()) return fail(Errc::bad_format, problem_);
        return value;
    }

private:
    [[nodiscard]] const nlohmann::json* find(const char* name) const;
    void wrong(const char* name, std::string_view what);

    template <class R, class T>
    void keep(const char* name, R result, T& out) {
        if (result)
            out = std::move(*result);
        else
            wrong(name, "wrong: " + result.error().detail);
    }

    std::string_view record_;
    const nlohmann::json& object_;
    std::string problem_;
};

} // namespace mediarig::store
