// SPDX-License-Identifier: GPL-3.0-or-later
/// The lines between a campaign and its watchers: the first one greets, the others are events.
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
    std::string campaign;  ///< id
    std::size_t history{}; ///< how many of the lines that follow tell what was before
};

/// Each with its line feed, of ASCII without controls.
[[nodiscard]] std::string line_of(const Greeting& greeting);
[[nodiscard]] std::string line_of(const session::SessionEvent& event);
/// The last line for a client who asked for what there is not.
[[nodiscard]] std::string line_of(const Error& refusal);

/// Makes events of the bytes that a watcher received, however they were cut.
class Feed {
public:
    /// A longer line is none of ours.
    static constexpr std::size_t longest_line = std::size_t{4} << 20;

    /// The events that these bytes complete. Fails with bad_format (no greeting, a line that is no event, one that is
    /// too long; nothing can be taken after that), or with bad_request and what the campaign said to our request.
    [[nodiscard]] Result<std::vector<session::SessionEvent>> take(std::string_view bytes);
    /// Known once its line was received.
    [[nodiscard]] const std::optional<Greeting>& greeting() const { return greeting_; }

private:
    [[nodiscard]] Result<std::optional<session::SessionEvent>> take_line(std::string_view line);

    std::string rest_; ///< of the last line, as far as it has come
    std::optional<Greeting> greeting_;
};

} // namespace mediarig::events
