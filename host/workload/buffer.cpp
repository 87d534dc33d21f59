// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/buffer.hpp"

#include <sys/mman.h>

#include <string>

namespace mediarig::workload {

Result<TransferBuffer> TransferBuffer::allocate(std::size_t size) {
    void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (memory == MAP_FAILED)
        return fail(Errc::io_failed, "no memory for transfers of " + std::to_string(size) +
                                         " bytes; choose a smaller block or a shorter queue");
    return TransferBuffer({static_cast<std::byte*>(memory), size});
}

TransferBuffer::~TransferBuffer() {
    if (!bytes_.empty()) ::munmap(bytes_.data(), bytes_.size());
}

} // namespace mediarig::workload
