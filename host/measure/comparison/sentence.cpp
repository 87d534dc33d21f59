// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure/comparison/sentence.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>

namespace mediarig::measure::comparison {
namespace {

constexpr double uneven_below = 0.05;

/// Largest readable number, in per cent.
constexpr double most_percent = 9999;

/// Converts the logarithm of a ratio to per cent, without a sign for the faster format.
std::string unsigned_percent(double logarithm) {
    const double percent = 100 * std::expm1(logarithm);
    return percent > most_percent ? fmt::format("over {:.0f}", most_percent) : fmt::format("{:.1f}", percent);
}

std::string chance(double p) {
    return p < 0.0001 ? "below 0.0001" : fmt::format("{:.1g}", p);
}

std::string between(const Look& look) {
    return between_text(look.from(), look.to());
}

/// Returns e.g. "exFAT faster by 5.6 % [3.2, 8.1], 12 passes".
std::string faster(const PairResult& pair_result, std::span<const std::string> formats) {
    const Look& look = pair_result.look;
    const bool first = pair_result.faster_format() == pair_result.first;
    const double sign = first ? 1 : -1;
    const double near = first ? look.from() : -look.to(), far = first ? look.to() : -look.from();
    return faster_text(formats[pair_result.faster_format()], sign * look.counts().value, near, far) +
           fmt::format(", {} passes", 2 * look.blocks);
}

/// Returns true if the repeated confidence interval exceeds the margin, which the two one-sided tests do not check.
bool leaves(const Look& look, double margin) {
    return std::max(-look.from(), look.to()) >= std::log1p(margin);
}

/// E.g. "between -2.7 and +3.1 % (8 passes)". If the repeated confidence interval exceeds the margin, the interval that
/// decided is first.
std::string same(const Look& look, double margin, double alpha) {
    if (!leaves(look, margin)) return fmt::format("{} ({} passes)", between(look), 2 * look.blocks);
    return fmt::format("{} at {:.6g} %, by which two one-sided tests decide ({} passes; at {:.6g} % {})",
                       between_text(look.same_from, look.same_to), 100 * (1 - 2 * alpha), 2 * look.blocks,
                       100 * (1 - alpha), between(look));
}

/// If the two estimators disagree because of spikes, the text contains both.
std::string other_estimator(const PairResult& pair_result) {
    const Look& look = pair_result.look;
    if (std::abs(look.mean.value - look.trimmed.value) <= look.half_width) return {};
    const double sign = pair_result.faster_format() == pair_result.first ? 1 : -1;
    return look.by_trimmed ? fmt::format("; the plain mean is {} %", unsigned_percent(sign * look.mean.value))
                           : fmt::format("; the trimmed mean is {} %", unsigned_percent(sign * look.trimmed.value));
}

/// The reason why an interval that excludes 0 is no difference.
std::string coincidence(const Look& look, const Rule& rule) {
    const std::size_t fewest = rule.fewest_for_a_difference();
    if (look.blocks >= fewest)
        return fmt::format(
            "; no difference is claimed, since more than {:.2g} of 100 random orders of these blocks give an equally "
            "clear "
            "difference: the medium may have two levels",
            100 * rule.limit_of_randomised_p(look.blocks));
    return fmt::format(
        "; a difference needs at least {} blocks: on a medium with two levels, chance alone favours one format in all "
        "of "
        "{} blocks with a probability of 1 in {}",
        fewest, look.blocks, std::uint64_t{1} << (look.blocks - 1));
}

std::string cannot_tell(const PairResult& pair_result, const Comparison& of) {
    const Look& look = pair_result.look;
    if (look.blocks == 0) return "undecided: no block has both figures";
    std::string text = fmt::format("undecided after {} passes ({} {}): ", 2 * look.blocks, look.blocks,
                                   look.blocks == 1 ? "block" : "blocks");
    if (look.blocks < fewest_blocks) return text + fmt::format("fewer than {} blocks have both figures", fewest_blocks);
    text += between(look);
    if (look.excludes_zero() && look.call != Call::difference) return text + coincidence(look, of.rule());
    const auto more = of.rule().more_blocks(look);
    if (!more) return text;
    text += fmt::format("; about {} more {}", *more, *more == 1 ? "block" : "blocks");
    if (look.blocks + *more > most_blocks)
        text += fmt::format(", and a budget has at most {}: measure without an end (“endless”)", most_blocks);
    return text;
}

std::string failed(const PairResult& pair_result, std::span<const std::string> formats) {
    const Failures& failures = pair_result.failures;
    if (failures.first + failures.second == 0) return {};
    std::string text = fmt::format("; failed passes: {} {}, {} {}", formats[pair_result.first], failures.first,
                                   formats[pair_result.second], failures.second);
    if (const double p = uneven_p(failures); p <= uneven_below)
        text += fmt::format(", which is uneven (p {})", chance(p));
    return text;
}

std::string verdict_of(const PairResult& pair_result, const Comparison& of, std::span<const std::string> formats) {
    switch (pair_result.verdict) {
        case ComparisonVerdict::faster:
            return faster(pair_result, formats) + fmt::format(", overall p {}", chance(pair_result.adjusted)) +
                   (pair_result.too_little ? ", too little to matter" : "") + other_estimator(pair_result);
        case ComparisonVerdict::perhaps_faster:
            return fmt::format("perhaps {}, but 1 of {} comparisons", faster(pair_result, formats),
                               of.pair_results().size());
        case ComparisonVerdict::same:
            return fmt::format("same within {:.3g} %: {}", 100 * of.rule().terms().margin,
                               same(pair_result.look, of.rule().terms().margin, of.rule().terms().alpha));
        case ComparisonVerdict::depends_on_before:
            return fmt::format(
                "depends on the preceding format: {} against {} is {} % if each follows itself, {} % if each follows "
                "the other",
                formats[pair_result.first], formats[pair_result.second], percent_text(pair_result.before->steady.value),
                percent_text(pair_result.before->switching.value));
        case ComparisonVerdict::open:
        case ComparisonVerdict::out_of_budget:
        case ComparisonVerdict::hopeless:
            break;
    }
    return cannot_tell(pair_result, of);
}

} // namespace

std::string percent_text(double logarithm) {
    const double percent = 100 * std::expm1(logarithm);
    return percent > most_percent ? fmt::format("over +{:.0f}", most_percent) : fmt::format("{:+.1f}", percent);
}

std::string faster_text(std::string_view faster, double by, double from, double to) {
    return fmt::format("{} faster by {} % [{}, {}]", faster, unsigned_percent(by), unsigned_percent(from),
                       unsigned_percent(to));
}

std::string between_text(double from, double to) {
    return fmt::format("between {} and {} %", percent_text(from), percent_text(to));
}

std::string interval_text(const Look& look) {
    return fmt::format("{} % [{}, {}]", percent_text(look.counts().value), percent_text(look.from()),
                       percent_text(look.to()));
}

std::string short_text_of(const PairResult& pair_result, const Comparison& of, std::span<const std::string> formats) {
    const Terms& terms = of.rule().terms();
    switch (pair_result.verdict) {
        case ComparisonVerdict::faster:
            return formats[pair_result.faster_format()] + " is faster" +
                   (pair_result.too_little ? ", too little to matter" : "");
        case ComparisonVerdict::same:
            return fmt::format("the same within {:.3g} %{}", 100 * terms.margin,
                               leaves(pair_result.look, terms.margin)
                                   ? fmt::format(" (at {:.6g} %)", 100 * (1 - 2 * terms.alpha))
                                   : "");
        case ComparisonVerdict::hopeless:
            return "undecided; the rest of the budget would hardly help";
        case ComparisonVerdict::depends_on_before:
            return "depends on the preceding format";
        case ComparisonVerdict::perhaps_faster:
            return "perhaps " + formats[pair_result.faster_format()];
        case ComparisonVerdict::open:
            return "not decided yet";
        case ComparisonVerdict::out_of_budget:
            break;
    }
    return "undecided";
}

std::string text_of(const PairResult& pair_result, const Comparison& of, std::span<const std::string> formats) {
    return verdict_of(pair_result, of, formats) + failed(pair_result, formats);
}

} // namespace mediarig::measure::comparison
