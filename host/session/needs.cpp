// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/session/needs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "host/session/step_actions.hpp"

namespace mediarig::session {
namespace {

/// "0000:00:14.0"
bool is_pci_function(std::string_view name) {
    constexpr std::string_view shape = "xxxx:xx:xx.x";
    if (name.size() != shape.size()) return false;
    for (std::size_t i = 0; i < shape.size(); ++i)
        if (shape[i] == 'x' ? std::isxdigit(static_cast<unsigned char>(name[i])) == 0 : name[i] != shape[i])
            return false;
    return true;
}

/// The part of a path below /sys/devices that ends with the last PCI function on it; empty where there is none.
std::string_view controller_of(std::string_view path) {
    std::string_view found;
    for (std::size_t from = 0; from < path.size();) {
        const std::size_t end = std::min(path.find('/', from), path.size());
        if (is_pci_function(path.substr(from, end - from))) found = path.substr(0, end);
        from = end + 1;
    }
    return found;
}

/// Whether its rates are what it is made for.
bool measures_rates(const plan::Step& step, const MediumState& medium) {
    const auto job = suites::expand(step.suite->request, available(step, medium));
    return job && workload::measures_rates(*job);
}

} // namespace

std::string bus_of(const media::Medium& medium) {
    if (medium.file) return fmt::format("file system {}", medium.file->device);
    const std::string_view controller = controller_of(medium.sysfs_path);
    return controller.empty() ? "unknown bus" : std::string(controller);
}

std::vector<Need> needs_of(const plan::Step& step, const MediumState& medium) {
    using How = Need::How;
    switch (step.kind) {
        case plan::StepKind::load:
        case plan::StepKind::unload:
            return {{the_rig, How::alone}};
        case plan::StepKind::run:
            if (!medium.identity) return {};
            if (measures_rates(step, medium)) return {{bus_of(*medium.identity), How::alone}, {processor, How::one}};
            return {{bus_of(*medium.identity), How::shared}};
        case plan::StepKind::discard:
        case plan::StepKind::format:
        case plan::StepKind::check:
            if (!medium.identity) return {};
            return {{bus_of(*medium.identity), How::shared}};
        case plan::StepKind::identify:
        case plan::StepKind::claim:
        case plan::StepKind::rest:
        case plan::StepKind::mount:
        case plan::StepKind::unmount:
        case plan::StepKind::release:
        case plan::StepKind::verdict:
            break;
    }
    return {};
}

} // namespace mediarig::session
