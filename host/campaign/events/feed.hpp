// SPDX-License-Identifier: GPL-3.0-or-later
/// The line protocol between a campaign and its observers. The first line is a greeting, the other lines are events.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.hpp"
#include "host/campaign/event.hpp"

namespace mediarig::events {

/// The first line of a connection.
struct Greeting {
    std::string campaign;  ///< id of the campaign
    std::size_t history{}; ///< number of the following lines that report past events
};

/// Both functions return a line that ends with a line feed and consists of ASCII without control characters.
[[nodiscard]] std::string line_of(const Greeting& greeting);
[[nodiscard]] std::string line_of(const campaign::SessionEvent& event);
/// The last line for a client whose request is invalid.
[[nodiscard]] std::string line_of(const Error& refusal);

/// Parses events from the bytes that an observer received, in pieces of any size.
class Feed {
public:
    /// Maximum length of a line. A longer line is not an event.
    static constexpr std::size_t longest_line = std::size_t{4} << 20;

    /// Returns the events that these bytes complete. Fails with bad_format (no greeting, an invalid event, a line that
    /// is too long; later calls fail too), or with bad_request and the campaign's reply to a refused request.
    [[nodiscard]] Result<std::vector<campaign::SessionEvent>> take(std::string_view bytes);
    /// Set once the greeting was received.
    [[nodiscard]] const std::optional<Greeting>& greeting() const { return greeting_; }

private:
    [[nodiscard]] Result<std::optional<campaign::SessionEvent>> take_line(std::string_view line);

    std::string rest_; ///< incomplete last line
    std::optional<Greeting> greeting_;
};

} // namespace mediarig::events
