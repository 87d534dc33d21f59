// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/cli/manual/output_filter.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "host/base/text.hpp"
#include "host/base/text_layout.hpp"

namespace mediarig::cli {
namespace {

/// All control sequences that host/report and host/cli write: emphasis and colours of tables, "clear to the end" of the
/// line and of the screen, and cursor movement up to the first of at most eight progress lines.
constexpr std::array<std::string_view, 16> own_sequences{
    "\x1b[K",  "\x1b[J",  "\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[1;31m", "\x1b[1;32m", "\x1b[1;33m",
    "\x1b[1A", "\x1b[2A", "\x1b[3A", "\x1b[4A", "\x1b[5A", "\x1b[6A",    "\x1b[7A",    "\r"};

/// Returns the length of the sequence of own_sequences at the beginning of the text, or 0.
std::size_t own_sequence_at(std::string_view text) {
    const auto found = std::ranges::find_if(own_sequences, [&](std::string_view own) { return text.starts_with(own); });
    return found == own_sequences.end() ? 0 : found->size();
}

/// Result for the beginning of the text: `length` bytes pass unchanged; `open` if more bytes are needed to decide.
struct FilterStep {
    std::size_t length{};
    bool open{};
};

FilterStep passing(std::string_view text, AllowedControls own) {
    if (text[0] == '\n' || text[0] == '\t') return {1, false};
    if (text[0] == '\r' && text.size() == 1) return {0, true};
    if (text.starts_with("\r\n")) return {2, false};
    bool open = false;
    if (own == AllowedControls::terminal)
        for (const std::string_view sequence : own_sequences) {
            if (text.starts_with(sequence)) return {sequence.size(), false};
            open = open || sequence.starts_with(text);
        }
    return {0, open};
}

/// True if the end of the output so far splits a UTF-8 sequence.
bool is_cut_off(std::string_view text, const CodePoint& point) {
    const auto lead = static_cast<unsigned char>(text[0]);
    return !point.valid && lead >= 0xC2 && lead <= 0xF4 &&
           text.size() < (lead >= 0xF0   ? 4U
                          : lead >= 0xE0 ? 3U
                                         : 2U) &&
           std::ranges::all_of(text.substr(1), [](unsigned char c) { return (c & 0xC0) == 0x80; });
}

} // namespace

std::string broken_between_words(std::string_view line, std::size_t columns) {
    const std::size_t indent = line.find_first_not_of(' ');
    const bool prose = indent != std::string_view::npos && line.find("  ", indent) == std::string_view::npos &&
                       line[indent] != '"' && line[indent] != '{' && // JSON
                       std::ranges::none_of(line, [](unsigned char c) { return c < ' '; });
    if (!prose) return std::string(line);
    return wrapped(line.substr(indent), columns, line.substr(0, indent), line.substr(0, indent));
}

std::string OutputFilter::folded(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        // Drop progress lines that the same write draws over.
        if (const std::size_t drawn = line.rfind('\r'); drawn != line.npos && drawn + 1 < line.size()) {
            out += line.substr(0, drawn);
            line.remove_prefix(drawn);
        }
        while (const std::size_t length = own_sequence_at(line)) {
            at_line_start_ = at_line_start_ || line[0] == '\r';
            out += line.substr(0, length);
            line.remove_prefix(length);
        }
        const bool whole = at_line_start_ && end != std::string_view::npos;
        out += whole ? broken_between_words(line, columns_) : std::string(line);
        at_line_start_ = end != std::string_view::npos;
        if (!at_line_start_) break;
        out += '\n';
        text.remove_prefix(end + 1);
    }
    return out;
}

bool OutputFilter::pass_on(bool to_the_end) {
    std::string_view rest = pending_;
    std::string out;
    while (!rest.empty()) {
        const FilterStep own = passing(rest, own_);
        if (own.length > 0) {
            out += rest.substr(0, own.length);
            rest.remove_prefix(own.length);
            continue;
        }
        const CodePoint point = first_code_point(rest);
        if (!to_the_end && (own.open || is_cut_off(rest, point))) break;
        // A CR at the end belongs to the progress line, which is redrawn: it passes if own control sequences pass.
        if (rest == "\r" && own_ == AllowedControls::terminal)
            out += rest;
        else
            out += printable(rest.substr(0, point.length));
        rest.remove_prefix(point.length);
    }
    if (columns_ > 0) out = folded(out);
    const auto size = static_cast<std::streamsize>(out.size());
    pending_ = std::string(rest);
    return to_.sputn(out.data(), size) == size;
}

OutputFilter::int_type OutputFilter::overflow(int_type c) {
    if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
    pending_ += traits_type::to_char_type(c);
    return pass_on(false) ? c : traits_type::eof();
}

std::streamsize OutputFilter::xsputn(const char* text, std::streamsize size) {
    pending_.append(text, static_cast<std::size_t>(size));
    return pass_on(false) ? size : 0;
}

int OutputFilter::sync() {
    return pass_on(true) ? to_.pubsync() : -1;
}

} // namespace mediarig::cli
