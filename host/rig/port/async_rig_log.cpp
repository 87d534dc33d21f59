// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/rig/port/async_rig_log.hpp"

namespace mediarig::rig {
namespace {

template <class T>
boost::asio::awaitable<Result<T>> at_once(Result<T> answer) {
    co_return answer;
}

} // namespace

AsyncRigLog::AsyncRigLog(std::shared_ptr<RigLog> log, boost::asio::any_io_executor executor)
    : log_(std::move(log)), thread_(std::in_place, std::move(executor), WorkThread::Group{}) {}

AsyncRigLog::AsyncRigLog(RigLog& log) : log_(std::shared_ptr<RigLog>(), &log) {}

auto AsyncRigLog::write(WorkThread::Work work) -> Answer<void> {
    return thread_ ? thread_->perform(std::move(work)) : at_once(work());
}

template <class T>
auto AsyncRigLog::ask(std::function<Result<T>()> work) -> Answer<T> {
    return thread_ ? thread_->ask<T>(std::move(work)) : at_once(work());
}

auto AsyncRigLog::open(const std::string& board) -> Answer<std::uint32_t> {
    return ask<std::uint32_t>([log = log_, board] { return log->open(board); });
}

auto AsyncRigLog::intend(const Intent& intent) -> Answer<std::uint32_t> {
    return ask<std::uint32_t>([log = log_, intent] { return log->intend(intent); });
}

auto AsyncRigLog::pass_over(std::uint32_t job) -> Answer<void> {
    return write([log = log_, job] { return log->pass_over(job); });
}

auto AsyncRigLog::resolve(std::uint32_t job, LoggedJob::State state, rigproto::Fault fault, std::uint8_t detail)
    -> Answer<void> {
    return write([log = log_, job, state, fault, detail] { return log->resolve(job, state, fault, detail); });
}

auto AsyncRigLog::latest(std::size_t count) -> Answer<std::vector<LoggedJob>> {
    return ask<std::vector<LoggedJob>>([log = log_, count] { return log->latest(count); });
}

auto AsyncRigLog::keep(const LoggedEvent& event) -> Answer<void> {
    return write([log = log_, event] { return log->keep(event); });
}

auto AsyncRigLog::newest_event() -> Answer<std::pair<std::uint32_t, std::uint32_t>> {
    return ask<std::pair<std::uint32_t, std::uint32_t>>([log = log_] { return log->newest_event(); });
}

auto AsyncRigLog::begin_epoch() -> Answer<std::uint32_t> {
    return ask<std::uint32_t>([log = log_] { return log->begin_epoch(); });
}

} // namespace mediarig::rig
