// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/qmp/qmp_client.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "host/base/async/as_values.hpp"
#include "host/base/async/line_framer.hpp"

namespace mediarig::lab {
namespace asio = boost::asio;
using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

constexpr std::size_t most_events = 256;

} // namespace

class QmpClient::Connection : public std::enable_shared_from_this<Connection> {
public:
    explicit Connection(UnixSocket socket)
        : socket_(std::move(socket)), changed_(socket_.get_executor(), steady_clock::time_point::max()) {}

    void start() {
        asio::co_spawn(
            socket_.get_executor(), [self = shared_from_this()] { return self->read(); }, asio::detached);
    }
    asio::awaitable<Result<json>> execute(QmpCommand command, milliseconds within);
    asio::awaitable<Result<QmpEvent>> wait_for(std::function<bool(const QmpEvent&)> fits, std::string what,
                                               milliseconds within);
    asio::awaitable<Result<void>> greeted(milliseconds within);
    void end(Error why) {
        if (!ended_) ended_ = std::move(why);
        boost::system::error_code ignored;
        socket_.close(ignored);
        changed_.cancel();
        outbox_.clear();
    }
    std::string version;

private:
    asio::awaitable<void> read();
    asio::awaitable<void> write();
    /// Returns the protocol error, if any.
    std::optional<Error> receive(const agent::FramedLine& frame);
    /// Waits until data arrives, the connection ends, or `until`. Returns false after `until`.
    asio::awaitable<bool> change(steady_clock::time_point until);

    UnixSocket socket_;
    agent::LineFramer framer_;
    /// Per pending command: empty until its answer arrives.
    std::map<std::uint64_t, std::optional<Result<json>>> pending_;
    std::map<std::uint64_t, std::string> names_;
    std::deque<QmpEvent> events_;
    std::deque<std::string> outbox_;
    bool writing_{false};
    asio::steady_timer changed_; ///< never expires; cancelled to wake all waiting coroutines
    std::uint64_t last_id_{0};
    std::optional<Error> ended_;
};

asio::awaitable<bool> QmpClient::Connection::change(steady_clock::time_point until) {
    if (steady_clock::now() >= until) co_return false;
    asio::steady_timer patience(socket_.get_executor(), until);
    // Wakes other coroutines too; each checks its condition again.
    patience.async_wait([self = shared_from_this()](boost::system::error_code stopped) {
        if (!stopped) self->changed_.cancel();
    });
    co_await changed_.async_wait(as_values);
    co_return true;
}

asio::awaitable<void> QmpClient::Connection::read() {
    const auto self = shared_from_this();
    std::array<char, 16384> buffer{};
    while (!ended_) {
        const auto [stopped, count] = co_await socket_.async_read_some(asio::buffer(buffer), as_values);
        if (stopped) break;
        framer_.push({buffer.data(), count});
        while (const auto frame = framer_.next())
            if (auto wrong = receive(*frame)) co_return end(std::move(*wrong));
        changed_.cancel();
    }
    end({Errc::rig_fault, "QEMU closed its control socket: the virtual machine has ended"});
}

std::optional<Error> QmpClient::Connection::receive(const agent::FramedLine& frame) {
    if (frame.kind == agent::FramedLine::Kind::oversized)
        return Error{Errc::bad_format, "QEMU's control socket sent a line longer than 8 MiB"};
    auto message = parse_qmp(frame.text);
    if (!message) return message.error();
    if (auto* greeting = std::get_if<QmpGreeting>(&*message)) {
        version = greeting->version;
    } else if (auto* event = std::get_if<QmpEvent>(&*message)) {
        events_.push_back(std::move(*event));
        if (events_.size() > most_events) events_.pop_front();
    } else if (auto* answer = std::get_if<QmpAnswer>(&*message)) {
        // An answer without a pending entry belongs to a command that timed out.
        const auto found = pending_.find(answer->id);
        if (found == pending_.end()) return std::nullopt;
        if (answer->outcome)
            found->second.emplace(std::move(*answer->outcome));
        else
            found->second.emplace(
                fail(Errc::rig_fault, fmt::format("QEMU refused {}: {}", names_[answer->id], answer->outcome.error())));
    }
    return std::nullopt;
}

asio::awaitable<void> QmpClient::Connection::write() {
    const auto self = shared_from_this();
    while (!outbox_.empty() && !ended_) {
        const std::string line = std::move(outbox_.front());
        outbox_.pop_front();
        const auto [stopped, count] = co_await asio::async_write(socket_, asio::buffer(line), as_values);
        // The reader detects and reports the end of the connection as well.
        if (stopped) break;
    }
    writing_ = false;
}

asio::awaitable<Result<json>> QmpClient::Connection::execute(QmpCommand command, milliseconds within) {
    const auto self = shared_from_this();
    if (ended_) co_return fail(*ended_);
    const std::uint64_t id = ++last_id_;
    names_[id] = command.execute;
    pending_[id];
    outbox_.push_back(serialise(command, id));
    if (!std::exchange(writing_, true))
        asio::co_spawn(
            socket_.get_executor(), [self] { return self->write(); }, asio::detached);

    const auto until = steady_clock::now() + within;
    std::optional<Result<json>> answer;
    while (true) {
        answer = std::move(pending_[id]);
        if (answer) break;
        if (ended_) {
            answer = fail(*ended_);
            break;
        }
        if (!co_await change(until)) {
            answer = fail(Errc::timed_out,
                          fmt::format("QEMU did not answer {} within {} ms", command.execute, within.count()));
            break;
        }
    }
    pending_.erase(id);
    names_.erase(id);
    co_return std::move(*answer);
}

asio::awaitable<Result<QmpEvent>> QmpClient::Connection::wait_for(std::function<bool(const QmpEvent&)> fits,
                                                                  std::string what, milliseconds within) {
    const auto self = shared_from_this();
    const auto until = steady_clock::now() + within;
    while (true) {
        const auto found = std::find_if(events_.begin(), events_.end(), fits);
        if (found != events_.end()) {
            QmpEvent event = std::move(*found);
            events_.erase(found);
            co_return event;
        }
        if (ended_) co_return fail(*ended_);
        if (!co_await change(until))
            co_return fail(Errc::timed_out, fmt::format("QEMU did not report {} within {} ms", what, within.count()));
    }
}

asio::awaitable<Result<void>> QmpClient::Connection::greeted(milliseconds within) {
    const auto self = shared_from_this();
    const auto until = steady_clock::now() + within;
    while (version.empty()) {
        if (ended_) co_return fail(*ended_);
        if (!co_await change(until))
            co_return fail(Errc::timed_out, "QEMU's control socket sent no greeting: its peer is not QEMU");
    }
    QmpCommand negotiate{"qmp_capabilities"};
    auto negotiated = co_await execute(std::move(negotiate), within);
    if (!negotiated) co_return fail(std::move(negotiated.error()));
    co_return Result<void>{};
}

QmpClient::QmpClient(std::shared_ptr<Connection> connection) : connection_(std::move(connection)) {}

QmpClient::~QmpClient() {
    close();
}

asio::awaitable<Result<std::unique_ptr<QmpClient>>> QmpClient::open(UnixSocket socket, milliseconds within) {
    std::unique_ptr<QmpClient> client(new QmpClient(std::make_shared<Connection>(std::move(socket))));
    client->connection_->start();
    if (auto greeted = co_await client->connection_->greeted(within); !greeted)
        co_return fail(std::move(greeted.error()));
    co_return std::move(client);
}

asio::awaitable<Result<json>> QmpClient::execute(QmpCommand command, milliseconds within) {
    return connection_->execute(std::move(command), within);
}

asio::awaitable<Result<QmpEvent>> QmpClient::wait_for(std::function<bool(const QmpEvent&)> fits, std::string what,
                                                      milliseconds within) {
    return connection_->wait_for(std::move(fits), std::move(what), within);
}

const std::string& QmpClient::version() const {
    return connection_->version;
}

void QmpClient::close() {
    connection_->end({Errc::rig_fault, "the control socket of QEMU was closed"});
}

} // namespace mediarig::lab
