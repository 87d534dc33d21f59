// SPDX-License-Identifier: GPL-3.0-or-later
/// Keeps past events for an observer that connects late: only the lines that still describe the present state.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/campaign/event.hpp"

namespace mediarig::events {

/// One line with its line feed; shared by all receivers.
using EventLine = std::shared_ptr<const std::string>;

class History {
public:
    /// `line` is the text of the event.
    void add(const campaign::SessionEvent& event, EventLine line);
    /// Returns the lines in the order in which they were published: the campaign, its media, their conclusions and
    /// verdicts, the running steps with their last progress, the last steps that ended, the last findings, and the last
    /// cells of media without a verdict. The size depends on the number of media, not on time.
    [[nodiscard]] std::vector<EventLine> lines() const;

private:
    using Number = std::uint64_t;
    struct Kept {
        std::string key;
        EventLine line;
    };
    /// Replaces the line with this key.
    void keep(const std::string& key, EventLine line);
    void drop(const std::string& key);
    /// Keeps at most `most` lines of a kind; removes the oldest.
    void keep_last(std::deque<std::string>& of_kind, std::size_t most, const std::string& kind, EventLine line);

    Number next_{};
    std::map<Number, Kept> kept_;
    std::map<std::string, Number> by_key_;
    std::deque<std::string> ended_, findings_, cells_;
};

} // namespace mediarig::events
