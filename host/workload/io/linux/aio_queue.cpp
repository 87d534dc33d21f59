// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/io/linux/aio_queue.hpp"

#include <linux/aio_abi.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

namespace mediarig::workload {
namespace {

class AioQueue final : public RequestQueue {
public:
    AioQueue(aio_context_t context, std::uint32_t depth) : context_(context), events_(depth) {}
    AioQueue(const AioQueue&) = delete;
    AioQueue& operator=(const AioQueue&) = delete;
    ~AioQueue() override { ::syscall(SYS_io_destroy, context_); }

    int submit(const Request& request) override {
        iocb one{};
        one.aio_data = request.tag;
        one.aio_lio_opcode = request.writing ? IOCB_CMD_PWRITE : IOCB_CMD_PREAD;
        one.aio_fildes = static_cast<std::uint32_t>(request.fd);
        one.aio_buf = reinterpret_cast<std::uintptr_t>(request.bytes.data());
        one.aio_nbytes = request.bytes.size();
        one.aio_offset = static_cast<std::int64_t>(request.offset);
        iocb* list[] = {&one};
        return ::syscall(SYS_io_submit, context_, 1L, list) == 1 ? 0 : errno;
    }

    int wait(std::uint32_t least, std::vector<IoCompletion>& done) override {
        for (;;) {
            const long seen = ::syscall(SYS_io_getevents, context_, static_cast<long>(least),
                                        static_cast<long>(events_.size()), events_.data(), nullptr);
            if (seen < 0 && errno == EINTR) continue;
            if (seen < 0) return errno;
            for (long i = 0; i < seen; ++i) {
                const io_event& event = events_[static_cast<std::size_t>(i)];
                const bool failed = event.res < 0;
                done.push_back({.tag = event.data,
                                .moved = {.bytes = failed ? 0 : static_cast<std::size_t>(event.res),
                                          .error = failed ? static_cast<int>(-event.res) : 0}});
            }
            return 0;
        }
    }

private:
    aio_context_t context_;
    std::vector<io_event> events_;
};

} // namespace

Result<std::unique_ptr<RequestQueue>> make_aio_queue(std::uint32_t depth) {
    aio_context_t context = 0;
    if (::syscall(SYS_io_setup, depth, &context) != 0)
        return fail(Errc::host_fault, "no asynchronous requests are available (" +
                                          std::generic_category().message(errno) +
                                          "): raise fs.aio-max-nr or choose a smaller backlog");
    return std::make_unique<AioQueue>(context, depth);
}

} // namespace mediarig::workload
