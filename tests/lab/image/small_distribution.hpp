// SPDX-License-Identifier: GPL-3.0-or-later
/// A distribution of a few small packages, with real dpkg-deb archives and replacements for apt, kmod and the compiler.
/// The replacements are scripts that keep a log and can fail.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host/lab/image/guest_image.hpp"
#include "tests/scratch.hpp"

namespace mediarig::tests {

class SmallDistribution {
public:
    SmallDistribution();

    [[nodiscard]] lab::ImageOptions options() const;
    [[nodiscard]] std::filesystem::path cache() const { return folder_ / "cache"; }
    [[nodiscard]] std::filesystem::path agent() const { return folder_ / "mediarig-agent-static"; }

    /// Disconnects or reconnects apt from the network.
    void go_offline() const;
    void go_online() const;
    /// The build stops at modprobe until the file "at-modprobe" is removed. `reached_modprobe` reports that it has
    /// stopped there.
    void hold_at_modprobe() const;
    void release() const;
    [[nodiscard]] bool reached_modprobe() const;
    /// Output of apt-cache: "name version suite" per line.
    void offer(const std::string& package, const std::string& version, const std::string& suite) const;
    void withdraw(const std::string& package) const;
    /// Returns a folder of links to real tools, without the tools named here, for `options().search_path`.
    [[nodiscard]] std::string tools_without(const std::vector<std::string>& lacking) const;
    /// Number of calls of apt.
    [[nodiscard]] std::size_t calls_of_apt() const;
    /// The names in the cache's images folder, including partial work.
    [[nodiscard]] std::vector<std::string> images() const;
    [[nodiscard]] std::vector<std::string> left_work() const;

private:
    void stand_in(const std::string& program, const std::string& script) const;
    void package(const std::string& name, const std::string& version, const std::string& suite,
                 const std::vector<std::pair<std::string, std::string>>& files) const;
    Scratch folder_;
};

/// All messages of a build.
struct Told {
    std::vector<std::string> lines;
    lab::Progress progress() {
        return [this](std::string_view line) { lines.emplace_back(line); };
    }
    [[nodiscard]] bool says(const std::string& part) const;
};

} // namespace mediarig::tests
