// SPDX-License-Identifier: GPL-3.0-or-later
/// What a watcher who comes late has to be told: the lines of the past that still say something of the present.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/campaign/event.hpp"

namespace mediarig::events {

/// One line with its line feed; shared by all who are to get it.
using Line = std::shared_ptr<const std::string>;

class History {
public:
    /// `line` is the event's.
    void add(const session::SessionEvent& event, Line line);
    /// In the order in which they were told: the campaign, its media, their conclusions and verdicts, the steps that
    /// run with their last progress, the last steps that ended, the last findings, and the last cells of media without
    /// a verdict. Its size does not grow with time, only with the number of media.
    [[nodiscard]] std::vector<Line> lines() const;

private:
    using Number = std::uint64_t;
    struct Kept {
        std::string key;
        Line line;
    };
    /// In the place of what had this key.
    void keep(const std::string& key, Line line);
    void drop(const std::string& key);
    /// At most `most` of a kind; the oldest goes.
    void keep_last(std::deque<std::string>& of_kind, std::size_t most, const std::string& kind, Line line);

    Number next_{};
    std::map<Number, Kept> kept_;
    std::map<std::string, Number> by_key_;
    std::deque<std::string> ended_, findings_, cells_;
};

} // namespace mediarig::events
