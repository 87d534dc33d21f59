// SPDX-License-Identifier: GPL-3.0-or-later
/// A thread that does blocking work for the coroutines of one loop, in the order of their requests.
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
        std::function<void(Result<void>)> finish; ///< resumes the waiting coroutine; must be called exactly once
    };
    /// Called on the thread with two or more consecutive jobs that may be grouped; must finish them all.
    using Group = std::function<void(std::vector<Job>& jobs)>;

    /// `executor`: the executor of the loop, which must outlive the thread.
    WorkThread(boost::asio::any_io_executor executor, Group group);
    WorkThread(const WorkThread&) = delete;
    WorkThread& operator=(const WorkThread&) = delete;
    /// Completes all queued work, then ends the thread.
    ~WorkThread();

    /// Queues `work` immediately, even if the result is never awaited. Called on the loop.
    [[nodiscard]] boost::asio::awaitable<Result<void>> perform(Work work, bool may_be_grouped = false);
    /// Like perform(), for work with a result; never grouped.
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
    std::thread thread_; ///< the last member, because the thread uses all members above
};

} // namespace mediarig
