// SPDX-License-Identifier: GPL-3.0-or-later
// A controller to be killed: boots the image KERNEL INITRD in FOLDER, plugs a medium, prints "plugged" and stays.
#include <boost/asio/steady_timer.hpp>
#include <iostream>

#include "tests/lab/machine/booted.hpp"

int main(int argc, char** argv) {
    using namespace mediarig;
    using namespace mediarig::lab;
    if (argc != 4) return 2;
    MachineSpec spec{.image = {argv[1], argv[2]}, .slots = {{SlotId{1}, SlotKind::usb}}};
    spec.directory = argv[3];
    NbdServer server(spec.directory, "card", {"memory", "64M"});
    Booted booted(std::move(spec));
    if (!booted.report) {
        std::cout << booted.report.error().detail << std::endl;
        return 1;
    }
    if (auto plugged = booted.ask(booted.machine->plug(SlotId{1}, server.medium())); !plugged) {
        std::cout << plugged.error().detail << std::endl;
        return 1;
    }
    std::cout << "plugged" << std::endl;
    boost::asio::steady_timer forever(booted.talk.io, boost::asio::steady_timer::time_point::max());
    forever.async_wait([](boost::system::error_code) {});
    booted.talk.io.restart();
    booted.talk.io.run();
}
