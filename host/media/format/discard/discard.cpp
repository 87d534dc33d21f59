// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/format/discard/discard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "common/split_mix.hpp"
#include "host/base/text.hpp"

namespace mediarig::media {
namespace {

using Mark = std::vector<std::byte>;

Bytes place_of(std::uint32_t mark, Bytes size) {
    const Bytes part{size.count / mark_count};
    return align_down(part * mark + Bytes{part.count / 2}, mark_length);
}

Mark mark_at(Bytes place, std::uint64_t start_value) {
    SplitMix numbers(start_value ^ place.count);
    Mark mark(mark_length.count);
    for (std::byte& byte : mark) byte = static_cast<std::byte>(numbers.next());
    return mark;
}

bool reads_as(const Mark& mark, std::byte value) {
    return std::all_of(mark.begin(), mark.end(), [&](std::byte byte) { return byte == value; });
}

/// Writes the marks; returns the offsets of the marks that can be read back from the medium.
std::vector<Bytes> write_marks(Discardable& medium, const DiscardTerms& terms) {
    std::vector<Bytes> places;
    for (std::uint32_t i = 0; i < mark_count; ++i) {
        const Bytes place = place_of(i, terms.size);
        // On a very small medium, marks would overlap or exceed the end.
        if (!places.empty() && place < places.back() + mark_length) continue;
        if (place + mark_length > terms.size) continue;
        if (medium.write(place, mark_at(place, terms.start_value))) places.push_back(place);
    }
    // A failed flush may lose marks. The reads below show which marks are lost.
    (void)medium.drop_cached_data();
    std::erase_if(places, [&](Bytes place) {
        Mark there(mark_length.count);
        return !medium.read(place, there) || there != mark_at(place, terms.start_value);
    });
    return places;
}

void check_discarded(Discardable& medium, Bytes place, std::uint64_t start_value, DiscardReport& report) {
    constexpr std::byte one{0xFF};
    Mark there(mark_length.count);
    if (!medium.read(place, there))
        ++report.other;
    else if (reads_as(there, std::byte{}))
        ++report.zeros;
    else if (reads_as(there, one))
        ++report.ones;
    else if (there == mark_at(place, start_value))
        ++report.kept;
    else
        ++report.other;
}

/// The length of a command in whole units: a medium may ignore the partial units at both ends of a command.
Bytes piece_of(const DiscardTerms& terms) {
    if (terms.granularity == 0_B) return discard_piece;
    return terms.granularity < terms.size ? align_up(discard_piece, terms.granularity) : terms.size;
}

} // namespace

DiscardEffect effect_of(const DiscardReport& report) {
    if (!report.taken) return DiscardEffect::none;
    const std::uint64_t all = std::uint64_t{report.zeros} + report.ones + report.kept + report.other;
    if (all == 0) return DiscardEffect::unknown;
    if (report.zeros == all) return DiscardEffect::zeros;
    if (report.ones == all) return DiscardEffect::ones;
    return report.kept == all ? DiscardEffect::old_data : DiscardEffect::mixed;
}

std::string text_of(const DiscardReport& report) {
    if (!report.taken) return "the medium does not support discard";
    const auto read_back = [&]() -> std::string {
        switch (effect_of(report)) {
            case DiscardEffect::none:
            case DiscardEffect::unknown:
                return "no mark could be read back";
            case DiscardEffect::zeros:
                return "reads as zeros";
            case DiscardEffect::ones:
                return "reads as bytes of FF";
            case DiscardEffect::old_data:
                return "old data is still read";
            case DiscardEffect::mixed:
                return fmt::format("of {} marks, {} read as zeros, {} as bytes of FF, {} unchanged, {} as other data",
                                   report.zeros + report.ones + report.kept + report.other, report.zeros, report.ones,
                                   report.kept, report.other);
        }
        return {};
    };
    return fmt::format("{} in {:.1f} s, {}", size_text(report.length),
                       std::chrono::duration<double>(report.elapsed).count(), read_back());
}

Result<DiscardReport> discard_all(Discardable& medium, const DiscardTerms& terms) {
    const std::vector<Bytes> places = write_marks(medium, terms);
    DiscardReport report;
    const Bytes piece = piece_of(terms);
    const auto started = std::chrono::steady_clock::now();
    for (Bytes at{}; at < terms.size; at += piece) {
        if (terms.cancel != nullptr && terms.cancel->load())
            return fail(Errc::cancelled, fmt::format("the discard was stopped after {}", size_text(at)));
        const Bytes length = std::min(piece, terms.size - at);
        const auto taken = medium.discard(at, length);
        if (!taken) return fail(taken.error());
        if (!*taken && at == 0_B) return DiscardReport{};
        if (!*taken)
            return fail(Errc::io_failed,
                        fmt::format("the medium accepted discards up to byte {} and refused further ones", at.count));
        report.length = at + length;
    }
    if (auto settled = medium.drop_cached_data(); !settled) return fail(settled.error());
    report.taken = true;
    report.elapsed = std::chrono::steady_clock::now() - started;
    for (const Bytes place : places) check_discarded(medium, place, terms.start_value, report);
    return report;
}

} // namespace mediarig::media
