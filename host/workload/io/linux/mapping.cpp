// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/io/linux/mapping.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace mediarig::workload {

std::optional<Mapping> Mapping::of(int fd, Bytes length) {
    Descriptor between(::memfd_create("mapping", MFD_CLOEXEC));
    if (!between) return {};
    void* const memory =
        ::mmap(nullptr, static_cast<std::size_t>(length.count), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED) return {};
    return Mapping({static_cast<std::byte*>(memory), static_cast<std::size_t>(length.count)}, std::move(between));
}

Mapping::~Mapping() {
    if (!memory_.empty()) ::munmap(memory_.data(), memory_.size());
}

std::span<std::byte> Mapping::part(std::size_t length, std::uint64_t offset) const {
    if (offset >= memory_.size()) return {};
    return memory_.subspan(static_cast<std::size_t>(offset)).first(std::min(length, memory_.size() - offset));
}

namespace {

/// The mapped file contains the requested bytes, so a short copy is reported as a failed transfer.
TransferResult moved(ssize_t result, std::size_t wanted) {
    if (result >= 0 && static_cast<std::size_t>(result) == wanted) return {.bytes = wanted, .error = 0};
    const int error = result >= 0 || errno == EFAULT ? EIO : errno;
    return {.bytes = result > 0 ? static_cast<std::size_t>(result) : 0, .error = error};
}

} // namespace

TransferResult Mapping::read(std::span<std::byte> bytes, std::uint64_t offset) const {
    const auto mapped = part(bytes.size(), offset);
    const TransferResult got = moved(::pwrite(between_.get(), mapped.data(), mapped.size(), 0), mapped.size());
    if (got.error != 0) return got;
    return moved(::pread(between_.get(), bytes.data(), mapped.size(), 0), mapped.size());
}

TransferResult Mapping::write(std::span<const std::byte> bytes, std::uint64_t offset) const {
    const auto mapped = part(bytes.size(), offset);
    const TransferResult put = moved(::pwrite(between_.get(), bytes.data(), mapped.size(), 0), mapped.size());
    if (put.error != 0) return put;
    return moved(::pread(between_.get(), mapped.data(), mapped.size(), 0), mapped.size());
}

int Mapping::flush() const {
    return ::msync(memory_.data(), memory_.size(), MS_SYNC | MS_INVALIDATE) == 0 ? 0 : errno;
}

} // namespace mediarig::workload
