// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/guest/ublk_device.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <liburing.h>
#include <linux/ublk_cmd.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace mediarig::lab {
namespace {

constexpr unsigned depth = 32;
/// Largest single request; of the size that USB 3 and SD host drivers of Linux use.
constexpr std::size_t largest_request = std::size_t{512} << 10U;
constexpr unsigned sector_shift = 9;
/// Limit of one discard or zero request, in sectors: 32 MiB.
constexpr unsigned largest_discard = 65536;

/// `sqe->cmd` of a 64-byte entry. liburing 2.3 has no name for it. Source: include/uapi/linux/io_uring.h.
constexpr std::size_t command_offset = 48;

template <class T>
void put_command(io_uring_sqe* entry, unsigned operation, int file, const T& command) {
    std::memset(entry, 0, command_offset);
    entry->opcode = IORING_OP_URING_CMD;
    entry->fd = file;
    entry->cmd_op = operation;
    std::memcpy(reinterpret_cast<char*>(entry) + command_offset, &command, sizeof command);
}

tl::unexpected<Error> failed(const char* what, int cause) {
    return fail(cause == ENOENT || cause == ENODEV ? Errc::no_driver : Errc::io_failed,
                fmt::format("cannot {}: {}", what, std::strerror(cause)));
}

/// Sends one command to the driver and waits for its result.
Result<void> control(unsigned operation, std::uint8_t number, void* data, std::size_t size, const char* what,
                     std::uint64_t value = 0) {
    const Descriptor file(::open("/dev/ublk-control", O_RDWR | O_CLOEXEC));
    if (!file) return failed("open /dev/ublk-control", errno);
    io_uring ring{};
    io_uring_params params{};
    // A control command has 32 bytes, more than a 64-byte entry can hold.
    params.flags = IORING_SETUP_SQE128;
    if (const int error = ::io_uring_queue_init_params(2, &ring, &params); error != 0)
        return failed("set up io_uring for ublk", -error);
    ublksrv_ctrl_cmd command{};
    command.dev_id = number;
    command.queue_id = 0xFFFF;
    command.addr = reinterpret_cast<std::uint64_t>(data);
    command.len = static_cast<std::uint16_t>(size);
    command.data[0] = value;
    put_command(::io_uring_get_sqe(&ring), operation, file.get(), command);
    int result = ::io_uring_submit(&ring);
    io_uring_cqe* done = nullptr;
    if (result > 0) {
        do result = ::io_uring_wait_cqe(&ring, &done);
        while (result == -EINTR);
        if (result == 0) result = done->res;
    }
    ::io_uring_queue_exit(&ring);
    if (result < 0) return failed(what, -result);
    return {};
}

} // namespace

/// The queue of the device: descriptions of its requests, their buffers, and the ring to the driver.
class UblkDevice::Queue {
public:
    Queue() = default;
    Queue(const Queue&) = delete;
    Queue& operator=(const Queue&) = delete;
    ~Queue() {
        if (ready_) ::io_uring_queue_exit(&ring_);
        if (requests_ != nullptr) ::munmap(requests_, sizeof(ublksrv_io_desc) * depth);
    }

    Result<void> open(std::uint8_t number) {
        const std::string path = fmt::format("/dev/ublkc{}", number);
        file_ = Descriptor(::open(path.c_str(), O_RDWR | O_CLOEXEC));
        if (!file_) return failed(("open " + path).c_str(), errno);
        void* mapped =
            ::mmap(nullptr, sizeof(ublksrv_io_desc) * depth, PROT_READ, MAP_SHARED | MAP_POPULATE, file_.get(), 0);
        if (mapped == MAP_FAILED) return failed("map the requests of a ublk device", errno);
        requests_ = static_cast<ublksrv_io_desc*>(mapped);
        for (auto& buffer : buffers_) buffer.resize(largest_request);
        io_uring_params params{};
        if (const int error = ::io_uring_queue_init_params(depth, &ring_, &params); error != 0)
            return failed("set up io_uring for a ublk queue", -error);
        ready_ = true;
        for (unsigned tag = 0; tag < depth; ++tag) put(UBLK_IO_FETCH_REQ, tag, 0);
        if (const int error = ::io_uring_submit(&ring_); error < 0) return failed("submit ublk requests", -error);
        return {};
    }

    void put(unsigned operation, unsigned tag, int result) {
        ublksrv_io_cmd command{};
        command.tag = static_cast<std::uint16_t>(tag);
        command.result = result;
        command.addr = reinterpret_cast<std::uint64_t>(buffers_.at(tag).data());
        io_uring_sqe* entry = ::io_uring_get_sqe(&ring_);
        put_command(entry, operation, file_.get(), command);
        entry->user_data = tag;
    }

    /// Submits new entries and returns the next completion: tag and result.
    std::pair<unsigned, int> next() {
        io_uring_cqe* done = nullptr;
        int waited = 0;
        do {
            ::io_uring_submit(&ring_);
            waited = ::io_uring_wait_cqe(&ring_, &done);
        } while (waited == -EINTR);
        if (waited < 0) return {0, waited};
        const std::pair<unsigned, int> result{static_cast<unsigned>(done->user_data), done->res};
        ::io_uring_cqe_seen(&ring_, done);
        return result;
    }

    [[nodiscard]] const ublksrv_io_desc& request(unsigned tag) const { return requests_[tag]; }
    [[nodiscard]] std::span<std::byte> buffer(unsigned tag, std::size_t size) {
        return std::span(buffers_.at(tag)).first(std::min(size, largest_request));
    }

private:
    Descriptor file_;
    ublksrv_io_desc* requests_{};
    std::array<std::vector<std::byte>, depth> buffers_;
    io_uring ring_{};
    bool ready_{false};
};

UblkDevice::UblkDevice(std::uint8_t number, RunningCard& card, StorageFailed failed)
    : number_(number), card_(card), failed_(std::move(failed)) {}

Result<std::unique_ptr<UblkDevice>> UblkDevice::add(std::uint8_t number, RunningCard& card, StorageFailed failed) {
    std::unique_ptr<UblkDevice> device(new UblkDevice(number, card, std::move(failed)));
    if (auto started = device->start(); !started) return fail(std::move(started.error()));
    return device;
}

Result<void> UblkDevice::start() {
    ublksrv_ctrl_dev_info info{};
    info.nr_hw_queues = 1;
    info.queue_depth = depth;
    info.max_io_buf_bytes = largest_request;
    info.dev_id = number_;
    if (auto done = control(UBLK_CMD_ADD_DEV, number_, &info, sizeof info, "add a ublk device"); !done) return done;
    added_ = true;

    const CardConfig& config = card_.config();
    ublk_params params{};
    params.len = sizeof params;
    params.types = UBLK_PARAM_TYPE_BASIC;
    params.basic.attrs = UBLK_ATTR_VOLATILE_CACHE | UBLK_ATTR_FUA | (config.disk ? UBLK_ATTR_ROTATIONAL : 0);
    params.basic.logical_bs_shift = params.basic.physical_bs_shift = sector_shift;
    params.basic.io_min_shift = params.basic.io_opt_shift = sector_shift;
    params.basic.max_sectors = largest_request >> sector_shift;
    params.basic.dev_sectors = config.claimed.count >> sector_shift;
    if (config.can_trim) {
        params.types |= UBLK_PARAM_TYPE_DISCARD;
        params.discard.discard_granularity = 1U << sector_shift;
        params.discard.max_discard_sectors = largest_discard;
        params.discard.max_discard_segments = 1;
    }
    if (auto done = control(UBLK_CMD_SET_PARAMS, number_, &params, sizeof params, "set up a ublk device"); !done)
        return done;

    // The driver accepts the requests of a queue from one thread only, and starts the device after it has them all.
    thread_ = std::thread([this] { serve(); });
    return control(UBLK_CMD_START_DEV, number_, nullptr, 0, "start a ublk device",
                   static_cast<std::uint64_t>(::getpid()));
}

void UblkDevice::serve() {
    queue_ = std::make_unique<Queue>();
    if (const auto opened = queue_->open(number_); !opened) {
        failed_(opened.error());
        return queue_.reset();
    }
    unsigned fetched = depth;
    while (fetched > 0) {
        const auto [tag, state] = queue_->next();
        if (state != UBLK_IO_RES_OK) {
            // The device was stopped; the driver returns each request once.
            --fetched;
            continue;
        }
        const int result = result_of(tag);
        if (result == -EINPROGRESS) continue;
        queue_->put(UBLK_IO_COMMIT_AND_FETCH_REQ, tag, result);
    }
    // The driver removes the device only after this file was closed.
    queue_.reset();
}

int UblkDevice::result_of(unsigned tag) {
    if (removed_) return -EIO;
    const ublksrv_io_desc& request = queue_->request(tag);
    const std::uint64_t offset = request.start_sector << sector_shift;
    const std::size_t size = std::size_t{request.nr_sectors} << sector_shift;
    const bool through = (request.op_flags & UBLK_IO_F_FUA) != 0;
    const Result<Outcome> outcome = [&]() -> Result<Outcome> {
        switch (ublksrv_get_op(&request)) {
            case UBLK_IO_OP_READ:
                return card_.read(offset, queue_->buffer(tag, size));
            case UBLK_IO_OP_WRITE:
                return card_.write(offset, queue_->buffer(tag, size),
                                   through ? Durability::through : Durability::cached);
            case UBLK_IO_OP_FLUSH:
                return card_.flush();
            case UBLK_IO_OP_DISCARD:
                return card_.trim(offset, Bytes{size});
            case UBLK_IO_OP_WRITE_ZEROES:
                return card_.zero(offset, Bytes{size});
            default:
                return Outcome{.status = Outcome::Status::out_of_range};
        }
    }();
    if (!outcome) {
        failed_(outcome.error());
        return -EINPROGRESS;
    }
    if (removed_) return -EIO;
    switch (outcome->status) {
        case Outcome::Status::good:
            return static_cast<int>(size);
        case Outcome::Status::out_of_range:
            return -EINVAL;
        default:
            return -EIO;
    }
}

UblkDevice::~UblkDevice() {
    removed_ = true;
    if (!added_) return;
    const auto stopped = control(UBLK_CMD_STOP_DEV, number_, nullptr, 0, "stop a ublk device");
    if (thread_.joinable()) thread_.join();
    const auto deleted = control(UBLK_CMD_DEL_DEV, number_, nullptr, 0, "delete a ublk device");
    if (!stopped && !deleted) failed_(deleted.error());
}

} // namespace mediarig::lab
