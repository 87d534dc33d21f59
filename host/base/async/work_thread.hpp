// SPDX-License-Identifier: GPL-3.0-or-later
/// One thread that does blocking work in the order in which the coroutines of one loop ask for it.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "host/base/result.hpp"

namespace mediarig {

class WorkThread {
public:
    using Work = std::function<Result<void>()>;
    struct Job {
        Work work;
        bool may_be_grouped{false};
        std::function<void(Result<void>)> finish; ///< wakes who awaits it; to be called once
    };
    /// Called on the thread with two or more jobs that wait one behind the other and may be grouped; finishes them all.
    using Group = std::function<void(std::vector<Job>& jobs)>;

    /// `executor` is that of the loop, which outlives the thread.
    WorkThread(boost::asio::any_io_executor executor, Group group);
    WorkThread(const WorkThread&) = delete;
    WorkThread& operator=(const WorkThread&) = delete;
    /// Does what still waits, then ends the thread.
    ~WorkThread();

    /// Puts `work` behind what was asked before, at once, whether or not the answer is ever awaited. Called on the
    /// loop.
    [[nodiscard]] boost::asio::awaitable<Result<void>> perform(Work work, bool may_be_grouped = false);
    /// The same for work that has an answer; never grouped.
    template <class T>
    [[nodiscard]] boost::asio::awaitable<Result<T>> ask(std::function<Result<T>()> work) {
        auto value = std::make_shared<std::optional<T>>();
        auto done = perform([work = std::move(work), value]() -> Result<void> {
            auto answer = work();
            if (!answer) return fail(std::move(answer.error()));
            *value = std::move(*answer);
            return {};
        });
        return answer_of<T>(std::move(done), std::move(value));
    }

private:
    template <class T>
    static boost::asio::awaitable<Result<T>> answer_of(boost::asio::awaitable<Result<void>> done,
                                                       std::shared_ptr<std::optional<T>> value) {
        auto outcome = co_await std::move(done);
        if (!outcome) co_return fail(std::move(outcome.error()));
        co_return std::move(**value);
    }
    void run();

    boost::asio::any_io_executor executor_;
    Group group_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Job> waiting_;
    bool ending_{false};
    std::thread thread_; ///< last: it uses everything above
};

} // namespace mediarig
