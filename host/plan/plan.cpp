// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/plan/plan.hpp"

#include <algorithm>
#include <utility>

#include "host/media/format/layouts/system_layouts.hpp"

namespace mediarig::plan {
namespace {

/// mkfs.exfat aligns FAT and clusters to the boundary of the medium if it knows the partition, which would compensate
/// for an unaligned start.
bool is_put_back(const media::FormatSpec& spec, const media::FormatSpec& asked) {
    if (spec.fs != media::FileSystem::exfat || asked.boundary || !asked.partition || !asked.partition->start)
        return false;
    return *asked.partition->start % spec.boundary.value_or(media::usual_exfat_boundary) != 0_B;
}

} // namespace

const std::string& MediumRef::target() const {
    if (!path.empty()) return path;
    return image.empty() ? directory : image;
}

bool leads_upwards(std::string_view path) {
    return (std::string(path) + '/').find("/../") != std::string::npos || path.starts_with("../");
}

Result<media::FormatSpec> spec_for(const FormatEntry& format, Bytes medium, std::uint32_t sector) {
    if (!format.profile) return format.spec;
    auto spec = media::spec_for(*format.profile, medium, sector, format.wanted);
    if (!spec) return spec;
    *spec = media::laid_over(std::move(*spec), format.spec);
    if (is_put_back(*spec, format.spec)) spec->boundary = Bytes{sector};
    return spec;
}

bool destroys(const Plan& plan) {
    return std::any_of(plan.formats.begin(), plan.formats.end(), [](const FormatEntry& f) { return !f.keep; }) ||
           std::any_of(plan.suites.begin(), plan.suites.end(),
                       [](const SuiteEntry& s) { return s.where == SuiteTarget::raw; });
}

bool lacks_confirmation(const Plan& plan, const MediumRef& medium) {
    return medium.confirm.empty() && !medium.slot && !medium.target().empty() && medium.directory.empty() &&
           destroys(plan);
}

media::Contents claimed_contents(const Plan& plan, const MediumRef& medium) {
    return medium.contents_unknown || !destroys(plan) ? media::Contents::may_be_unknown
                                                      : media::Contents::must_be_known;
}

} // namespace mediarig::plan
