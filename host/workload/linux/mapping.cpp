// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/linux/mapping.hpp"

#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace mediarig::workload {

std::optional<Mapping> Mapping::of(int fd, Bytes length) {
    void* const memory =
        ::mmap(nullptr, static_cast<std::size_t>(length.count), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED) return {};
    return Mapping({static_cast<std::byte*>(memory), static_cast<std::size_t>(length.count)});
}

Mapping::~Mapping() {
    if (!memory_.empty()) ::munmap(memory_.data(), memory_.size());
}

Moved Mapping::copy(std::span<std::byte> bytes, std::uint64_t offset, bool writing) const {
    Moved moved;
    if (offset >= memory_.size()) return moved;
    const std::size_t whole = std::min<std::size_t>(bytes.size(), memory_.size() - static_cast<std::size_t>(offset));
    while (moved.bytes < whole) {
        const iovec ours{bytes.data() + moved.bytes, whole - moved.bytes};
        const iovec mapped{memory_.data() + offset + moved.bytes, whole - moved.bytes};
        const ssize_t n = writing ? ::process_vm_writev(::getpid(), &ours, 1, &mapped, 1, 0)
                                  : ::process_vm_readv(::getpid(), &ours, 1, &mapped, 1, 0);
        if (n <= 0) {
            // The file has these bytes: what cannot be had fails as a transfer would.
            moved.error = n == 0 || errno == EFAULT ? EIO : errno;
            break;
        }
        moved.bytes += static_cast<std::size_t>(n);
    }
    return moved;
}

Moved Mapping::read(std::span<std::byte> bytes, std::uint64_t offset) const {
    return copy(bytes, offset, false);
}

Moved Mapping::write(std::span<const std::byte> bytes, std::uint64_t offset) const {
    // An iovec has no constant bytes; these are only read.
    return copy({const_cast<std::byte*>(bytes.data()), bytes.size()}, offset, true);
}

int Mapping::flush() const {
    return ::msync(memory_.data(), memory_.size(), MS_SYNC | MS_INVALIDATE) == 0 ? 0 : errno;
}

} // namespace mediarig::workload
