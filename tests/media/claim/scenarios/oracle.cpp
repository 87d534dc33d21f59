// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/media/claim/scenarios/oracle.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>

#include "tests/media/claim/scenarios/requests.hpp"

namespace mediarig::claim_scenarios {
namespace {

std::string shown(const ScenarioFiles& scenario, const Place& place) {
    return fmt::format("{}-{} of '{}'", place.range.begin, place.range.end,
                       const_cast<ScenarioFiles&>(scenario).files()[static_cast<std::size_t>(place.file)].name);
}

Range common(const Range& one, const Range& other) {
    return {std::max(one.begin, other.begin), std::min(one.end, other.end)};
}

} // namespace

std::optional<Place> place_of_loop(const ScenarioFiles& scenario, int number, bool& on_loop) {
    const Descriptor device(::open(loop_node(number).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    const auto status = device ? status_of(device.get()) : std::nullopt;
    if (!status) return std::nullopt;
    const std::uint64_t length = size_of_device(device.get());
    const dev_t backing = status->lo_rdevice;
    if (backing != 0) {
        on_loop = true;
        if (major(backing) != loop_major) return std::nullopt;
        bool deeper = false;
        auto below = place_of_loop(scenario, static_cast<int>(minor(backing)), deeper);
        if (!below) return std::nullopt;
        below->range.begin += status->lo_offset;
        below->range.end = std::min(below->range.end, below->range.begin + length);
        return below;
    }
    const int file = scenario.file_of(status->lo_device, status->lo_inode);
    if (file < 0) return std::nullopt;
    return Place{file, {status->lo_offset, status->lo_offset + length}};
}

void Oracle::look() {
    for (File& file : scenario_.files()) file.seen = read_blocks(file.handle.get());
}

void Oracle::add(const std::string& kind, const std::string& text, std::uint64_t bytes) {
    for (WrongWrite& known : wrong) {
        if (known.kind != kind) continue;
        known.bytes += bytes;
        return;
    }
    wrong.push_back({kind, text, bytes});
}

void Oracle::judge(int subject, int began, const std::string& request, std::map<int, HeldClaim>& claims) {
    flush_loops(loops_below(scenario_.base()));
    for (std::size_t i = 0; i < scenario_.files().size(); ++i) {
        File& file = scenario_.files()[i];
        Blocks now = read_blocks(file.handle.get());
        for (const Range& range : difference(file.seen, now)) {
            bytes_written += range.end - range.begin;
            judge_range(subject, began, request, {static_cast<int>(i), range}, claims);
        }
        file.seen = std::move(now);
    }
}

/// The cell of the matrix depends on the claim: a reader of the claimed device does not use another device on the same
/// bytes.
bool Oracle::is_seen_before_claim(const Use& use, const HeldClaim& claim) {
    const bool by_loop = claim.target_loop >= 0;
    Cell cell{by_loop ? Object::loop : Object::image, use.activity, use.route};
    if (use.device >= 0 && use.device == claim.target_loop) {
        if (use.of_partition) cell.object = Object::partition;
    } else if (use.device >= 0) {
        cell.route = Route::loop;
    } else if (by_loop && use.route != Route::upper_elsewhere) {
        cell.route = Route::file;
    }
    return verdict_on(cell).outcome == Outcome::refused || verdict_on(cell).outcome == Outcome::asked;
}

/// True if the device of the use still shows the used range. A held device may have lost its backing file in the
/// meantime.
bool Oracle::is_shown(const Use& use) const {
    bool on_loop = false;
    const auto place = place_of_loop(scenario_, use.device, on_loop);
    return place && place->file == use.file && place->range.overlaps(use.range);
}

void Oracle::judge_range(int subject, int began, const std::string& request, const Place& changed,
                         const std::map<int, HeldClaim>& claims) {
    const std::uint64_t bytes = changed.range.end - changed.range.begin;
    const std::string what = fmt::format("{} wrote {}", request, shown(scenario_, changed));
    const auto mine = claims.find(subject);
    const bool may_be_mine = mine != claims.end() && mine->second.place.file == changed.file &&
                             mine->second.place.range.overlaps(changed.range);
    // Bytes that a mounted volume of the other subject writes back are attributed to that subject.
    for (const auto& [other, claim] : claims)
        if (!may_be_mine && other != subject && claim.mounted && claim.place.file == changed.file &&
            claim.place.range.contains(changed.range))
            return;

    for (const Place& noted : others_.failed_mounts)
        if (noted.file == changed.file && noted.range.contains(changed.range)) return;

    if (mine == claims.end()) return add("without a claim", what, bytes);
    const HeldClaim& claim = mine->second;
    if (!claim.not_named.empty()) return add(claim.not_named, what, bytes);
    // A mounted volume is always unmounted, even if another program has started to use its bytes by another path or has
    // moved the window of its device: no check can prevent the writes of the driver.
    const bool only_driver = claim.mounted && request != name_of(RequestKind::run_folder);
    if (claim.place.file != changed.file || !claim.place.range.contains(changed.range)) {
        if (claim.moved >= began || (claim.moved >= 0 && only_driver)) {
            ++beside;
            return;
        }
        const bool moved = claim.moved >= 0;
        return add(moved ? "outside the claimed range, whose window was moved before" : "outside the claimed range",
                   fmt::format("{}, claimed is {}", what, shown(scenario_, claim.place)), bytes);
    }
    for (const Use& use : others_.uses) {
        if (!is_use_of_data(use.kind) || (use.subject >= 0 && use.subject == subject)) continue;
        if (use.file != changed.file || !use.range.overlaps(changed.range)) continue;
        if (use.ended >= 0 && use.ended < began) continue;
        const bool may_be_emptied = use.kind == UseKind::loop_exclusive || use.kind == UseKind::by_matrix;
        if (may_be_emptied && use.device >= 0 && !is_shown(use)) continue;
        if (use.kind == UseKind::by_matrix && !is_seen_before_claim(use, claim)) continue;
        const Range hit = common(use.range, changed.range);
        const std::string told = fmt::format("{}, in use by: {}", what, use.text);
        if (use.began >= began || (use.kind == UseKind::by_matrix && use.began >= claim.asked) ||
            (claim.doubt_accepted && use.device < 0 && use.kind != UseKind::foreign_content)) {
            ++beside;
        } else if (use.ended >= 0) {
            ++beside; // the use ended during the request, perhaps before the write
        } else if (use.began < claim.asked) {
            add(fmt::format("in use before the claim: {}",
                            use.kind == UseKind::by_matrix ? name_of(use.activity) : name_of(use.kind)),
                told, hit.end - hit.begin);
        } else if (use.device >= 0 && use.device == claim.loop) {
            add(fmt::format("in use through the claimed device: {}", name_of(use.kind)), told, hit.end - hit.begin);
        } else if (is_seen_late(use.kind) && !only_driver) {
            add(fmt::format("in use before the request: {}", name_of(use.kind)), told, hit.end - hit.begin);
        } else {
            ++beside;
        }
    }
}

} // namespace mediarig::claim_scenarios
