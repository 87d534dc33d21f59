// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/agent/server/worker.hpp"

#include <boost/asio/post.hpp>
#include <exception>
#include <string>
#include <utility>

namespace mediarig::agent {

namespace asio = boost::asio;

Worker::Worker(asio::io_context& io, const MakeBackend& make, ClaimNumbers& numbers)
    : io_(io), make_(make), numbers_(numbers) {}

Methods& Worker::methods() {
    if (!methods_) {
        backend_ = make_(stop_work_);
        methods_ = std::make_unique<Methods>(*backend_, numbers_);
    }
    return *methods_;
}

void Worker::begin(std::shared_ptr<Work> work, std::function<void(Answer)> done) {
    stop_work_ = false;
    at_work_ = work;
    asio::post(thread_, [this, work = std::move(work), done = std::move(done)]() mutable {
        auto answer = methods().call(work->request.method, work->request.params, work->control, *work->feed);
        asio::post(io_, [this, work = std::move(work), done = std::move(done), answer = std::move(answer)]() mutable {
            finished(work, answer);
            done(std::move(answer));
        });
    });
}

void Worker::finished(const std::shared_ptr<Work>& work, const Answer& answer) {
    at_work_.reset();
    if (!answer) return;
    if (work->request.method == "claim") claim_ = answer->at("claim").get<std::uint64_t>();
    if (work->request.method == "release") claim_.reset();
}

void Worker::cancel() {
    if (at_work_) at_work_->control.cancel = true;
    stop_work_ = true;
}

void Worker::clean_up(std::function<void(Result<void>)> done) {
    stop_work_ = true;
    asio::post(thread_, [this, done = std::move(done)]() mutable {
        Result<void> released;
        if (methods_) {
            try {
                released = methods_->release_all();
            } catch (const std::exception& thrown) {
                released = fail(Errc::host_fault, std::string("the agent could not release: ") + thrown.what());
            }
        }
        asio::post(io_,
                   [done = std::move(done), released = std::move(released)]() mutable { done(std::move(released)); });
    });
}

} // namespace mediarig::agent
