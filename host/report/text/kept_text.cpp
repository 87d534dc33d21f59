// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/text/kept_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>

#include "host/base/text.hpp"
#include "host/base/text_layout.hpp"
#include "host/base/time_text.hpp"

namespace mediarig::report {
namespace {

using workload::DamagedRange, workload::DamageKind, workload::KeptData;

constexpr std::size_t most_damage_shown = 20;

/// "2026-11-27, 412 days ago".
std::string date_text(std::chrono::sys_seconds written, std::chrono::sys_seconds now) {
    const auto days = std::chrono::duration_cast<std::chrono::days>(now - written).count();
    const std::string date = local_time_text(written, TimePrecision::day);
    if (days < 0) return date + ", which is in the future: a clock is wrong";
    return days == 0 ? date + ", today" : fmt::format("{}, {} {} ago", date, days, days == 1 ? "day" : "days");
}

const char* words_of(DamageKind kind) {
    switch (kind) {
        case DamageKind::unreadable:
            return "unreadable";
        case DamageKind::flipped:
            return "flipped bits";
        case DamageKind::misplaced:
            return "data of another position";
        case DamageKind::stale:
            return "data of another test";
        case DamageKind::foreign:
        case DamageKind::unwritten:
            break;
    }
    return "other data";
}

} // namespace

std::string kept_text(const KeptData& kept, const std::string& present, std::chrono::sys_seconds now, unsigned width) {
    const std::chrono::sys_seconds written{std::chrono::seconds(static_cast<std::int64_t>(kept.written_at))};
    std::string text = paragraph(fmt::format("Data of a verify test, written on {}, to {} ({}).",
                                             date_text(written, now), printable(kept.medium), size_text(kept.size)),
                                 width);
    if (!present.empty() && present != kept.medium)
        text += paragraph(
            fmt::format("The present medium is {}: another reader, or a copy of the data.", printable(present)), width);
    std::map<DamageKind, Bytes> by_kind;
    for (const DamagedRange& range : kept.damaged) by_kind[range.kind] += range.length;
    std::string kinds;
    for (const auto& [kind, bytes] : by_kind)
        kinds += fmt::format("{}{} {}", kinds.empty() ? ": " : ", ", size_text(bytes), words_of(kind));
    text += paragraph(kept.damaged_bytes == 0_B ? fmt::format("{} of {} were compared; all are as written.",
                                                              size_text(kept.good), size_text(kept.end - kept.start))
                                                : fmt::format("{} are as written; {} are not{}.", size_text(kept.good),
                                                              size_text(kept.damaged_bytes), kinds),
                      width);
    if (kept.foreign_bytes > 0_B)
        text += paragraph("Other data may come from use after the test; flipped bits and unreadable places are decay.",
                          width);
    for (std::size_t i = 0; i < std::min(most_damage_shown, kept.damaged.size()); ++i)
        text += fmt::format("  byte {}, {}: {}\n", kept.damaged[i].offset.count, size_text(kept.damaged[i].length),
                            words_of(kept.damaged[i].kind));
    if (kept.damaged.size() > most_damage_shown)
        text += fmt::format("  and {} more places: see --json\n", kept.damaged.size() - most_damage_shown);
    return text;
}

std::string h2w_text(const workload::H2wReport& files, std::chrono::sys_seconds now, unsigned width) {
    const workload::H2wCounts& counts = files.counts;
    const std::chrono::sys_seconds oldest{std::chrono::seconds(files.oldest)};
    std::string text = paragraph(fmt::format("{} {} of H2testw or f3, the oldest written on {}.", files.files,
                                             files.files == 1 ? "file" : "files", date_text(oldest, now)),
                                 width);
    text +=
        paragraph(counts.lost() == 0_B
                      ? fmt::format("{} were compared; all are as written.", size_text(counts.all()))
                      : fmt::format("{} are as written. Lost: {} corrupted, {} slightly changed, {} overwritten with "
                                    "data of another position, {} unreadable; the first at byte {}.",
                                    size_text(counts.good), size_text(counts.corrupted), size_text(counts.changed),
                                    size_text(counts.overwritten), size_text(counts.unreadable),
                                    counts.first_lost.value_or(0_B).count),
                  width);
    if (files.missing > 0)
        text += paragraph(fmt::format("{} files before the last one are missing.", files.missing), width);
    if (!files.cache_dropped)
        text +=
            paragraph("The cache of this machine could not be emptied: it may have served a part of the data.", width);
    return text;
}

} // namespace mediarig::report
