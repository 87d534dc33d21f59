// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/cli/text/suite_text.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "host/base/text_layout.hpp"
#include "host/workload/suites/suite.hpp"

namespace mediarig::cli {
namespace {

/// Same words as the table in docs/guide/suites.md.
constexpr auto purposes = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"quickbench", "rate for 9 block sizes"},
    {"disktester", "sequential rate; IOPS"},
    {"disktester-fill", "rate over the medium"},
    {"xbench", "rate for 2 block sizes"},
    {"crystal", "rate with and without queue"},
    {"blackmagic", "sustained rate for video"},
    {"dd", "sequential rate with cache"},
    {"dd-direct", "sequential rate without cache"},
    {"ioping", "latency of single requests"},
    {"ioping-rate", "small-request rate"},
    {"sysbench-fileio", "mixed file I/O"},
    {"bonnie", "characters, chunks, seeks, files"},
    {"blogbench", "concurrent small-file load"},
    {"stibium", "whole-file transfers"},
    {"enumerate", "walks of an ageing tree of 10,000 files"},
    {"enumerate-million", "walks of an ageing tree of 1,000,000 files"},
    {"sd-class", "requirements of the marks on cards"},
    {"steady", "steady-state IOPS"},
    {"payloads", "effect of the data on the rate"},
    {"verify", "every byte, true capacity"},
    {"capacity", "true capacity by sampling"},
    {"check", "true capacity by sampling; restores the data"},
});

} // namespace

std::string_view purpose_of_suite(std::string_view name) {
    const auto found = std::ranges::find(purposes, name, &std::pair<std::string_view, std::string_view>::first);
    return found == purposes.end() ? std::string_view() : found->second;
}

std::string suites_text(std::size_t columns) {
    TextTable table({"SUITE", "MEASURES", "LIKE"});
    for (const suites::Suite* suite : suites::all_suites())
        table.add({std::string(suite->name), std::string(purpose_of_suite(suite->name)),
                   suite->title == suite->name ? "" : std::string(suite->title)});
    return table.text(columns);
}

} // namespace mediarig::cli
