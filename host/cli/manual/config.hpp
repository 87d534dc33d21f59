// SPDX-License-Identifier: GPL-3.0-or-later
/// Defaults for options of the command line, from a configuration file. Pure. Schema:
/// docs/schemas/config.schema.json; user's guide: docs/reference/commands.md.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace mediarig::config {

/// An option that a command has.
struct KnownOption {
    std::string name;   ///< "store"
    bool may_default{}; ///< false: it is given with each command, or not at all
    bool is_path{};     ///< what it takes is a path, whatever it looks like
    bool is_text{};     ///< what it takes is never a path, whatever it looks like
};
struct KnownCommand {
    std::string name; ///< "bench", "lab start"
    std::vector<KnownOption> options;
};

/// A default.
struct Setting {
    std::string command; ///< empty: of every command that has the option
    std::string option;
    std::vector<std::string> values; ///< as on the command line; of a flag "true" or "false"
    std::string place;               ///< JSON pointer
    bool operator==(const Setting&) const = default;
};

struct ConfigFaults {
    std::vector<std::string> lines; ///< "PLACE: reason", at least one
};

inline constexpr std::size_t longest_value = 4095; ///< bytes; a path
inline constexpr std::size_t most_values = 64;     ///< of one option

/// The settings in the order in which they are to be applied: those of every command first. An empty text sets nothing.
/// Fails with every fault that was found; what each value means to its option is not known here.
[[nodiscard]] tl::expected<std::vector<Setting>, ConfigFaults> parse_config(std::string_view text,
                                                                            std::span<const KnownCommand> known);

} // namespace mediarig::config
