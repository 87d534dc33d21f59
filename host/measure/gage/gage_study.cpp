// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure/gage/gage_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/fisher_f.hpp>
#include <cmath>
#include <limits>
#include <numeric>

namespace mediarig::measure {
namespace {

constexpr double pooling_level = 0.05;
constexpr double good_percent = 10, acceptable_percent = 30; // AIAG, chapter II section D
constexpr double enough_categories = 5;

double count(std::size_t value) {
    return static_cast<double>(value);
}

struct Means {
    double all{};
    std::vector<double> parts, slots, cells; ///< cells: part * slots + slot
};

Means means_of(const GageData& data) {
    Means means{.all = std::accumulate(data.values.begin(), data.values.end(), 0.0) / count(data.values.size()),
                .parts = std::vector<double>(data.parts),
                .slots = std::vector<double>(data.slots),
                .cells = std::vector<double>(data.parts * data.slots)};
    for (std::size_t part = 0; part < data.parts; ++part)
        for (std::size_t slot = 0; slot < data.slots; ++slot) {
            double sum = 0;
            for (std::size_t trial = 0; trial < data.trials; ++trial) sum += data.at(part, slot, trial);
            means.cells[part * data.slots + slot] = sum / count(data.trials);
            means.parts[part] += sum / count(data.slots * data.trials);
            means.slots[slot] += sum / count(data.parts * data.trials);
        }
    return means;
}

double square(double value) {
    return value * value;
}

GageTable table_of(const GageData& data) {
    const Means means = means_of(data);
    GageTable table;
    for (const double mean : means.parts)
        table.parts.sum_of_squares += count(data.slots * data.trials) * square(mean - means.all);
    for (const double mean : means.slots)
        table.slots.sum_of_squares += count(data.parts * data.trials) * square(mean - means.all);
    for (std::size_t part = 0; part < data.parts; ++part)
        for (std::size_t slot = 0; slot < data.slots; ++slot) {
            const double cell = means.cells[part * data.slots + slot];
            table.interaction.sum_of_squares +=
                count(data.trials) * square(cell - means.parts[part] - means.slots[slot] + means.all);
            for (std::size_t trial = 0; trial < data.trials; ++trial)
                table.repeatability.sum_of_squares += square(data.at(part, slot, trial) - cell);
        }
    table.parts.degrees = data.parts - 1;
    table.slots.degrees = data.slots - 1;
    table.interaction.degrees = table.parts.degrees * table.slots.degrees;
    table.repeatability.degrees = data.parts * data.slots * (data.trials - 1);
    const double error = table.repeatability.mean_square();
    const auto ratio = [error](const VarianceLine& line) {
        return error > 0 ? line.mean_square() / error : std::numeric_limits<double>::infinity();
    };
    table.f_slots = ratio(table.slots);
    table.f_parts = ratio(table.parts);
    table.f_interaction = ratio(table.interaction);
    const boost::math::fisher_f f(count(table.interaction.degrees), count(table.repeatability.degrees));
    table.p_interaction =
        std::isfinite(table.f_interaction) ? boost::math::cdf(boost::math::complement(f, table.f_interaction)) : 0;
    return table;
}

/// A negative variance estimate counts as 0.
double component(double difference, std::size_t of) {
    return std::max(0.0, difference / count(of));
}

} // namespace

double GageStudy::percent_of(double variance) const {
    return 100 * std::sqrt(variance / total());
}

double GageStudy::categories() const {
    // 1.41: AIAG's value of the square root of 2.
    return gage() > 0 ? 1.41 * std::sqrt(parts / gage()) : std::numeric_limits<double>::infinity();
}

GageVerdict GageStudy::verdict() const {
    const double percent = percent_of(gage());
    if (percent > acceptable_percent) return GageVerdict::unacceptable;
    return percent < good_percent && categories() >= enough_categories ? GageVerdict::good : GageVerdict::conditional;
}

Result<GageStudy> study_gage(const GageData& data) {
    if (data.parts < 2 || data.slots < 2 || data.trials < 2)
        return fail(Errc::bad_request,
                    fmt::format("a gage study of {} parts, {} slots and {} trials: take at least 2 of "
                                "each, usually 10, 3 and 3",
                                data.parts, data.slots, data.trials));
    if (data.values.size() != data.parts * data.slots * data.trials)
        return fail(
            Errc::bad_request,
            fmt::format("a gage study of {} parts, {} slots and {} trials needs {} values, and has {}", data.parts,
                        data.slots, data.trials, data.parts * data.slots * data.trials, data.values.size()));
    if (!std::ranges::all_of(data.values, [](double value) { return std::isfinite(value); }))
        return fail(Errc::bad_request, "a value of the gage study is not a number");
    if (std::ranges::minmax(data.values).min == std::ranges::minmax(data.values).max)
        return fail(Errc::bad_request,
                    "all values of the gage study are equal: choose parts that span the measured range");
    GageStudy study;
    study.table = table_of(data);
    const GageTable& table = study.table;
    study.pooled = table.p_interaction > pooling_level;
    if (study.pooled) {
        const VarianceLine pooled{
            .sum_of_squares = table.repeatability.sum_of_squares + table.interaction.sum_of_squares,
            .degrees = table.repeatability.degrees + table.interaction.degrees};
        study.repeatability = pooled.mean_square();
        study.slots = component(table.slots.mean_square() - pooled.mean_square(), data.parts * data.trials);
        study.parts = component(table.parts.mean_square() - pooled.mean_square(), data.slots * data.trials);
        return study;
    }
    const double both = table.interaction.mean_square();
    study.repeatability = table.repeatability.mean_square();
    study.interaction = component(both - study.repeatability, data.trials);
    study.slots = component(table.slots.mean_square() - both, data.parts * data.trials);
    study.parts = component(table.parts.mean_square() - both, data.slots * data.trials);
    return study;
}

} // namespace mediarig::measure
