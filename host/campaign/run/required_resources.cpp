// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/campaign/run/required_resources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "host/campaign/resources/uplink/ceilings.hpp"

namespace mediarig::campaign {
namespace {

using How = ResourceRequest::How;

workload::Disturbance disturbance_of(const plan::Step& step, const MediumState& medium) {
    const auto job = suites::expand(step.suite->request, available(medium));
    return job ? workload::disturbance_of(*job) : workload::Disturbance::by_nothing;
}

/// Returns the highest measured rate of this medium; infinity if nothing was measured yet.
double highest_rate_of(const MediumState& medium) {
    double most = 0;
    for (const store::PassView& pass : medium.tested.passes)
        for (const workload::CellResult& cell : pass.cells) {
            // Data from a cache of this machine did not pass the uplink.
            if (cell.evidence.used == workload::CachePolicy::cached || cell.elapsed.count() <= 0) continue;
            most = std::max(most, rate_of(cell.moved, cell.elapsed).bytes_per_second);
        }
    return most > 0 ? most : std::numeric_limits<double>::infinity();
}

std::vector<ResourceRequest> shared_uplinks(const MediumState& medium, double rate) {
    std::vector<ResourceRequest> resources;
    for (std::string& uplink : uplinks_of(*medium.identity))
        resources.push_back({std::move(uplink), How::shared, rate});
    return resources;
}

std::vector<ResourceRequest> measured_uplinks(const MediumState& medium, const UplinkUse& uplinks) {
    std::vector<ResourceRequest> resources;
    for (std::string& uplink : uplinks_of(*medium.identity)) {
        const bool known = uplinks.ceilings.contains(uplink);
        resources.push_back(
            {std::move(uplink), known ? How::measured : How::alone, known ? highest_rate_of(medium) : 0});
    }
    return resources;
}

} // namespace

std::string bus_of(const media::Medium& medium) {
    return uplinks_of(medium).front();
}

std::vector<std::string> uplinks_of(const media::Medium& medium) {
    if (medium.file) return {fmt::format("file system {}", medium.file->device)};
    if (medium.uplinks.empty()) return {"unknown bus"};
    return medium.uplinks;
}

std::vector<ResourceRequest> exclusive_resources(const MediumState& medium) {
    return {{bus_of(*medium.identity), How::alone}, {processor, How::one}};
}

std::map<std::string, double> admitted_rates(const UplinkUse& uplinks) {
    std::map<std::string, double> rates = uplinks.ceilings;
    for (auto& [uplink, rate] : rates) rate *= uplink::admitted_part;
    return rates;
}

std::vector<ResourceRequest> required_resources(const plan::Step& step, const MediumState& medium,
                                                const UplinkUse& uplinks) {
    if (step.kind == plan::StepKind::load || step.kind == plan::StepKind::unload) return {{the_rig, How::alone}};
    if (!traits_of(step.kind).transfers || !medium.identity) return {};
    if (step.kind != plan::StepKind::run) return shared_uplinks(medium, highest_rate_of(medium));
    switch (disturbance_of(step, medium)) {
        case workload::Disturbance::by_anything:
            return exclusive_resources(medium);
        case workload::Disturbance::by_lack_of_bytes: {
            // Do not limit the number of media by the processors: few media could not fill an uplink.
            if (uplinks.measure) return shared_uplinks(medium, 0);
            std::vector<ResourceRequest> resources = measured_uplinks(medium, uplinks);
            resources.push_back({processor, How::one});
            return resources;
        }
        case workload::Disturbance::by_nothing:
            break;
    }
    return shared_uplinks(medium, highest_rate_of(medium));
}

} // namespace mediarig::campaign
