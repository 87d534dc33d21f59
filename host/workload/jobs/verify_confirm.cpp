// SPDX-License-Identifier: GPL-3.0-or-later
/// Writes data again at the end of a verify job, to distinguish a missing capacity from a medium that stopped storing
/// and from a cache.
#include <algorithm>
#include <ranges>
#include <system_error>
#include <utility>
#include <vector>

#include "host/workload/jobs/cache_checks.hpp"
#include "host/workload/jobs/verify_passes.hpp"

namespace mediarig::workload {
namespace {

using measure::FindingKind;
using measure::Severity;

/// This exceeds the write buffer of a card without a volatile cache, and writing takes about a second.
constexpr Bytes written_again{std::uint64_t{32} << 20};

/// A part of which a medium keeps more than this share is damaged and not missing.
constexpr std::uint64_t largest_kept_share = 10;

} // namespace

Result<void> VerifyPasses::confirm_capacity() {
    const auto capacity = damage_.true_capacity(end_);
    // If data of this job is at a wrong position, the medium has stored it: its addresses wrap.
    if (!capacity || damage_.fake_kind(end_) == FakeKind::wrap) return {};
    reporter_.phase("confirm");
    const Bytes unit = std::max(unit_, 4_KiB);
    const std::vector<DamageMap::KeptPlace> kept = damage_.kept_beyond(end_);
    Bytes seems_kept;
    for (const DamageMap::KeptPlace& place : kept) seems_kept += place.length;
    // Uses a generation that no earlier data of this medium has. This pattern contains the generation; `given` payload
    // does not.
    const Payload pattern{.kind = PayloadKind::incompressible, .seed = job_.payload.seed, .given = {}};
    const PayloadSource payload(pattern, job_.as<VerifyJob>()->generation + 1);
    IoErrors errors = io_errors_of(job_, device_, control_);

    const SpanPart start{0_B, align_down(std::min(written_again, *capacity), unit)};
    const auto write_error = overwrite(start, payload, errors);
    if (!write_error) return fail(write_error.error());
    const Bytes first_lost = std::min(align_up(*capacity, unit), end_);
    SpanPart displacing{first_lost, first_lost};
    if (!kept.empty() && *write_error == 0) {
        // A quarter more than the cache seems to contain, because it may displace data in another order; and in the
        // lost part, because a cache may contain only data that the medium cannot keep. A failed write changes nothing.
        const Bytes length = align_up(seems_kept + Bytes{seems_kept.count / 4} + 1_MiB, unit);
        displacing.end = std::min(displacing.begin + length, end_);
        if (const auto error = overwrite(displacing, payload, errors); !error) return fail(error.error());
    }
    if (*write_error == 0) {
        const auto stored = bytes_equal(start, payload, errors);
        if (!stored) return fail(stored.error());
        stores_no_longer_ = *stored * 2 <= start.end;
    }
    if (*write_error != 0 || stores_no_longer_) {
        damage_.discard_end();
        if (*write_error != 0)
            reporter_.add_job_finding(
                measure::Finding{.kind = FindingKind::write_refused,
                                 .severity = Severity::fault,
                                 .detail = "after the test the medium refuses writes where it accepted them before (" +
                                           std::generic_category().message(*write_error) + "): it has turned read-only",
                                 .offset = span_.begin()});
        return {};
    }

    Bytes kept_twice;
    for (const DamageMap::KeptPlace& place : kept) {
        const Bytes middle = std::clamp(displacing.end, place.offset, place.offset + place.length);
        const auto new_data = bytes_equal({place.offset, middle}, payload, errors);
        if (!new_data) return fail(new_data.error());
        const auto old_data = bytes_equal({middle, place.offset + place.length}, payload_, errors);
        if (!old_data) return fail(old_data.error());
        kept_twice += *new_data + *old_data;
    }
    if (kept_twice * largest_kept_share > end_ - *capacity) damage_.discard_end();
    return {};
}

Result<void> VerifyPasses::failed_again(IoErrors& errors, bool writing, SpanPart part, int error, Ticks begun) {
    if (errors.failed(writing, on_medium(part.begin.count), (part.end - part.begin).count, error, clock_.since(begun)))
        return {};
    if (!errors.medium_lost() && !errors.host_error() && !errors.took_too_long()) return {};
    reporter_.add_job_finding(errors.take_findings());
    return interrupted_job(errors);
}

Result<int> VerifyPasses::overwrite(SpanPart part, const PayloadSource& payload, IoErrors& errors) {
    auto buffer = TransferBuffer::allocate(static_cast<std::size_t>(job_.as<VerifyJob>()->chunk.count));
    if (!buffer) return fail(buffer.error());
    const auto flush_to = [&](const MediumFile& file) -> Result<int> {
        const Ticks begun = clock_.now();
        const int error = CacheChecks(file, device_).flush();
        if (error == 0 || flush_failed(error).severity != Severity::fault) return 0;
        if (auto ok = failed_again(errors, true, part, error, begun); !ok) return fail(ok.error());
        return error;
    };
    // In descending order: of data that only a cache contains, the lowest then remain longest, and these were lost in
    // the reading pass.
    std::vector<std::uint64_t> offsets;
    for (std::uint64_t offset = part.begin.count; offset < part.end.count; offset += chunk_at(offset, part.end).count)
        offsets.push_back(offset);
    bool first = true;
    for (const std::uint64_t offset : offsets | std::views::reverse) {
        if (control_.cancel.load(std::memory_order_relaxed)) return fail(cancelled().error());
        if (auto allowed = control_.may_write.check(); !allowed) return fail(allowed.error());
        if (!std::exchange(first, false) && span_.starts_file_at(offset))
            if (const auto flushed = flush_to(span_.current()); !flushed || *flushed != 0) return flushed;
        const auto place = span_.at(offset);
        if (!place) return fail(place.error());
        const auto bytes = buffer->bytes().first(static_cast<std::size_t>(chunk_at(offset, part.end).count));
        payload.fill(bytes, offset);
        const Ticks begun = clock_.now();
        const TransferResult moved = place->file->write(bytes, place->offset);
        if (moved.error == 0) continue;
        const SpanPart failed{Bytes{offset}, Bytes{offset + bytes.size()}};
        if (auto ok = failed_again(errors, true, failed, moved.error, begun); !ok) return fail(ok.error());
        return moved.error;
    }
    return flush_to(span_.current());
}

Result<Bytes> VerifyPasses::bytes_equal(SpanPart part, const PayloadSource& payload, IoErrors& errors) {
    auto buffer = TransferBuffer::allocate(static_cast<std::size_t>(job_.as<VerifyJob>()->chunk.count));
    if (!buffer) return fail(buffer.error());
    // Transfers are aligned, also if the part begins between two blocks.
    const Bytes unit = std::max(unit_, Bytes{Pattern::sector_size});
    Bytes equal;
    for (std::uint64_t offset = align_down(part.begin, unit).count; offset < part.end.count;) {
        if (control_.cancel.load(std::memory_order_relaxed)) return fail(cancelled().error());
        const bool another_file = offset <= part.begin.count || span_.starts_file_at(offset);
        const auto place = span_.at(offset);
        if (!place) return fail(place.error());
        if (another_file) (void)CacheChecks(*place->file, device_).drop_caches(span_.length_at(offset));
        const auto bytes =
            buffer->bytes().first(static_cast<std::size_t>(chunk_at(offset, align_up(part.end, unit)).count));
        const Ticks begun = clock_.now();
        const TransferResult moved = place->file->read(bytes, place->offset);
        const SpanPart read{Bytes{offset}, Bytes{offset + bytes.size()}};
        if (moved.error != 0)
            if (auto ok = failed_again(errors, false, read, moved.error, begun); !ok) return fail(ok.error());
        for (std::size_t at = 0; at + Pattern::sector_size <= moved.bytes; at += Pattern::sector_size)
            if (offset + at >= part.begin.count && offset + at < part.end.count &&
                payload.matches(bytes.subspan(at, Pattern::sector_size), offset + at))
                equal += Bytes{Pattern::sector_size};
        offset += bytes.size();
    }
    return equal;
}

} // namespace mediarig::workload
