// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/text/display_text.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <string_view>

#include "host/base/text.hpp"
#include "host/plan/names.hpp"
#include "host/workload/suites/suite.hpp"
#include "host/workload/titles.hpp"

namespace mediarig::report {
namespace {

using workload::Access;

struct AccessWords {
    Access access;
    std::string_view column, verb;
};
constexpr std::array access_text{
    AccessWords{Access::sequential_read, "S.Read", "reads"},
    AccessWords{Access::sequential_write, "S.Write", "writes"},
    AccessWords{Access::random_read, "R.Read", "reads at random"},
    AccessWords{Access::random_write, "R.Write", "writes at random"},
};

const AccessWords& row_of(Access access) {
    for (const AccessWords& row : access_text)
        if (row.access == access) return row;
    return access_text.front();
}

} // namespace

std::string_view column_title(Access access) {
    return row_of(access).column;
}
std::string_view text_for(Access access) {
    return workload::title_of(access);
}
std::string_view verb_for(Access access) {
    return row_of(access).verb;
}

std::string suite_title(std::string_view suite) {
    const suites::Suite* known = suites::find_suite(suite);
    return std::string(known != nullptr ? known->title : suite);
}

bool is_raw(std::string_view format) {
    return plan::pass_target_from(format) == plan::PassTarget::raw;
}

std::string format_title(std::string_view format) {
    return plan::title_of_format(format);
}

std::string retest_text(const store::CampaignRecord& campaign) {
    const std::string& earlier = campaign.origin.retest_of;
    return earlier.empty() ? std::string() : "retest of campaign " + printable(earlier);
}

std::string latency_text(std::chrono::nanoseconds time) {
    const auto ns = static_cast<double>(time.count());
    const auto digits = [](double value) { return value >= 100 ? 0 : value >= 10 ? 1 : 2; };
    if (ns >= 1e9) return fmt::format("{:.2f} s", ns / 1e9);
    if (ns >= 1e6) return fmt::format("{:.{}f} ms", ns / 1e6, digits(ns / 1e6));
    return fmt::format("{:.{}f} µs", ns / 1e3, digits(ns / 1e3));
}

std::string duration_text(std::chrono::nanoseconds time) {
    const auto seconds = std::chrono::round<std::chrono::seconds>(time).count();
    if (seconds >= 3600) return fmt::format("{} h {:02} min", seconds / 3600, seconds / 60 % 60);
    if (seconds >= 60) return fmt::format("{} min {:02} s", seconds / 60, seconds % 60);
    return fmt::format("{} s", seconds);
}

std::string medium_size_text(const media::Medium& medium) {
    return size_text(medium.size) + (medium.transport == media::Transport::directory ? " free" : "");
}

std::string identity_text(const media::Medium& medium) {
    std::string text = model_text(medium);
    const auto add = [&](std::string_view separator, const std::string& part) {
        if (part.empty()) return;
        if (!text.empty()) text += separator;
        text += part;
    };
    if (medium.size != 0_B) add(", ", medium_size_text(medium));
    if (medium.usb)
        add(", ", fmt::format("USB {:g} Mbit/s {}", medium.usb->speed_mbit, medium.usb->driver));
    else if (medium.transport != media::Transport::unknown)
        add(", ", std::string(media::name_of(medium.transport)));
    return text;
}

std::string html_escaped(std::string_view text) {
    std::string result;
    for (const char c : printable(text)) switch (c) {
            case '&':
                result += "&amp;";
                break;
            case '<':
                result += "&lt;";
                break;
            case '>':
                result += "&gt;";
                break;
            case '"':
                result += "&quot;";
                break;
            case '\'':
                result += "&#39;";
                break;
            default:
                result += c;
        }
    return result;
}

namespace {

bool is_number(std::string_view text) {
    if (text.starts_with('+')) text.remove_prefix(1);
    // Spreadsheets treat "inf" and "nan" as words.
    if (text.find_first_not_of("0123456789.eE+-") != std::string_view::npos) return false;
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
}

/// Leading spaces do not prevent a formula, and the full-width forms count too.
bool begins_a_formula(std::string_view text) {
    constexpr std::array<std::string_view, 8> signs{"=", "+", "-", "@", "\uFF1D", "\uFF0B", "\uFF0D", "\uFF20"};
    const auto first = text.find_first_not_of(' ');
    if (first == std::string_view::npos) return false;
    text.remove_prefix(first);
    for (const std::string_view sign : signs)
        if (text.starts_with(sign)) return true;
    return false;
}

/// `text` is printable: `text` then contains no tabs and line ends, which also begin cells.
std::string as_text(std::string_view text) {
    if (is_number(text)) return std::string(text);
    std::string result;
    while (true) {
        const std::size_t next = text.find(';');
        const std::string_view part = text.substr(0, next);
        if (begins_a_formula(part)) result += '\'';
        result += part;
        if (next == std::string_view::npos) return result;
        result += ';';
        text.remove_prefix(next + 1);
    }
}

std::string quoted(const std::string& text) {
    if (text.find_first_of(",;\"") == std::string::npos) return text;
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"') result += '"';
        result += c;
    }
    return result + "\"";
}

} // namespace

std::string csv_row(std::span<const std::string> cells) {
    std::string row;
    for (const std::string& cell : cells) {
        if (&cell != cells.data()) row += ',';
        row += quoted(as_text(printable(cell)));
    }
    return row + "\r\n";
}

} // namespace mediarig::report
