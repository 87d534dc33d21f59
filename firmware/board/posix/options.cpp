// SPDX-License-Identifier: GPL-3.0-or-later
#include "firmware/board/posix/options.hpp"

#include <CLI/CLI.hpp>
#include <charconv>
#include <iostream>
#include <string_view>

namespace mediarig::board {

namespace {

/// Longer messages are cut off: they may quote an argument, which may have 4 KiB.
constexpr std::size_t longest_message = 1500;
std::string hexadecimal(const std::string& text) {
    if (!text.empty() && text.size() <= 16 && text.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos)
        return {};
    return "must be a unique id of 1 to 16 hexadecimal digits";
}

std::string capacity(const std::string& text) {
    if (!text.empty() && text.size() <= 18 && text.find_first_not_of("0123456789") == std::string::npos) return {};
    return "must be whole numbers of bytes, below 10^18";
}
} // namespace

ParsedOptions parse_options(int argc, char** argv) {
    ParsedOptions parsed;
    SimulatorOptions& options = parsed.options;
    CLI::App app{"A simulated rig on a pseudo terminal: the firmware's core against a model of the mechanics"};
    app.add_option("--link", options.link, "make this symlink to the pty");
    app.add_option("--pockets", options.pockets,
                   "pockets of the magazine, all with a card; 0: no carriage, a card in each reader")
        ->check(CLI::Range(0, int{rigproto::max_pockets}));
    app.add_option("--ports", options.ports, "readers, each on a switched port")
        ->check(CLI::Range(1, int{rigproto::port_count}));
    app.add_option("--script", options.script,
                   "sentences about the rig, one per line (docs/reference/simulated-rig.md)");
    app.add_option("--events", options.events, "write the events of cards and voltages to this file, - for stdout");
    app.add_option("--retained", options.retained, "file for the memory that survives a reset of the board");
    app.add_option("--state", options.state, "file that remembers where each card is");
    app.add_option("--serial", options.serial, "unique id of the board")->check(hexadecimal);
    app.add_option("--capacities", options.capacities,
                   "capacity that each card reports on the nest, in bytes, from pocket 1; 0: 15.5 GB")
        ->delimiter(',')
        ->check(capacity);
    app.add_option("--greeting", options.greeting, "printed on standard output when it is ready, instead of JSON");
    app.add_flag("--check", options.check, "check the script and exit");
    app.add_flag("--until-eof", options.until_eof, "exit at the end of standard input");
    parsed.exit_status = 2;
    constexpr std::size_t longest_word = 4095; // the longest path of Linux, in bytes
    for (int i = 1; i < argc; ++i)
        if (const std::size_t length = std::string_view(argv[i]).size(); length > longest_word) {
            std::cerr << "mediarig-rig-sim: an argument is " << length << " bytes long; at most " << longest_word
                      << " are allowed\n";
            return parsed;
        }
    try {
        app.parse(argc, argv);
        parsed.run = true;
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0)
            parsed.exit_status = app.exit(error);
        else
            std::cerr << "mediarig-rig-sim: " << std::string(error.what()).substr(0, longest_message)
                      << " (see mediarig-rig-sim --help)\n";
    }
    return parsed;
}

firmware::BoardInfo board_info(const SimulatorOptions& options, rigproto::ResetReason reset) {
    firmware::BoardInfo info;
    info.major = MEDIARIG_VERSION_MAJOR;
    info.minor = MEDIARIG_VERSION_MINOR;
    info.patch = MEDIARIG_VERSION_PATCH;
    constexpr std::string_view build = "simulated";
    for (std::size_t i = 0; i < build.size(); ++i) info.build[i] = build[i];
    std::uint64_t serial{};
    std::from_chars(options.serial.data(), options.serial.data() + options.serial.size(), serial, 16);
    for (std::size_t i = 0; i < info.unique_id.size(); ++i)
        info.unique_id[i] = static_cast<std::uint8_t>(serial >> (8 * (info.unique_id.size() - 1 - i)));
    info.reset = reset;
    return info;
}

} // namespace mediarig::board
