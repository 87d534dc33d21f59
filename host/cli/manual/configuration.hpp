// SPDX-License-Identifier: GPL-3.0-or-later
/// Configuration files on the command line: which are read, what they set, and how that becomes the default of an
/// option. Command line above environment above file.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/cli/manual/config.hpp"

namespace mediarig::cli {

/// A file that was looked for.
struct ConfigFile {
    std::string path;
    bool read{}; ///< false: it is not there
    std::vector<config::Setting> settings;
};

/// In the order in which they are applied.
using Configuration = std::vector<ConfigFile>;

/// The variable of the environment that sets the option; empty where none does. CLI11 is not told of --store's: it
/// would set it in every command, and commands share it.
[[nodiscard]] std::string variable_of(const CLI::Option& option);

/// The file of --config, which stands before the command; empty where the words have none.
[[nodiscard]] std::string config_file_in(int argc, const char* const* argv);
/// What `app` has, for config::parse_config().
[[nodiscard]] std::vector<config::KnownCommand> known_commands(const CLI::App& app);

/// Reads `named` alone where it is not empty, else the machine's file and the user's, as far as they are there.
/// Fails with bad_request: the first fault of a file, or a named file that cannot be read.
[[nodiscard]] Result<Configuration> read_configuration(const CLI::App& app, const std::string& named);

/// A command that is chosen gets its defaults before its words are read; a value that does not fit throws what a
/// mistyped option does. `app` and the configuration live as long.
void apply_when_chosen(CLI::App& app, std::shared_ptr<const Configuration> configuration);

/// Whether each value fits its option. Changes the options' variables: for a command that runs nothing else. Fails with
/// bad_request.
[[nodiscard]] Result<void> try_all(CLI::App& app, const Configuration& configuration);

} // namespace mediarig::cli
