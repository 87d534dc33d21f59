// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/image/module_order.hpp"

#include <algorithm>

#include "tests/catch.hpp"

using namespace mediarig::lab;

TEST_CASE("modules are loaded once each after their dependencies in the order of modprobe") {
    std::vector<std::string> order;
    append_dependencies(order, "insmod /k/virtio_ring.ko \ninsmod /k/virtio.ko \ninsmod /k/virtio_pci.ko \n");
    append_dependencies(order,
                        "insmod /k/virtio_ring.ko \ninsmod /k/virtio.ko \ninsmod /k/virtio_console.ko option=1\n");
    CHECK(order ==
          std::vector<std::string>{"/k/virtio_ring.ko", "/k/virtio.ko", "/k/virtio_pci.ko", "/k/virtio_console.ko"});
}

TEST_CASE("built-in modules and other output of modprobe are skipped") {
    std::vector<std::string> order;
    append_dependencies(order, "builtin ext4\n\ninstall /bin/true\ninsmod\nmodprobe: WARNING: no\ninsmod /k/a.ko");
    CHECK(order == std::vector<std::string>{"/k/a.ko"});
}

TEST_CASE("modules that the kernel requests by name are loaded before the requesting module") {
    const auto modules = wanted_modules();
    const auto place = [&](const std::string& name) {
        return std::find(modules.begin(), modules.end(), name) - modules.begin();
    };
    CHECK(place("nls_utf8") < place("hfsplus"));
    CHECK(place("nls_cp437") < place("vfat"));
    CHECK(place("crct10dif-pclmul") < place("sd_mod"));
    CHECK(place("fuse") < std::ssize(modules));
}

TEST_CASE("a plugged stick is listed at once, and idle loop devices are not listed") {
    CHECK(module_line("usb-storage.ko") == "usb-storage.ko delay_use=0\n");
    CHECK(module_line("loop.ko") == "loop.ko max_loop=0\n");
    CHECK(module_line("exfat.ko") == "exfat.ko\n");
}
