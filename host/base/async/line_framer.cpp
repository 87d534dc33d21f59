// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/base/async/line_framer.hpp"

#include <utility>

namespace mediarig::agent {
namespace {

/// This many bytes are sufficient to identify the sender of an oversized line.
constexpr std::size_t head_length = 80;

} // namespace

void LineFramer::push(std::string_view bytes) {
    while (!bytes.empty()) {
        const std::size_t end = bytes.find('\n');
        const std::string_view part = bytes.substr(0, end);
        if (!skipping_) {
            line_.append(part);
            // One byte beyond the limit may be the "\r" of the line end.
            const bool maybe_carriage_return = line_.size() == limit_ + 1 && line_.back() == '\r';
            if (line_.size() > limit_ && !maybe_carriage_return) {
                frames_.push_back({FramedLine::Kind::oversized, line_.substr(0, head_length)});
                line_ = {};
                skipping_ = true;
            }
        }
        if (end == std::string_view::npos) return;
        end_line();
        bytes.remove_prefix(end + 1);
    }
}

void LineFramer::end_line() {
    if (std::exchange(skipping_, false)) return;
    if (!line_.empty() && line_.back() == '\r') line_.pop_back();
    if (!line_.empty()) frames_.push_back({FramedLine::Kind::line, std::move(line_)});
    line_ = {};
}

std::optional<FramedLine> LineFramer::next() {
    if (frames_.empty()) return std::nullopt;
    FramedLine frame = std::move(frames_.front());
    frames_.pop_front();
    return frame;
}

} // namespace mediarig::agent
