// SPDX-License-Identifier: GPL-3.0-or-later
/// Runs coroutines of a test to their end, including their background work.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <exception>
#include <functional>
#include <optional>
#include <stdexcept>

namespace mediarig::rig {

class Bench {
public:
    boost::asio::io_context io{1};

    /// Throws if it is not finished after five minutes, so that a hanging test ends.
    template <class T>
    T run(boost::asio::awaitable<T> work) {
        std::optional<T> result;
        std::exception_ptr broken;
        boost::asio::co_spawn(io, std::move(work), [&](std::exception_ptr why, T value) {
            broken = why;
            result.emplace(std::move(value));
        });
        until([&] { return result.has_value(); }, "a coroutine of the test");
        if (broken) std::rethrow_exception(broken);
        return std::move(*result);
    }

    /// Runs everything until this holds.
    void until(const std::function<bool()>& holds, const char* what = "what the test waits for") {
        const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(5);
        while (!holds()) {
            if (std::chrono::steady_clock::now() > end) throw std::runtime_error(std::string(what) + " did not happen");
            io.restart();
            io.run_one_for(std::chrono::milliseconds(20));
        }
    }
};

} // namespace mediarig::rig
