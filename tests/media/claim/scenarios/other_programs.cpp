// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/media/claim/scenarios/other_programs.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>

namespace mediarig::claim_scenarios {

const char* name_of(UseKind kind) {
    constexpr std::array<const char*, use_kinds> names{
        "mounted through another loop device",
        "mounted through another loop device in another namespace",
        "swap through another loop device",
        "another loop device is held with O_EXCL",
        "a partition of a loop device is mounted",
        "a partition of a loop device is held with O_EXCL",
        "swap file",
        "mounted straight from the file",
        "OFD write lock",
        "OFD read lock",
        "open for writing",
        "mapped shared",
        "claimed by another mediarig",
        "open for reading",
        "flock",
    };
    return names[static_cast<std::size_t>(kind)];
}

bool is_use_of_data(UseKind kind) {
    return kind < UseKind::file_open_for_reading;
}

bool is_seen_late(UseKind kind) {
    switch (kind) {
        case UseKind::file_open_for_writing:
        case UseKind::file_mapped:
        case UseKind::file_mount:
        case UseKind::file_read_lock:
        case UseKind::file_write_lock:
            return false;
        default:
            return is_use_of_data(kind);
    }
}

OtherPrograms::~OtherPrograms() {
    // Uses first, in reverse order, since a mount holds its loop device.
    for (auto use = uses.rbegin(); use != uses.rend(); ++use)
        if (use->stands()) end(*use);
    while (!loops.empty()) {
        if (loops.back().attached) delete_partitions(loops.back().loop.fd.get());
        loops.pop_back();
    }
}

Use& OtherPrograms::add(Use use) {
    use.began = now;
    uses.push_back(std::move(use));
    return uses.back();
}

int OtherPrograms::end(Use& use) {
    int error = 0;
    if (!use.swap.empty()) error = swap_off(use.swap);
    if (error == 0 && !use.mount_point.empty() && use.holder <= 0) error = unmount_at(use.mount_point);
    if (error != 0) return error;
    end_child(use.holder);
    use.fd.close();
    if (use.mapped != nullptr) ::munmap(use.mapped, use.mapped_length);
    use.mapped = nullptr;
    use.ended = now;
    return 0;
}

int OtherPrograms::detach_loop(ForeignLoop& loop) {
    for (const Use& use : uses)
        if (use.stands() && use.device == loop.loop.number) return EBUSY;
    const int error = detach(loop.loop);
    loop.attached = false;
    return error;
}

std::vector<ForeignLoop*> OtherPrograms::attached_loops() {
    std::vector<ForeignLoop*> found;
    for (ForeignLoop& loop : loops)
        if (loop.attached) found.push_back(&loop);
    return found;
}

std::vector<Use*> OtherPrograms::standing() {
    std::vector<Use*> found;
    for (Use& use : uses)
        if (use.stands()) found.push_back(&use);
    return found;
}

ForeignLoop* OtherPrograms::loop_of(int number) {
    for (ForeignLoop& loop : loops)
        if (loop.attached && loop.loop.number == number) return &loop;
    return nullptr;
}

bool OtherPrograms::anybody_on(int file, int but, int subject) {
    const bool loop = std::any_of(loops.begin(), loops.end(), [&](const ForeignLoop& other) {
        return other.attached && other.file == file && other.loop.number != but;
    });
    return loop || std::any_of(uses.begin(), uses.end(), [&](const Use& use) {
               return use.stands() && use.file == file && (use.subject < 0 || use.subject != subject);
           });
}

void OtherPrograms::follow_window(int device, int file, const Range& range) {
    for (Use& use : uses) {
        if (!use.stands() || use.device != device) continue;
        use.file = file;
        use.range = {range.begin + use.within.begin, std::min(range.end, range.begin + use.within.end)};
    }
}

} // namespace mediarig::claim_scenarios
