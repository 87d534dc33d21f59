// SPDX-License-Identifier: GPL-3.0-or-later
/// Parses any text as a plan. Each fault is reported in one line, and a valid plan survives a round trip.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "host/plan/parse_plan.hpp"
#include "host/plan/steps.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace mediarig::plan;
    const auto plan = parse_plan(std::string_view(reinterpret_cast<const char*>(data), size));
    if (!plan) {
        if (plan.error().lines.empty()) std::abort();
        for (const std::string& line : plan.error().lines)
            if (line.find('\n') != std::string::npos || !line.starts_with('/')) std::abort();
        return 0;
    }
    if (parse_plan(to_json(*plan).dump()) != *plan) std::abort();
    const auto steps = unroll(*plan);
    if (steps.size() != step_count(*plan)) std::abort();
    constexpr mediarig::Rate card_reader{20e6};
    for (std::size_t i = 0; i < steps.size() && i < 50; ++i)
        if (const auto guess = estimate(steps[i], mediarig::Bytes{std::uint64_t{1} << 36}, card_reader);
            guess && guess->time.count() < 0)
            std::abort();
    return 0;
}
