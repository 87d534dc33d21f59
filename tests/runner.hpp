// SPDX-License-Identifier: GPL-3.0-or-later
/// Runs coroutines of a test, including their background work.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

namespace mediarig::tests {

class Runner {
public:
    boost::asio::io_context io{1};
    std::chrono::minutes patience{5}; ///< time limit of one result: a hanging test throws

    /// Starts `work` without waiting for it.
    template <class T>
    std::shared_ptr<std::optional<T>> begin(boost::asio::awaitable<T> work) {
        auto result = std::make_shared<std::optional<T>>();
        boost::asio::co_spawn(io, std::move(work), [result](const std::exception_ptr& thrown, T value) {
            if (thrown) std::rethrow_exception(thrown);
            result->emplace(std::move(value));
        });
        return result;
    }
    /// Runs until the work has ended.
    template <class T>
    T finish(const std::shared_ptr<std::optional<T>>& result) {
        until([&] { return result->has_value(); }, "the result");
        return std::move(**result);
    }
    template <class T>
    T run(boost::asio::awaitable<T> work) {
        return finish(begin(std::move(work)));
    }
    /// Runs all coroutines until `holds` returns true.
    void until(const std::function<bool()>& holds, const char* what = "the condition") {
        const auto end = std::chrono::steady_clock::now() + patience;
        while (!holds()) {
            if (std::chrono::steady_clock::now() > end) throw std::runtime_error(std::string(what) + " did not come");
            io.restart();
            io.run_one_for(std::chrono::milliseconds(20));
        }
    }
};

} // namespace mediarig::tests
