// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/claim/linux/reader_registers.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <scsi/sg.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include "host/base/descriptor.hpp"
#include "host/media/identity/sd_registers.hpp"

namespace mediarig::media {
namespace {

constexpr std::uint8_t vendor_operation = 0xCF;
constexpr std::uint8_t cid_number = 0x18, csd_number = 0x1A, scr_number = 0x1B;
constexpr unsigned tries = 2; ///< the first command after a card change reports the change
constexpr unsigned milliseconds_of_a_command = 3'000;

/// Register contents in hexadecimal; empty if the register could not be read.
std::string register_of(const ScsiRead& read, std::uint8_t number, std::uint8_t length) {
    std::array<std::uint8_t, 16> command{vendor_operation, number, 0, 0, length};
    for (unsigned attempt = 0; attempt < tries; ++attempt) {
        const auto bytes = read(command, length);
        if (!bytes || bytes->size() != length) continue;
        std::string text;
        for (const std::uint8_t byte : *bytes) text += fmt::format("{:02x}", byte);
        return text;
    }
    return {};
}

} // namespace

bool passes_registers_on(const UsbIdentity& reader) {
    return reader.vendor_id == "0424" && reader.product_id == "4041";
}

std::optional<SdIdentity> read_card_registers(const ScsiRead& read) {
    const std::string cid = register_of(read, cid_number, 16);
    if (cid.empty() || std::ranges::all_of(cid, [&](char c) { return c == cid.front(); })) return std::nullopt;
    const std::string csd = register_of(read, csd_number, 16);
    const std::string scr = register_of(read, scr_number, 8);
    return decode_sd_registers(cid, csd, scr, {});
}

ScsiRead scsi_read_of(int descriptor) {
    return [descriptor](std::span<const std::uint8_t, 16> command,
                        std::size_t length) -> Result<std::vector<std::uint8_t>> {
        std::array<std::uint8_t, 16> bytes{};
        std::ranges::copy(command, bytes.begin());
        std::vector<std::uint8_t> answer(length);
        std::array<std::uint8_t, 32> sense{};
        sg_io_hdr_t header{};
        header.interface_id = 'S';
        header.dxfer_direction = SG_DXFER_FROM_DEV;
        header.cmd_len = bytes.size();
        header.cmdp = bytes.data();
        header.mx_sb_len = sense.size();
        header.sbp = sense.data();
        header.dxfer_len = static_cast<unsigned>(answer.size());
        header.dxferp = answer.data();
        header.timeout = milliseconds_of_a_command;
        if (::ioctl(descriptor, SG_IO, &header) != 0)
            return fail(Errc::io_failed, std::string("the reader accepts no commands: ") + std::strerror(errno));
        if (header.status != 0 || header.host_status != 0 || header.driver_status != 0)
            return fail(Errc::io_failed, fmt::format("the reader ended a command with status {}", header.status));
        answer.resize(answer.size() -
                      static_cast<std::size_t>(std::clamp<int>(header.resid, 0, static_cast<int>(length))));
        return answer;
    };
}

std::optional<SdIdentity> card_in_reader(const Medium& medium) {
    if (!medium.usb || !passes_registers_on(*medium.usb)) return std::nullopt;
    const Descriptor node(::open(medium.node.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    struct stat status {};
    if (!node || ::fstat(node.get(), &status) != 0 || !S_ISBLK(status.st_mode)) return std::nullopt;
    if (DeviceNumber{major(status.st_rdev), minor(status.st_rdev)} != medium.number) return std::nullopt;
    return read_card_registers(scsi_read_of(node.get()));
}

} // namespace mediarig::media
