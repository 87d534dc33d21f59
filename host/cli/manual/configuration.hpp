// SPDX-License-Identifier: GPL-3.0-or-later
/// Configuration files of the command line: finds and reads them and sets the defaults of options. Priority: command
/// line, environment, file.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/cli/manual/config.hpp"

namespace mediarig::cli {

/// A configuration file that was searched for.
struct ConfigFile {
    std::string path;
    bool read{}; ///< false: the file does not exist
    std::vector<config::Setting> settings;
};

/// The files in the order of application.
using Configuration = std::vector<ConfigFile>;

/// Environment variable that sets the option; empty if no variable does. The variable of --store is not registered with
/// CLI11, because CLI11 would set the value in every command, although commands share it.
[[nodiscard]] std::string variable_of(const CLI::Option& option);

/// Returns the file given by a --config that precedes the command; empty without one.
[[nodiscard]] std::string config_file_in(int argc, const char* const* argv);
/// Returns the commands and options of `app`, for config::parse_config().
[[nodiscard]] std::vector<config::KnownCommand> known_commands(const CLI::App& app);

/// Reads `named` if it is not empty, else the files of the machine and of the user if they exist. Fails with
/// bad_request at the first fault of a file, or if a named file cannot be read.
[[nodiscard]] Result<Configuration> read_configuration(const CLI::App& app, const std::string& named);

/// Sets the defaults of a command when the command is chosen, before its arguments are parsed. An invalid value throws
/// like a mistyped option. `app` keeps a reference to `configuration`.
void apply_when_chosen(CLI::App& app, std::shared_ptr<const Configuration> configuration);

/// Checks each value against its option. Changes the variables of the options, so use it only in a command that does
/// nothing else. Fails with bad_request.
[[nodiscard]] Result<void> try_all(CLI::App& app, const Configuration& configuration);

} // namespace mediarig::cli
