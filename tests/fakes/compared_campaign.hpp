// SPDX-License-Identifier: GPL-3.0-or-later
/// A comparison as loaded from a store. Deterministic, without files, clock or devices.
#pragma once

#include <functional>
#include <optional>

#include "host/plan/plan.hpp"
#include "host/store/record.hpp"

namespace mediarig::fakes {

/// The plan with the "compare" section `section`, on one card in a slot, with random writes of 4 and 64 KiB.
[[nodiscard]] plan::Plan compared_plan(const std::string& section);

/// Rate in MB/s of a format (index in the plan) in a block (from 1), at a place in time (number of earlier passes).
/// Empty: the pass failed.
using RateOf = std::function<std::optional<double>(std::size_t format, std::uint32_t block, std::size_t place)>;

/// Rates of formats 0 and 1 that are not decided after six blocks of a budget of 12; about seven more blocks would
/// decide. Every other format is far slower.
[[nodiscard]] std::optional<double> undecided(std::size_t format, std::uint32_t block, std::size_t place);

/// The card after this number of blocks with all formats in the drawn order of each block. Both cells have the same
/// rate.
[[nodiscard]] store::DeviceView compared_device(const plan::Plan& plan, std::uint32_t blocks, const RateOf& rate);

/// The finished campaign of that card.
[[nodiscard]] store::CampaignView compared_campaign(const plan::Plan& plan, std::uint32_t blocks, const RateOf& rate);

} // namespace mediarig::fakes
