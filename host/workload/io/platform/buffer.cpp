// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/io/platform/buffer.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <string>

namespace mediarig::workload {
namespace {
constexpr std::size_t huge_page = std::size_t{2} << 20;
}

Result<TransferBuffer> TransferBuffer::allocate(std::size_t size) {
    // With huge pages a transfer has a few long segments instead of hundreds of pages, which some controllers would
    // split.
    const std::size_t page = size >= huge_page / 2 ? huge_page : alignment;
    const std::size_t reserved = (size + page - 1) / page * page + (page - alignment);
    void* memory = ::mmap(nullptr, reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return fail(Errc::io_failed, "no memory for transfers of " + std::to_string(size) +
                                         " bytes; choose a smaller block or a shorter queue");
    TransferBuffer buffer;
    buffer.reserved_ = {static_cast<std::byte*>(memory), reserved};
    const auto address = reinterpret_cast<std::uintptr_t>(memory);
    buffer.bytes_ = buffer.reserved_.subspan((page - address % page) % page, size);
#if defined(MADV_HUGEPAGE)
    if (page == huge_page) (void)::madvise(memory, reserved, MADV_HUGEPAGE);
#endif
    std::memset(buffer.bytes_.data(), 0, size);
    return buffer;
}

TransferBuffer::~TransferBuffer() {
    if (!reserved_.empty()) ::munmap(reserved_.data(), reserved_.size());
}

} // namespace mediarig::workload
