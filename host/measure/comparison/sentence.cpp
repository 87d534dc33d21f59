// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure/comparison/sentence.hpp"

#include <fmt/format.h>

#include <cmath>

namespace mediarig::measure::comparison {
namespace {

constexpr double uneven_below = 0.05;

/// From the logarithm of a ratio to per cent.
double percent(double logarithm) {
    return 100 * std::expm1(logarithm);
}

std::string chance(double p) {
    return p < 0.0001 ? "below 0.0001" : fmt::format("{:.1g}", p);
}

std::string between(const Look& look) {
    return fmt::format("between {:+.1f} and {:+.1f} %", percent(look.from()), percent(look.to()));
}

/// "exFAT faster by 5.6 % [3.2, 8.1], 12 passes"
std::string faster(const Standing& standing, std::span<const std::string> formats) {
    const Look& look = standing.look;
    const bool first = standing.faster_format() == standing.first;
    const double sign = first ? 1 : -1;
    const double near = first ? look.from() : -look.to(), far = first ? look.to() : -look.from();
    std::string text =
        fmt::format("{} faster by {:.1f} % [{:.1f}, {:.1f}], {} passes", formats[standing.faster_format()],
                    percent(sign * look.counts().value), percent(near), percent(far), 2 * look.blocks);
    return text;
}

/// Where spikes decide which of the two estimators one believes, both are told.
std::string other_estimator(const Standing& standing) {
    const Look& look = standing.look;
    if (std::abs(look.mean.value - look.trimmed.value) <= look.half_width) return {};
    const double sign = standing.faster_format() == standing.first ? 1 : -1;
    return look.by_trimmed ? fmt::format("; the plain mean says {:.1f} %", percent(sign * look.mean.value))
                           : fmt::format("; the trimmed mean says {:.1f} %", percent(sign * look.trimmed.value));
}

std::string cannot_tell(const Standing& standing, const Comparison& of) {
    const Look& look = standing.look;
    std::string text = fmt::format("cannot tell after {} passes: ", 2 * look.blocks);
    if (look.blocks < fewest_blocks) return text + fmt::format("fewer than {} blocks have both figures", fewest_blocks);
    text += between(look);
    if (const auto more = of.rule().more_blocks(look)) text += fmt::format("; about {} more blocks", *more);
    return text;
}

std::string failed(const Standing& standing, std::span<const std::string> formats) {
    const Failures& failures = standing.failures;
    if (failures.first + failures.second == 0) return {};
    std::string text = fmt::format("; failed passes: {} {}, {} {}", formats[standing.first], failures.first,
                                   formats[standing.second], failures.second);
    if (const double p = uneven_p(failures); p <= uneven_below)
        text += fmt::format(", which is uneven (p {})", chance(p));
    return text;
}

std::string verdict_of(const Standing& standing, const Comparison& of, std::span<const std::string> formats) {
    switch (standing.verdict) {
        case Verdict::faster:
            return faster(standing, formats) + fmt::format(", overall p {}", chance(standing.adjusted)) +
                   (standing.too_little ? ", too little to matter" : "") + other_estimator(standing);
        case Verdict::perhaps_faster:
            return fmt::format("perhaps {}, but 1 of {} comparisons", faster(standing, formats), of.standings().size());
        case Verdict::same:
            return fmt::format("same within {:.3g} %: {} ({} passes)", 100 * of.rule().terms().margin,
                               between(standing.look), 2 * standing.look.blocks);
        case Verdict::depends_on_before:
            return fmt::format(
                "depends on what was there before: {} against {} {:+.1f} % each after itself, {:+.1f} % each after the "
                "other",
                formats[standing.first], formats[standing.second], percent(standing.before->steady.value),
                percent(standing.before->switching.value));
        case Verdict::open:
        case Verdict::out_of_budget:
        case Verdict::hopeless:
            break;
    }
    return cannot_tell(standing, of);
}

} // namespace

std::string text_of(const Standing& standing, const Comparison& of, std::span<const std::string> formats) {
    return verdict_of(standing, of, formats) + failed(standing, formats);
}

} // namespace mediarig::measure::comparison
