// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/image/module_order.hpp"

#include <algorithm>
#include <sstream>

namespace mediarig::lab {
namespace {

// The connection to the host comes first, so that later failures can be queried.
constexpr const char* modules[] = {
    "virtio_pci", "virtio_console", "virtio-rng", "crct10dif-pclmul", "sd_mod",         "usb-storage", "uas",
    "xhci-pci",   "ftdi_sio",       "mmc_block",  "sdhci-pci",        "exfat",          "nls_utf8",    "nls_cp437",
    "nls_ascii",  "nls_iso8859-1",  "hfsplus",    "crc32c-intel",     "crc32c_generic", "libcrc32c",   "vfat",
    "fuse",       "loop",           "nvme",
};

} // namespace

std::span<const char* const> wanted_modules() {
    return modules;
}

void append_dependencies(std::vector<std::string>& order, std::string_view said) {
    std::istringstream lines{std::string(said)};
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string verb, path;
        if (!(words >> verb >> path) || verb != "insmod") continue;
        if (std::find(order.begin(), order.end(), path) == order.end()) order.push_back(path);
    }
}

std::string module_line(std::string_view file) {
    std::string line(file);
    // A plugged stick is available at once instead of 1.5 s later.
    if (file == "usb-storage.ko") line += " delay_use=0";
    // Prevents eight idle devices in the list of media; loop devices are created on demand.
    if (file == "loop.ko") line += " max_loop=0";
    return line + '\n';
}

} // namespace mediarig::lab
