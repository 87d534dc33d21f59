// SPDX-License-Identifier: GPL-3.0-or-later
/// Help texts of the commands, wrapped to the terminal.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace mediarig::cli {

class HelpText final : public CLI::Formatter {
public:
    /// `width` in columns.
    explicit HelpText(std::size_t width) : width_(width) {}
    [[nodiscard]] std::string make_option(const CLI::Option* option, bool is_positional) const override;
    [[nodiscard]] std::string make_subcommand(const CLI::App* command) const override;
    [[nodiscard]] std::string make_description(const CLI::App* app) const override;
    /// Mode All (--help-all): all commands, exit statuses, environment and examples, in the form that help2man reads.
    [[nodiscard]] std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;

private:
    std::size_t width_;
};

} // namespace mediarig::cli
