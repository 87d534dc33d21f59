// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/base/async/work_thread.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <exception>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "host/base/async/event.hpp"

namespace mediarig {
namespace {

namespace asio = boost::asio;

/// State of one waiting coroutine. Used only on the loop of that coroutine.
struct Ticket {
    explicit Ticket(const asio::any_io_executor& executor) : until_done(executor), done(executor) {}
    asio::executor_work_guard<asio::any_io_executor> until_done; ///< keeps the loop running until the work is done
    Event done;
    std::optional<Result<void>> outcome;
};

/// An exception thrown by a library fails only this piece of work, not the process.
Result<void> caught(const WorkThread::Work& work) {
    try {
        return work();
    } catch (const std::exception& thrown) {
        return fail(Errc::store_failed, std::string("could not run:  ") + thrown.what());
    }
}

asio::awaitable<Result<void>> outcome_of(std::shared_ptr<Ticket> ticket) {
    while (!ticket->outcome) co_await ticket->done.wait();
    co_return std::move(*ticket->outcome);
}

} // namespace

WorkThread::WorkThread(asio::any_io_executor executor, Group group)
    : executor_(std::move(executor)), group_(std::move(group)), thread_([this] { run(); }) {}

WorkThread::~WorkThread() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    changed_.notify_one();
    thread_.join();
}

asio::awaitable<Result<void>> WorkThread::perform(Work asked, bool may_be_grouped) {
    Work work = [asked = std::move(asked)] { return caught(asked); };
    auto ticket = std::make_shared<Ticket>(executor_);
    auto finish = [executor = executor_, ticket](Result<void> outcome) {
        asio::post(executor, [ticket, outcome = std::move(outcome)]() mutable {
            ticket->outcome = std::move(outcome);
            ticket->done.notify();
            ticket->until_done.reset();
        });
    };
    {
        const std::lock_guard lock(mutex_);
        waiting_.push_back({std::move(work), may_be_grouped, std::move(finish)});
    }
    changed_.notify_one();
    return outcome_of(std::move(ticket));
}

void WorkThread::run() {
    while (true) {
        std::vector<Job> jobs;
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [&] { return ending_ || !waiting_.empty(); });
            if (waiting_.empty()) return;
            do {
                jobs.push_back(std::move(waiting_.front()));
                waiting_.pop_front();
            } while (jobs.back().may_be_grouped && !waiting_.empty() && waiting_.front().may_be_grouped);
        }
        if (jobs.size() == 1)
            jobs.front().finish(jobs.front().work());
        else
            group_(jobs);
    }
}

} // namespace mediarig
