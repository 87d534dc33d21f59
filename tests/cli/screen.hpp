// SPDX-License-Identifier: GPL-3.0-or-later
/// The part of a terminal that progress lines need: carriage return, line feed, erase to the end of the line and of the
/// screen, cursor up, wrapping at the edge. Any other control character fails the test.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/base/text_layout.hpp"
#include "tests/catch.hpp"

namespace mediarig::cli {

class Screen {
public:
    explicit Screen(unsigned columns) : columns_(columns) {}

    void write(std::string_view text) {
        while (!text.empty()) {
            if (text.starts_with("\x1b[K")) {
                lines_[row_].resize(cursor_);
                text.remove_prefix(3);
                continue;
            }
            if (text.starts_with("\x1b[J")) {
                lines_[row_].resize(cursor_);
                lines_.resize(row_ + 1);
                wrapped_.resize(row_ + 1);
                text.remove_prefix(3);
                continue;
            }
            // Parses "\x1b[nA" with n below 10.
            if (text.size() > 3 && text.starts_with("\x1b[") && text[3] == 'A') {
                const auto up = static_cast<std::size_t>(text[2] - '0');
                REQUIRE(up <= row_);
                row_ -= up;
                text.remove_prefix(4);
                continue;
            }
            const char c = text.front();
            text.remove_prefix(1);
            if (c == '\r') {
                cursor_ = 0;
            } else if (c == '\n') {
                begin_line(false);
            } else {
                REQUIRE(static_cast<unsigned char>(c) >= 0x20);
                put(c);
            }
        }
    }
    /// Lines of the screen.
    [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }
    /// Text as a terminal copies it: a wrapped line is one line.
    [[nodiscard]] std::string text() const {
        std::string all;
        for (std::size_t i = 0; i < lines_.size(); ++i) {
            all += lines_[i];
            if (i + 1 < lines_.size() && !wrapped_[i + 1]) all += '\n';
        }
        return all;
    }

private:
    void begin_line(bool wrapped) {
        cursor_ = 0;
        if (++row_ < lines_.size()) return;
        lines_.emplace_back();
        wrapped_.push_back(wrapped);
    }

    /// Receives the bytes of a character one by one and counts the columns of the complete character.
    void put(char c) {
        const bool continues = (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
        if (!continues && display_width(std::string_view(lines_[row_]).substr(0, cursor_)) >= columns_) {
            begin_line(true);
        }
        std::string& line = lines_[row_];
        if (cursor_ < line.size())
            line[cursor_] = c;
        else
            line += c;
        ++cursor_;
    }

    unsigned columns_;
    std::vector<std::string> lines_{""};
    std::vector<bool> wrapped_{false}; ///< true if the line only continues the previous line
    std::size_t cursor_{};             ///< in bytes
    std::size_t row_{};                ///< index into lines_
};

} // namespace mediarig::cli
