// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fakes/compared_campaign.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <stdexcept>

#include "host/plan/names.hpp"
#include "host/plan/parse_plan.hpp"
#include "tests/fakes/sample_campaign.hpp"
#include "tests/json.hpp"

namespace mediarig::fakes {

using workload::Access;

plan::Plan compared_plan(const std::string& section) {
    const auto plan = plan::parse_plan(R"({"mediarig_plan": 1, "media": [{"slot": 1, "name": "card"}], "suites":
        [{"suite": "quickbench", "accesses": ["random_write"], "blocks": ["4KiB", "64KiB"]}], "compare": )" +
                                       section + "}");
    if (!plan) throw std::invalid_argument(plan.error().lines.front());
    return *plan;
}

std::optional<double> undecided(std::size_t format, std::uint32_t block, std::size_t) {
    constexpr std::array ratios{0.03, -0.02, 0.05, 0.01, -0.04, 0.06};
    if (format == 0) return 20 * std::exp(ratios.at((block - 1) % ratios.size()));
    return format == 1 ? 20.0 : 5.0;
}

store::DeviceView compared_device(const plan::Plan& plan, std::uint32_t blocks, const RateOf& rate) {
    const auto names = plan::format_names(plan);
    store::DeviceView device;
    device.device.name = "card";
    device.device.key = "k";
    std::size_t place = 0;
    for (std::uint32_t block = 1; block <= blocks; ++block)
        for (const std::size_t format : plan.compare->orders[block - 1]) {
            const std::string group = fmt::format("m0.r{}.{}", block, names[format]);
            store::PassView view;
            view.pass.id = group + ".quickbench";
            view.pass.format = names[format];
            view.pass.repeat = block;
            view.pass.position = static_cast<std::uint32_t>(place);
            view.pass.job.suite = "quickbench";
            const auto value = rate(format, block, place++);
            if (!value) {
                device.untested.push_back({.key = view.pass.id, .why = "the medium said no"});
                continue;
            }
            workload::SweepJob sweep;
            for (const Bytes size : {4_KiB, 64_KiB}) {
                view.cells.push_back(sample_cell("standard", Access::random_write, size, 64_MiB, *value));
                sweep.cells.push_back(view.cells.back().cell);
            }
            view.pass.job.kind = std::move(sweep);
            view.end = store::PassEnd{};
            device.passes.push_back(std::move(view));
        }
    return device;
}

store::CampaignView compared_campaign(const plan::Plan& plan, std::uint32_t blocks, const RateOf& rate) {
    store::CampaignView view;
    view.campaign.id = "c1";
    view.campaign.plan = to_json(plan).dump();
    view.campaign.state = store::CampaignState::finished;
    view.devices.push_back(compared_device(plan, blocks, rate));
    view.devices[0].verdict = measure::Verdict{};
    return view;
}

} // namespace mediarig::fakes
