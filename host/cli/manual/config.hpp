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

/// An option of a command.
struct KnownOption {
    std::string name;   ///< "store"
    bool may_default{}; ///< false: must be given with each command
    bool is_path{};     ///< the value is always a path
    bool is_text{};     ///< the value is never a path, even if it contains a slash
};
struct KnownCommand {
    std::string name; ///< "bench", "lab start"
    std::vector<KnownOption> options;
};

/// A default value.
struct Setting {
    std::string command; ///< empty: every command with this option
    std::string option;
    std::vector<std::string> values; ///< as on the command line; "true" or "false" for a flag
    std::string place;               ///< JSON pointer
    bool operator==(const Setting&) const = default;
};

struct ConfigFaults {
    std::vector<std::string> lines; ///< "PLACE: reason", at least one
};

inline constexpr std::size_t longest_value = 4095; ///< bytes; equals the longest path
inline constexpr std::size_t most_values = 64;     ///< per option

/// Returns the settings in the order of application: first the settings for every command. An empty text contains no
/// settings. Fails with all faults; does not check values against their options.
[[nodiscard]] tl::expected<std::vector<Setting>, ConfigFaults> parse_config(std::string_view text,
                                                                            std::span<const KnownCommand> known);

} // namespace mediarig::config
