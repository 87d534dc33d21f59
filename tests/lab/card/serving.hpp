// SPDX-License-Identifier: GPL-3.0-or-later
/// A temporary folder, one modelled medium served in it, and the reference checkers that are run against it.
#pragma once

#include <unistd.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "host/base/process/run_process.hpp"
#include "host/lab/card/card_server.hpp"
#include "tests/catch.hpp"

namespace mediarig::lab {

/// Removed with everything in it.
class ScratchFolder {
public:
    ScratchFolder() {
        std::string name = "/tmp/mediarig-card-XXXXXX";
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
        path_ = name;
    }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
    ~ScratchFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    [[nodiscard]] std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(path_ / name, std::ios::binary) << text;
        return (path_ / name).string();
    }
    [[nodiscard]] std::string read(const std::string& name) const {
        std::ifstream file(path_ / name, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }

private:
    std::filesystem::path path_;
};

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
        std::optional<T> answer;
        boost::asio::co_spawn(io, std::move(call), [&](const std::exception_ptr& thrown, T result) {
            if (thrown) std::rethrow_exception(thrown);
            answer.emplace(std::move(result));
        });
        const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(2);
        io.restart();
        while (!answer)
            if (io.run_one_until(until) == 0) throw std::runtime_error("no answer came");
        return std::move(*answer);
    }

    Result<CardAnswer> tell(CardCommand command) { return ask(server->ask(std::move(command))); }
    Result<CardStats> stats() {
        return tell(ReadStats{}).map([](const CardAnswer& answer) { return answer.stats; });
    }

    ScratchFolder folder;
    boost::asio::io_context io;
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
