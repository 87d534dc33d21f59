// SPDX-License-Identifier: GPL-3.0-or-later
/// Writes data again at the end of a verify job, to distinguish a missing capacity from a medium that stopped storing.
#include <algorithm>
#include <system_error>

#include "host/workload/jobs/cache_checks.hpp"
#include "host/workload/jobs/verify_passes.hpp"

namespace mediarig::workload {
namespace {

using measure::FindingKind;
using measure::Severity;

/// This exceeds the write buffer of a card without a volatile cache, and writing takes about a second.
constexpr Bytes written_again{std::uint64_t{32} << 20};

} // namespace

Result<void> VerifyPasses::confirm_capacity() {
    const auto capacity = damage_.true_capacity(outcome_.written);
    // If data of this job is at a wrong position, the medium has stored it: its addresses wrap.
    if (!capacity || damage_.fake_kind(outcome_.written) == FakeKind::wrap) return {};
    reporter_.phase("confirm");
    const auto again =
        write_again(std::min(written_again, align_down(Bytes{capacity->count / 2}, std::max(unit_, 4_KiB))));
    if (!again) return fail(again.error());
    if (again->write_error == 0 && again->kept > again->lost) return {};
    damage_.discard_end();
    const bool refused = again->write_error != 0;
    reporter_.add_job_finding(measure::Finding{
        .kind = refused ? FindingKind::write_refused : FindingKind::data_damaged,
        .severity = Severity::fault,
        .detail = refused
                      ? "after the test the medium refuses writes where it accepted them before (" +
                            std::generic_category().message(again->write_error) + "): it has turned read-only"
                      : "after the test the medium does not keep new data where it kept them before: it has stopped "
                        "storing data, which is a defect and no sign of a missing capacity",
        .offset = span_.begin(),
        .length = refused ? 0_B : again->lost});
    return {};
}

Result<VerifyPasses::KeptAgain> VerifyPasses::write_again(Bytes length) {
    // Uses a generation that no earlier data of this medium has. This pattern contains the generation; `given` payload
    // does not.
    const Payload pattern{.kind = PayloadKind::incompressible, .seed = job_.payload.seed, .given = {}};
    const PayloadSource payload(pattern, job_.as<VerifyJob>()->generation + 1);
    auto buffer = TransferBuffer::allocate(static_cast<std::size_t>(job_.as<VerifyJob>()->chunk.count));
    if (!buffer) return fail(buffer.error());
    IoErrors errors = io_errors_of(job_, device_, control_);
    KeptAgain again;
    const auto part_at = [&](std::uint64_t offset) {
        return buffer->bytes().first(static_cast<std::size_t>(chunk_at(offset, length).count));
    };
    for (std::uint64_t offset = 0; offset < length.count && again.write_error == 0;) {
        if (control_.cancel.load(std::memory_order_relaxed)) return fail(cancelled().error());
        if (auto allowed = control_.may_write.check(); !allowed) return fail(allowed.error());
        const auto place = span_.at(offset);
        if (!place) return fail(place.error());
        const auto bytes = part_at(offset);
        payload.fill(bytes, offset);
        const Ticks begun = clock_.now();
        const TransferResult moved = place->file->write(bytes, place->offset);
        again.write_error = moved.error;
        if (moved.error != 0 &&
            !errors.failed(true, on_medium(offset), bytes.size(), moved.error, clock_.since(begun)) &&
            (errors.medium_lost() || errors.host_error() || errors.took_too_long())) {
            reporter_.add_job_finding(errors.take_findings());
            return fail(interrupted_job(errors).error());
        }
        offset += bytes.size();
    }
    const auto start = span_.at(0);
    if (!start) return fail(start.error());
    const CacheChecks caches(*start->file, device_);
    const Ticks flushed = clock_.now();
    if (const int error = caches.flush();
        error != 0 && again.write_error == 0 && flush_failed(error).severity == Severity::fault) {
        again.write_error = error;
        if (!errors.failed(true, on_medium(0), length.count, error, clock_.since(flushed)) &&
            (errors.medium_lost() || errors.host_error() || errors.took_too_long())) {
            reporter_.add_job_finding(errors.take_findings());
            return fail(interrupted_job(errors).error());
        }
    }
    if (again.write_error != 0) return again;
    (void)caches.drop_caches(length);
    for (std::uint64_t offset = 0; offset < length.count;) {
        if (control_.cancel.load(std::memory_order_relaxed)) return fail(cancelled().error());
        const auto place = span_.at(offset);
        if (!place) return fail(place.error());
        const auto bytes = part_at(offset);
        const Ticks begun = clock_.now();
        const TransferResult moved = place->file->read(bytes, place->offset);
        if (moved.error != 0 &&
            !errors.failed(false, on_medium(offset), bytes.size(), moved.error, clock_.since(begun)) &&
            (errors.medium_lost() || errors.took_too_long())) {
            reporter_.add_job_finding(errors.take_findings());
            return fail(interrupted_job(errors).error());
        }
        for (std::size_t at = 0; at < bytes.size(); at += Pattern::sector_size) {
            const bool kept = at + Pattern::sector_size <= moved.bytes &&
                              payload.matches(bytes.subspan(at, Pattern::sector_size), offset + at);
            (kept ? again.kept : again.lost) += Bytes{Pattern::sector_size};
        }
        offset += bytes.size();
    }
    return again;
}

} // namespace mediarig::workload
