// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/cli/output_filter.hpp"

#include <array>
#include <string_view>

#include "host/text.hpp"

namespace mediarig::cli {
namespace {

/// All that host/report and host/cli ever write: emphasis and colours of tables, and "clear to the end of the line".
constexpr std::array<std::string_view, 8> own_sequences{"\x1b[K",     "\x1b[0m",    "\x1b[1m",    "\x1b[2m",
                                                        "\x1b[1;31m", "\x1b[1;32m", "\x1b[1;33m", "\r"};

/// What the text begins with: `length` bytes that pass as they are, or none; `open` where more bytes have to tell.
struct Passing {
    std::size_t length{};
    bool open{};
};

Passing passing(std::string_view text, OwnControls own) {
    if (text[0] == '\n' || text[0] == '\t') return {1, false};
    if (text[0] == '\r' && text.size() == 1) return {0, true};
    if (text.starts_with("\r\n")) return {2, false};
    bool open = false;
    if (own == OwnControls::terminal)
        for (const std::string_view sequence : own_sequences) {
            if (text.starts_with(sequence)) return {sequence.size(), false};
            open = open || sequence.starts_with(text);
        }
    return {0, open};
}

/// A sequence that is cut off by the end of what has been written so far.
bool is_cut_off(std::string_view text, const CodePoint& point) {
    if (point.valid || point.length < text.size()) return false;
    const auto lead = static_cast<unsigned char>(text[0]);
    return lead >= 0xC2 && lead <= 0xF4 && text.size() < (lead >= 0xF0 ? 4U : lead >= 0xE0 ? 3U : 2U);
}

} // namespace

bool OutputFilter::pass_on(bool to_the_end) {
    std::string_view rest = pending_;
    std::string out;
    while (!rest.empty()) {
        const Passing own = passing(rest, own_);
        if (own.length > 0) {
            out += rest.substr(0, own.length);
            rest.remove_prefix(own.length);
            continue;
        }
        const CodePoint point = first_code_point(rest);
        if (!to_the_end && (own.open || is_cut_off(rest, point))) break;
        // A CR that ends what was written is one of our own where those pass: the progress line is drawn over.
        if (rest == "\r" && own_ == OwnControls::terminal)
            out += rest;
        else
            out += printable(rest.substr(0, point.length));
        rest.remove_prefix(point.length);
    }
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
