// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/layout.hpp"

#include <algorithm>
#include <cerrno>

#include "host/workload/platform/buffer.hpp"

namespace mediarig::workload {

Result<bool> lay_out(MediumFile& file, Bytes span, const PayloadSource& payload, IoErrors& errors,
                     JobControl& control) {
    constexpr std::uint64_t chunk = std::uint64_t{1} << 20;
    auto buffer = TransferBuffer::allocate(chunk);
    if (!buffer) return fail(buffer.error());

    for (std::uint64_t offset = 0; offset < span.count; offset += chunk) {
        if (control.cancel.load(std::memory_order_relaxed)) return false;
        if (auto allowed = control.may_write.check(); !allowed) return fail(allowed.error());
        const auto bytes = buffer->bytes().first(std::min(chunk, span.count - offset));
        payload.fill(bytes, offset);
        Moved moved = file.write(bytes, offset);
        if (moved.error == EINVAL && file.used() == CachePolicy::direct) {
            if (auto reopened = file.give_up_direct(); !reopened) return fail(reopened.error());
            moved = file.write(bytes, offset);
        }
        if (moved.error != 0 && !errors.failed(true, offset + moved.bytes, bytes.size() - moved.bytes, moved.error))
            return false;
        control.bytes_done.fetch_add(bytes.size(), std::memory_order_relaxed);
    }
    return true;
}

} // namespace mediarig::workload
