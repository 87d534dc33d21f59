// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/io/uring/ring.hpp"

#include <cerrno>
#include <string>
#include <system_error>

namespace mediarig::workload {

Result<std::unique_ptr<Ring>> Ring::create(unsigned depth) {
    // The first set-up delivers completions only when this thread asks for them, so no completion interrupts the
    // thread. Kernels before 6.1 refuse the first set-up, kernels before 5.19 also refuse the second.
    constexpr unsigned set_ups[] = {IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN, IORING_SETUP_COOP_TASKRUN,
                                    0};
    std::unique_ptr<Ring> ring(new Ring);
    int error = 0;
    for (const unsigned flags : set_ups) {
        error = io_uring_queue_init(depth, &ring->ring_, flags);
        ring->live_ = error == 0;
        if (ring->live_) return ring;
        if (error != -EINVAL) break;
    }
    const std::string cause = std::generic_category().message(-error);
    if (error == -EPERM || error == -EACCES)
        return fail(Errc::no_permission, "the kernel forbids io_uring (" + cause +
                                             "): set kernel.io_uring_disabled to 0 or use the engine psync");
    if (error == -ENOSYS || error == -EINVAL)
        return fail(Errc::bad_request, "this kernel has no usable io_uring (" + cause + "): use the engine psync");
    return fail(Errc::io_failed,
                "io_uring could not be set up (" + cause + "): use a shorter queue or the engine psync");
}

Result<void> Ring::register_file(int fd) {
    if (const int error = io_uring_register_files(&ring_, &fd, 1); error != 0)
        return fail(Errc::io_failed, "io_uring refuses the test file (" + std::generic_category().message(-error) +
                                         "): use the engine psync");
    return {};
}

bool Ring::register_buffer(std::span<std::byte> buffer) {
    const iovec part{buffer.data(), buffer.size()};
    return io_uring_register_buffers(&ring_, &part, 1) == 0;
}

} // namespace mediarig::workload
