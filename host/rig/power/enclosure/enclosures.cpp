// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/rig/power/enclosure/enclosures.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "host/base/descriptor.hpp"
#include "host/base/enum_names.hpp"
#include "host/base/process/run_process.hpp"
#include "host/media/claim/linux/kernel/sysfs.hpp"

namespace mediarig::rig {
namespace {

constexpr const char* tunnel_devices = "/sys/bus/thunderbolt/devices";

std::string attribute(const std::string& device, const char* name) {
    return media::text_attribute(fmt::format("{}/{}/{}", tunnel_devices, device, name));
}

std::optional<unsigned> number(const std::string& device, const char* name) {
    const auto read = media::number_attribute(fmt::format("{}/{}/{}", tunnel_devices, device, name));
    if (!read || !*read || **read > 255) return std::nullopt;
    return static_cast<unsigned>(**read);
}

/// "0-1", "0-301": a route of the domain; "0-0" is the host's own router, "0-1.1" a retimer, "0-1:1.1" a service.
bool is_route(const std::string& name) {
    const std::size_t dash = name.find('-');
    return dash != std::string::npos && dash > 0 && name.find_first_not_of("0123456789") == dash &&
           name.find_first_not_of("0123456789abcdef", dash + 1) == std::string::npos && name.substr(dash + 1) != "0" &&
           dash + 1 < name.size();
}

TunnelDomain domain_of(const std::string& route) {
    const std::string name = "domain" + route.substr(0, route.find('-'));
    const auto security = from_name<TunnelSecurity>(attribute(name, "security"));
    return {.name = name,
            .security = security.value_or(TunnelSecurity::unknown),
            .deauthorizes = number(name, "deauthorization") == 1U};
}

Result<void> write_attribute(const std::string& path, const std::string& value) {
    const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    const bool written = file && ::write(file.get(), value.data(), value.size()) == static_cast<ssize_t>(value.size());
    if (written) return {};
    const int error = errno;
    const Errc code = error == EACCES || error == EPERM ? Errc::no_permission
                      : error == ENOENT                 ? Errc::no_medium
                                                        : Errc::io_failed;
    return fail(code, fmt::format("{} cannot be set to {}: {}{}", path, value, std::strerror(error),
                                  code == Errc::no_permission ? "; run this as root" : ""));
}

} // namespace

Result<std::vector<Enclosure>> find_enclosures() {
    const auto names = media::names_in(tunnel_devices);
    if (!names) return fail(names.error());
    std::vector<Enclosure> enclosures;
    for (const std::string& name : names->value_or(std::vector<std::string>{})) {
        if (!is_route(name)) continue;
        Enclosure enclosure{.name = name,
                            .unique_id = attribute(name, "unique_id"),
                            .vendor = attribute(name, "vendor_name"),
                            .device = attribute(name, "device_name"),
                            .authorized = number(name, "authorized").value_or(0),
                            .generation = number(name, "generation"),
                            .domain = domain_of(name)};
        // Another host on the cable has no unique id: it is not an enclosure.
        if (!enclosure.unique_id.empty()) enclosures.push_back(std::move(enclosure));
    }
    std::ranges::sort(enclosures, {}, &Enclosure::name);
    return enclosures;
}

Result<Enclosure> choose_enclosure(const std::vector<Enclosure>& enclosures, const std::string& id) {
    std::string known;
    std::optional<Enclosure> found;
    for (const Enclosure& each : enclosures) {
        known += fmt::format("{}{} ({} {})", known.empty() ? "" : ", ", each.unique_id, each.vendor, each.device);
        if (id.empty() || !each.unique_id.starts_with(id)) continue;
        if (found)
            return fail(Errc::bad_request, fmt::format("\"{}\" names several enclosures: type more of the id", id));
        found = each;
    }
    if (found) return *found;
    return fail(Errc::bad_request, known.empty()
                                       ? fmt::format("there is no Thunderbolt or USB4 enclosure: plug it in and look "
                                                     "with mediarig rig enclosures")
                                       : fmt::format("no enclosure has the id \"{}\"; connected: {}", id, known));
}

Result<void> deauthorize(const Enclosure& enclosure) {
    if (!enclosure.domain.deauthorizes)
        return fail(Errc::bad_request, fmt::format("{} does not let {} be deauthorized: its firmware does not allow it",
                                                   enclosure.domain.name, enclosure.name));
    return write_attribute(fmt::format("{}/{}/authorized", tunnel_devices, enclosure.name), "0");
}

Result<void> authorize(const Enclosure& enclosure, const std::string& boltctl) {
    if (process::find_program(boltctl)) {
        const auto asked = process::run_process({.program = boltctl, .arguments = {"authorize", enclosure.unique_id}});
        if (asked && asked->succeeded()) return {};
        // boltctl fails without its daemon; the attribute works without it.
    }
    return write_attribute(fmt::format("{}/{}/authorized", tunnel_devices, enclosure.name), "1");
}

Result<void> remove_disk(const std::string& disk) {
    const std::string device = media::real_path(media::block_class + disk + "/device");
    if (device.empty()) return fail(Errc::no_medium, fmt::format("there is no disk /dev/{}", disk));
    // Delete a SCSI disk's own device; an NVMe controller's PCIe function is one level higher.
    if (media::exists(device + "/delete")) return write_attribute(device + "/delete", "1");
    for (const std::string& at : {device, device + "/device"})
        if (media::exists(at + "/remove")) return write_attribute(at + "/remove", "1");
    return fail(Errc::io_failed, fmt::format("/dev/{} has no device that the kernel could remove", disk));
}

} // namespace mediarig::rig
