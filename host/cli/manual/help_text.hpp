// SPDX-License-Identifier: GPL-3.0-or-later
/// Help texts of the commands, built from the manual and wrapped to the terminal.
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

private:
    std::size_t width_;
};

} // namespace mediarig::cli
