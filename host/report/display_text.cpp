// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/display_text.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <array>

#include "host/plan/format_name.hpp"
#include "host/suites/suite.hpp"
#include "host/workload/names.hpp"

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
    return plan::ground_called(format) == plan::Ground::raw;
}

std::string format_title(std::string_view format) {
    return plan::title_of_format(format);
}

std::string latency_text(std::chrono::nanoseconds time) {
    const auto ns = static_cast<double>(time.count());
    const auto digits = [](double value) { return value >= 100 ? 0 : value >= 10 ? 1 : 2; };
    if (ns >= 1e9) return fmt::format("{:.2f} s", ns / 1e9);
    if (ns >= 1e6) return fmt::format("{:.{}f} ms", ns / 1e6, digits(ns / 1e6));
    return fmt::format("{:.{}f} µs", ns / 1e3, digits(ns / 1e3));
}

std::string time_text(store::TimePoint time) {
    return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC",
                       fmt::gmtime(std::chrono::system_clock::to_time_t(
                           std::chrono::time_point_cast<std::chrono::system_clock::duration>(time))));
}

std::string duration_text(std::chrono::nanoseconds time) {
    const auto seconds = std::chrono::round<std::chrono::seconds>(time).count();
    if (seconds >= 3600) return fmt::format("{} h {:02} min", seconds / 3600, seconds / 60 % 60);
    if (seconds >= 60) return fmt::format("{} min {:02} s", seconds / 60, seconds % 60);
    return fmt::format("{} s", seconds);
}

std::string model_text(const media::Medium& medium) {
    if (medium.vendor.empty() || medium.model == medium.vendor || medium.model.starts_with(medium.vendor + " "))
        return medium.model;
    return medium.model.empty() ? medium.vendor : medium.vendor + " " + medium.model;
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

} // namespace mediarig::report
