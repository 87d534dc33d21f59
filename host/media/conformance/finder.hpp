// SPDX-License-Identifier: GPL-3.0-or-later
/// Reads values from a report and records deviations; shared by all rules.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "host/media/identity/deviation.hpp"
#include "host/media/inspect/inspect_values.hpp"

namespace mediarig::media::detail {

/// Severity, reason and source of a rule.
struct FormatRule {
    DeviationSeverity severity{};
    const char* reason;
    const char* source;
    Certainty certainty{};
};

class Finder {
public:
    explicit Finder(std::vector<Deviation>& found) : found_(found) {}

    void add(const std::string& subject, const std::string& name, std::string found, std::string expected,
             const FormatRule& rule) {
        found_.push_back({.severity = rule.severity,
                          .subject = subject,
                          .name = name,
                          .found = std::move(found),
                          .expected = std::move(expected),
                          .reason = rule.reason,
                          .source = rule.source,
                          .certainty = rule.certainty});
    }
    /// Adds a deviation if the values differ.
    void compare(const std::string& subject, const std::string& name, const std::string& found,
                 const std::string& expected, const FormatRule& rule) {
        if (found != expected) add(subject, name, found, expected, rule);
    }

private:
    std::vector<Deviation>& found_;
};

/// "volume 1" for index 0.
[[nodiscard]] inline std::string subject_of(std::size_t index) {
    return fmt::format("volume {}", index + 1);
}
/// Numeric value of a parameter; empty if the parameter is missing or not a number.
[[nodiscard]] std::optional<std::uint64_t> number(const InspectedVolume& volume, std::string_view name);
/// "16777216 (16 MiB)" for a size in bytes.
[[nodiscard]] std::string bytes_text(Bytes bytes);

inline constexpr const char* table_subject = "partition table";

} // namespace mediarig::media::detail
