// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/identity/health/linux/mmc_commands.hpp"

#include <fmt/format.h>
#include <linux/major.h>
#include <linux/mmc/ioctl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

namespace mediarig::media {
namespace {

// Response and command types of the kernel, which <linux/mmc/ioctl.h> does not export (include/linux/mmc/core.h). R1 in
// native and SPI mode, command with a data transfer.
constexpr unsigned response_present = 1u << 0, response_crc = 1u << 2, response_opcode = 1u << 4,
                   data_transfer = 1u << 5, spi_status = 1u << 7;
constexpr unsigned r1_with_data = response_present | response_crc | response_opcode | data_transfer | spi_status;

constexpr std::uint32_t send_ext_csd = 8, general_command = 56;
/// Longest wait for the data of a card; unsupported commands end by this limit on some hosts.
constexpr unsigned data_limit_ns = 500'000'000;

Error error_of(const std::string& command, int cause) {
    const std::string reason = fmt::format("{}: {}", command, std::strerror(cause));
    switch (cause) {
        case EPERM:
        case EACCES:
            return {Errc::no_permission, reason + "; the agent needs CAP_SYS_RAWIO and the whole device"};
        case ENOTTY:
        case EINVAL:
        case EOPNOTSUPP:
            return {Errc::no_driver, reason + "; the device forwards no commands to a card"};
        case ENOMEDIUM:
        case ENODEV:
        case ENXIO:
            return {Errc::no_medium, reason};
        case ETIMEDOUT:
            return {Errc::timed_out, reason};
        default:
            return {Errc::io_failed, reason};
    }
}

class MmcCommands final : public CardCommands {
public:
    explicit MmcCommands(Descriptor node) : node_(std::move(node)) {}

    Result<HealthPage> general_read(std::uint32_t argument) override {
        return transfer(general_command, argument, false, fmt::format("CMD56 {:#010x}", argument));
    }
    Result<void> general_write(std::uint32_t argument) override {
        const auto sent = transfer(general_command, argument, true, fmt::format("CMD56 {:#010x}", argument));
        if (!sent) return fail(sent.error());
        return {};
    }
    Result<HealthPage> ext_csd() override { return transfer(send_ext_csd, 0, false, "CMD8"); }

    Result<HealthPage> first_sector() override {
        HealthPage bytes{};
        std::size_t done = 0;
        while (done < bytes.size()) {
            const ssize_t got =
                ::pread(node_.get(), bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) return fail(error_of("sector 0", errno));
            if (got == 0) return fail(Errc::io_failed, "sector 0: the medium is shorter");
            done += static_cast<std::size_t>(got);
        }
        return bytes;
    }

private:
    [[nodiscard]] Result<HealthPage> transfer(std::uint32_t opcode, std::uint32_t argument, bool to_card,
                                              const std::string& name) {
        HealthPage bytes{};
        mmc_ioc_cmd command{};
        command.write_flag = to_card ? 1 : 0;
        command.opcode = opcode;
        command.arg = argument;
        command.flags = r1_with_data;
        command.blksz = bytes.size();
        command.blocks = 1;
        command.data_timeout_ns = data_limit_ns;
        command.data_ptr = reinterpret_cast<std::uintptr_t>(bytes.data());
        if (::ioctl(node_.get(), MMC_IOC_CMD, &command) != 0) return fail(error_of(name, errno));
        return bytes;
    }

    Descriptor node_;
};

} // namespace

std::unique_ptr<CardCommands> make_mmc_commands(Descriptor node) {
    return std::make_unique<MmcCommands>(std::move(node));
}

} // namespace mediarig::media
