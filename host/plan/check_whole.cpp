// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/plan/check_whole.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <map>
#include <set>

#include "host/plan/names.hpp"
#include "host/plan/steps.hpp"
#include "host/workload/metrics/metrics.hpp"

namespace mediarig::plan {

using namespace strict_json;

namespace {

std::string medium_at(std::size_t index) {
    return deeper("/media", index);
}

/// Returns the JSON pointer of the format in the plan.
std::string format_at(const Plan& plan, std::size_t index) {
    if (!plan.compare) return deeper("/formats", index);
    if (plan.compare->self_test) return "/compare/self_test";
    if (plan.compare->deviations.empty()) return deeper("/compare/formats", index);
    return index == 0 ? "/compare/baseline" : deeper("/compare/deviations", index - 1);
}

/// The member that names the medium, for JSON pointers.
std::string_view target_member(const MediumRef& medium) {
    if (medium.slot) return "slot";
    if (!medium.path.empty()) return "path";
    return medium.image.empty() ? "directory" : "image";
}

/// Returns the JSON pointer of the medium's name in the plan.
std::string named_at(const Soundness& sound, std::size_t index, const MediumRef& medium) {
    return sound.media_from_slots ? "/slots" : deeper(medium_at(index), target_member(medium));
}

bool has_target(const MediumRef& medium) {
    return medium.slot || !medium.target().empty();
}

void check_twice(const Plan& plan, Faults& faults) {
    std::map<std::string, std::size_t> names, targets;
    for (std::size_t i = 0; i < plan.media.size(); ++i) {
        const MediumRef& medium = plan.media[i];
        if (!has_target(medium)) continue;
        const std::string target = medium.slot ? fmt::format("slot {}", medium.slot->number)
                                               : std::filesystem::path(medium.target()).lexically_normal().string();
        if (const auto [same, is_new] = targets.try_emplace(target, i); !is_new) {
            faults.add(deeper(medium_at(i), target_member(medium)),
                       fmt::format("is the medium of {} already; name each medium once (\"repeats\" tests it again)",
                                   medium_at(same->second)));
        } else if (const auto [other, fresh] = names.try_emplace(medium.name, i); !fresh) {
            faults.add(deeper(medium_at(i), "name"),
                       fmt::format("\"{}\" is already the name of {}; give one of them another \"name\"",
                                   excerpt(medium.name), medium_at(other->second)));
        }
    }
}

void check_confirmed(const Plan& plan, const Soundness& sound, Faults& faults) {
    if (!destroys(plan)) return;
    for (std::size_t i = 0; i < plan.media.size(); ++i) {
        const MediumRef& medium = plan.media[i];
        const bool lacks = lacks_confirmation(plan, medium);
        if (lacks && !sound.to_run) continue;
        const std::string pointer = deeper(medium_at(i), "confirm");
        if (lacks)
            faults.add(pointer,
                       medium.image.empty()
                           ? fmt::format("is missing, and all data on {0} will be erased; add \"confirm\" with the "
                                         "serial that `mediarig devices` shows for it (\"{0}\" if it has none)",
                                         excerpt(medium.path))
                           : fmt::format("is missing, and all data in the image will be erased; add "
                                         "\"confirm\": \"{}\"",
                                         excerpt(medium.image)));
        else if (!medium.image.empty() && medium.confirm != medium.image)
            faults.add(pointer, fmt::format("must be the image's path, \"{}\", is \"{}\"", excerpt(medium.image),
                                            excerpt(medium.confirm)));
    }
}

void check_repeats(const Plan& plan, Faults& faults) {
    if (plan.compare) return; // the last pair of a comparison may be incomplete
    const bool in_pairs = plan.order.kind == OrderKind::random_pairs || plan.order.kind == OrderKind::counterbalanced;
    if (in_pairs && plan.repeats % 2 != 0)
        faults.add("/repeats", fmt::format("must be even for the order \"{}\", is {}; use {}", name_of(plan.order.kind),
                                           plan.repeats, plan.repeats + 1));
}

std::optional<std::size_t> first_of(const std::vector<SuiteEntry>& suites, SuiteTarget where) {
    const auto found =
        std::find_if(suites.begin(), suites.end(), [&](const SuiteEntry& s) { return s.where == where; });
    if (found == suites.end()) return std::nullopt;
    return static_cast<std::size_t>(found - suites.begin());
}

void check_formats(const Plan& plan, const Soundness& sound, Faults& faults) {
    for (std::size_t i = 0; i < plan.formats.size(); ++i) {
        const FormatEntry& format = plan.formats[i];
        const std::string pointer = format_at(plan, i);
        if (format.suites) {
            if (const auto raw = first_of(*format.suites, SuiteTarget::raw))
                faults.add(deeper(deeper(deeper(pointer, "suites"), *raw), "where"),
                           "a raw suite destroys the format that contains it; move it to the plan's \"suites\", which "
                           "run before the formats");
        } else if (!sound.suites_given) {
            faults.add(pointer,
                       "has no suites, and neither has the plan; add \"suites\" (with \"suites\": [] the media are "
                       "only formatted and checked)");
        }
        if (format.keep && plan.formats.size() > 1)
            faults.add(pointer, "\"keep\" measures the present contents of the medium, so it must be the only format");
        else if (format.keep && first_of(plan.suites, SuiteTarget::raw))
            faults.add(pointer,
                       "\"keep\" measures the present contents of the medium, and a raw suite of this plan destroys "
                       "them first");
    }
}

void check_media_have_work(const Plan& plan, const Soundness& sound, Faults& faults) {
    const auto raw = first_of(plan.suites, SuiteTarget::raw),
               in_files = first_of(plan.suites, SuiteTarget::file_system);
    if (plan.formats.empty() && plan.suites.empty()) {
        faults.add("", "nothing to do; add \"suites\", \"formats\" or both");
        return;
    }
    for (std::size_t i = 0; i < plan.media.size(); ++i) {
        const MediumRef& medium = plan.media[i];
        if (!has_target(medium)) continue;
        const std::string pointer = named_at(sound, i, medium);
        if (medium.partition && (plan.formats.empty() || !plan.formats.front().keep))
            faults.add(deeper(medium_at(i), "partition"),
                       "names the file system that \"keep\" measures, but this plan has no \"keep\"; remove this "
                       "member, or add \"formats\": [\"keep\"]");
        if (!medium.directory.empty()) {
            if (!plan.formats.empty())
                faults.add(pointer,
                           "a directory is measured as it is and never formatted; leave \"formats\" out, or name "
                           "a device or an image");
            if (raw)
                faults.add(pointer, fmt::format("/suites/{} works on the bare device, which a directory does not have; "
                                                "remove its \"where\": \"raw\", or name a device or an image",
                                                *raw));
        } else if (plan.formats.empty() && in_files) {
            faults.add(pointer,
                       fmt::format("/suites/{} needs a file system, but the plan creates none; add \"formats\" "
                                   "(\"keep\" for the existing file system), or \"where\": \"raw\" to the suite",
                                   *in_files));
        }
    }
}

void check_format_names(const Plan& plan, Faults& faults) {
    const std::vector<std::string> names = format_names(plan);
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto first = static_cast<std::size_t>(
            std::ranges::find(plan.formats, plan.formats[i].name, &FormatEntry::name) - plan.formats.begin());
        if (!plan.formats[i].name.empty() && (first < i || std::ranges::count(names, names[i]) > 1))
            faults.add(deeper(deeper("/formats", i), "name"),
                       fmt::format("\"{}\" is already the name of another format; give each format a different name",
                                   plan.formats[i].name));
    }
}

enum class Coverage : std::uint8_t { nothing, other_cells, it };

/// Determines if a request measures the metric of a limit; `nothing` if no table of the suite has such metrics.
Coverage covers(const suites::SuiteRequest& request, const measure::Limit& limit, suites::Metric metric) {
    const auto has = [](const auto& chosen, const auto& value) {
        return chosen.empty() || std::ranges::find(chosen, value) != chosen.end();
    };
    Coverage best = Coverage::nothing;
    const suites::Suite* const suite = suites::find_suite(request.name);
    if (suite == nullptr) return best;
    for (const suites::SuiteTable& table : suite->tables) {
        metric.table = table.name; // several tables use metric names of the same form
        if (metrics::name_of(metric) != limit.metric) continue;
        if (has(request.tables, table.name) && has(request.accesses, metric.access) &&
            (!metric.block || has(request.blocks, *metric.block)))
            return Coverage::it;
        best = Coverage::other_cells;
    }
    return best;
}

/// True if no entry of the suite measures the metric. A suite may be in a plan several times, with different blocks.
bool is_left_out(const measure::Limit& limit, const std::vector<SuiteEntry>& entries) {
    const auto metric = metrics::metric_from(limit.metric);
    if (!metric) return false;
    bool left_out = false;
    for (const SuiteEntry& entry : entries) {
        if (!limit.suite.empty() && limit.suite != entry.request.name) continue;
        const Coverage covered = covers(entry.request, limit, *metric);
        if (covered == Coverage::it) return false;
        left_out = left_out || covered == Coverage::other_cells;
    }
    return left_out;
}

void check_limits_apply(const Plan& plan, Faults& faults) {
    std::vector<SuiteEntry> entries = plan.suites;
    std::set<std::string> suites, formats;
    for (const SuiteEntry& suite : plan.suites) {
        suites.insert(suite.request.name);
        if (suite.where == SuiteTarget::raw) formats.emplace(raw_name);
    }
    for (const FormatEntry& format : plan.formats)
        if (format.suites)
            for (const SuiteEntry& suite : *format.suites) {
                suites.insert(suite.request.name);
                entries.push_back(suite);
            }
    for (const std::string& name : format_names(plan)) formats.insert(name);
    if (plan.formats.empty() && first_of(plan.suites, SuiteTarget::file_system)) formats.emplace(directory_name);

    const auto listed = [](const std::set<std::string>& names) {
        std::string text;
        for (const std::string& name : names) text += fmt::format("{}\"{}\"", text.empty() ? "" : ", ", name);
        return text.empty() ? std::string("none") : text;
    };
    for (std::size_t i = 0; i < plan.limits.size(); ++i) {
        const measure::Limit& limit = plan.limits[i];
        const std::string pointer = deeper("/limits", i);
        if (!limit.suite.empty() && !suites.contains(limit.suite))
            faults.add(deeper(pointer, "suite"),
                       fmt::format("\"{}\" is not a suite of this plan, so the limit would never "
                                   "apply; it has {}",
                                   excerpt(limit.suite), listed(suites)));
        else if (is_left_out(limit, entries))
            faults.add(deeper(pointer, "metric"),
                       fmt::format("\"{}\" is not among the tables, accesses and blocks that the plan measures, so the "
                                   "limit would never apply; add it to them, or leave the limit out",
                                   excerpt(limit.metric)));
        if (!limit.format.empty() && !formats.contains(limit.format))
            faults.add(deeper(pointer, "format"),
                       fmt::format("\"{}\" is not a format of this plan, so the limit would never "
                                   "apply; it has {}",
                                   excerpt(limit.format), listed(formats)));
    }
}

void check_lab(const Plan& plan, const Soundness& sound, Faults& faults) {
    std::map<unsigned, std::size_t> slots;
    for (std::size_t i = 0; i < plan.lab.size(); ++i) {
        const EmulatedMedium& medium = plan.lab[i];
        const std::string pointer = deeper("/lab", i);
        if (const auto [same, is_new] = slots.try_emplace(medium.slot.number, i); !is_new)
            faults.add(deeper(pointer, "slot"),
                       fmt::format("is already the slot of {}; give each medium a different slot",
                                   deeper("/lab", same->second)));
        // The SD model of the emulator accepts only powers of two, and refuses another size only when the card is
        // inserted.
        if (plan.lab_machine == LabMachine::qemu && medium.kind == SlotKind::sd && medium.size &&
            !std::has_single_bit(medium.size->count))
            faults.add(deeper(pointer, "size"),
                       fmt::format("must be a power of two in an SD slot, is {}; or choose the kind \"reader\"",
                                   medium.size->count));
    }
    if (plan.lab.empty()) return;
    for (std::size_t i = 0; i < plan.media.size(); ++i) {
        const MediumRef& medium = plan.media[i];
        if (!has_target(medium)) continue;
        if (!medium.slot)
            faults.add(named_at(sound, i, medium),
                       "is on this machine, and a plan with a \"lab\" runs inside the lab; name a slot of the lab");
        else if (!slots.contains(medium.slot->number))
            faults.add(named_at(sound, i, medium),
                       fmt::format("is {}, but \"lab\" defines no medium in that slot; add a medium to \"lab\"",
                                   medium.slot->number));
    }
}

} // namespace

Result<void> check_suite(const SuiteEntry& entry, std::string_view raw) {
    const suites::Suite* suite = suites::find_suite(entry.request.name);
    if (suite != nullptr && !suite->instead_on_files.empty() && entry.where != SuiteTarget::raw)
        return fail(Errc::bad_request, fmt::format("suite {} works on the bare device; add {}, or choose suite {}",
                                                   suite->name, raw, suite->instead_on_files));
    // The size of the medium is checked when it is present; everything else is checked now.
    const auto job = suites::expand(entry.request, largest_size);
    if (!job) return fail(job.error());
    if (entry.replug && (entry.where != SuiteTarget::raw || job->as<workload::VerifyJob>() == nullptr))
        return fail(Errc::bad_request, fmt::format("\"replug\" separates writing from reading of suite verify on the "
                                                   "bare device; leave it out, or choose verify with {}",
                                                   raw));
    if (entry.where == SuiteTarget::raw && workload::makes_files(*job))
        return fail(Errc::bad_request, fmt::format("suite {} makes files, which need a file system; leave out {}",
                                                   entry.request.name, raw));
    return {};
}

void check_whole(const Plan& plan, const Soundness& sound, Faults& faults) {
    if (sound.media) check_twice(plan, faults);
    if (sound.media && sound.lab) check_lab(plan, sound, faults);
    check_repeats(plan, faults);
    if (!sound.formats || !sound.suites) return;
    check_formats(plan, sound, faults);
    check_media_have_work(plan, sound, faults);
    check_confirmed(plan, sound, faults);
    check_format_names(plan, faults);
    check_limits_apply(plan, faults);
    if (const std::uint64_t steps = step_count(plan); steps > most_steps)
        faults.add("", fmt::format("results in {} steps; at most {} are allowed: use fewer repeats, or several plans",
                                   steps, most_steps));
}

} // namespace mediarig::plan
