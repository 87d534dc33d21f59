// SPDX-License-Identifier: GPL-3.0-or-later
/// A temporary folder, one modelled medium served in it, and the reference checkers that are run against it.
#pragma once

#include <unistd.h>

#include <boost/asio/awaitable.hpp>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "host/base/process/run_process.hpp"
#include "host/lab/card/card_server.hpp"
#include "tests/catch.hpp"
#include "tests/runner.hpp"
#include "tests/scratch.hpp"

namespace mediarig::lab {

inline bool installed(const std::string& program) {
    return process::find_program(program).has_value();
}

/// Output of a reference checker, or "done" if it is silent and successful. A nonzero exit status comes first.
inline std::string run_checker(const std::string& program, std::vector<std::string> arguments) {
    const auto finished = process::run_process({.program = program, .arguments = std::move(arguments)});
    if (!finished) return "cannot run: " + finished.error().detail;
    if (finished->succeeded() && finished->out.empty()) return "done";
    return finished->succeeded() ? finished->out : process::ending_of(*finished) + ": " + finished->out + finished->err;
}

class Serving {
public:
    /// `config` is JSON, or a name of the catalogue. Delays only on request.
    explicit Serving(const std::string& config, CardOverrides overrides = {}, double time_scale = 0)
        : medium{.name = "m",
                 .config = config.starts_with('{') ? folder.write("m.json", config) : config,
                 .backing = folder / "m.raw",
                 .overrides = overrides,
                 .time_scale = time_scale} {}

    static CardPrograms programs() { return {"/usr/bin/nbdkit", MEDIARIG_CARD_PLUGIN}; }

    void start() {
        auto started = ask(CardServer::start(programs(), medium, folder.path()));
        REQUIRE(reason(started) == "success");
        server = std::move(*started);
    }
    [[nodiscard]] std::string uri() const { return "nbd+unix:///?socket=" + (folder / "m.nbd").string(); }
    /// Python lines with `h`, a connection to the medium.
    [[nodiscard]] std::string nbdsh(const std::string& lines) const {
        return run_checker("nbdsh", {"-u", uri(), "-c", lines});
    }

    template <class T>
    T ask(boost::asio::awaitable<T> call) {
        return runner.run(std::move(call));
    }

    Result<CardAnswer> tell(CardCommand command) { return ask(server->ask(std::move(command))); }
    Result<CardStats> stats() {
        return tell(ReadStats{}).map([](const CardAnswer& answer) { return answer.stats; });
    }

    tests::Scratch folder;
    tests::Runner runner;
    CardMedium medium;
    std::unique_ptr<CardServer> server; ///< destroyed before the context and the folder
};

/// True once the process with this id has ended, reaped or not.
inline bool ends(pid_t pid, std::chrono::seconds patience = std::chrono::seconds(30)) {
    const auto until = std::chrono::steady_clock::now() + patience;
    while (std::chrono::steady_clock::now() < until) {
        std::ifstream status("/proc/" + std::to_string(pid) + "/stat");
        std::string line;
        if (!std::getline(status, line) || line.find(") Z ") != std::string::npos) return true;
        ::usleep(5000);
    }
    return false;
}

} // namespace mediarig::lab
