// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/virtual/uml_command_line.hpp"

#include <fmt/format.h>

namespace mediarig::lab {

std::vector<std::string> uml_command_line(const UmlSetting& setting, const UmlFiles& files) {
    constexpr int first_file = 3;
    std::vector<std::string> words{
        fmt::format("mem={}M", setting.memory / 1_MiB), "initrd=" + setting.initrd, "rdinit=/init",
        "hostfs=" + setting.media, "uml_dir=" + files.directory + "/", "umid=guest",
        // The console goes to standard output; nothing is read.
        "con0=null,fd:1", "con=null", "ssl=null", "panic=-1", "time-travel=ext:" + files.time()};
    for (std::size_t port = 0; port < guest_ports; ++port)
        words.push_back(fmt::format("ssl{}=fd:{}", port, first_file + port));
    return words;
}

} // namespace mediarig::lab
