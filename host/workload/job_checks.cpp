// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/job_checks.hpp"

#include <set>
#include <string>

namespace mediarig::workload {
namespace {

constexpr Bytes smallest_sector = 512_B;
constexpr Bytes largest_block = 1_GiB;

Bytes direct_unit(std::optional<BackingDevice::Sectors> sectors) {
    return sectors && sectors->logical.count > 0 ? sectors->logical : smallest_sector;
}

Result<void> check_payload(const Payload& payload) {
    if (payload.kind == PayloadKind::given && payload.given.empty())
        return fail(Errc::bad_request, "a given payload needs at least one byte");
    return {};
}

Result<void> check_cell(const JobSpec& job, const CellSpec& cell, Bytes unit) {
    const std::string name = "cell " + cell.id + ": ";
    if (cell.block.count == 0 || cell.block > largest_block)
        return fail(Errc::bad_request, name + "a block must have 1 byte to 1 GiB");
    if (cell.block > job.as<SweepJob>()->span)
        return fail(Errc::bad_request, name + "its block is larger than the span; ask for a larger span");
    if (cell.volume < cell.block)
        return fail(Errc::bad_request, name + "its volume is less than one block; ask for more");
    if (cell.queue_depth == 0) return fail(Errc::bad_request, name + "a queue holds at least one transfer");
    if (cell.queue_depth > 1 && job.engine == Engine::psync)
        return fail(Errc::bad_request, name + "a queue depth above 1 needs the engine uring");
    if (job.cache == CachePolicy::direct && cell.block % unit != 0_B)
        return fail(Errc::bad_request, name + "direct transfers need whole sectors of " + std::to_string(unit.count) +
                                           " bytes; choose another block or another cache policy");
    return {};
}

} // namespace

Result<void> check_sweep(const JobSpec& job, std::optional<BackingDevice::Sectors> sectors) {
    if (auto sane = check_payload(job.payload); !sane) return sane;
    std::set<std::string> ids;
    for (const CellSpec& cell : job.as<SweepJob>()->cells) {
        if (auto sane = check_cell(job, cell, direct_unit(sectors)); !sane) return sane;
        if (!ids.insert(cell.id).second)
            return fail(Errc::bad_request, "cell " + cell.id + ": there are two of this name");
    }
    if (job.cache == CachePolicy::direct && job.as<SweepJob>()->span % direct_unit(sectors) != 0_B)
        return fail(Errc::bad_request, "the span of " + std::to_string(job.as<SweepJob>()->span.count) +
                                           " bytes is not whole sectors of " +
                                           std::to_string(direct_unit(sectors).count) + " bytes");
    return {};
}

Result<void> check_verify(const JobSpec& job, std::optional<BackingDevice::Sectors> sectors) {
    if (auto sane = check_payload(job.payload); !sane) return sane;
    if (job.payload.kind == PayloadKind::zeros)
        return fail(Errc::bad_request, "verify needs a payload that tells positions apart; zeros do not");
    const Bytes unit = direct_unit(sectors);
    const Bytes chunk = job.as<VerifyJob>()->chunk;
    if (chunk.count == 0 || chunk % unit != 0_B || chunk % smallest_sector != 0_B || chunk > 64_MiB)
        return fail(Errc::bad_request, "verify needs a chunk of whole sectors of " + std::to_string(unit.count) +
                                           " bytes up to 64 MiB, not " + std::to_string(chunk.count) + " bytes");
    // None stands for everything; less than one would be rounded to that.
    const Bytes span = job.as<VerifyJob>()->span;
    if (span > 0_B && span < std::max(unit, smallest_sector))
        return fail(Errc::bad_request, "verify needs a span of at least one sector, not " + std::to_string(span.count) +
                                           " bytes; leave it out for the whole medium");
    return {};
}

} // namespace mediarig::workload
