// SPDX-License-Identifier: GPL-3.0-or-later
/// One serial line of a guest in virtual time, as a pair of sockets. All methods run on its executor.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "host/base/descriptor.hpp"
#include "host/base/result.hpp"
#include "host/lab/qmp/unix_socket.hpp"
#include "host/lab/virtual/owed_answers.hpp"

namespace mediarig::lab {

class GuestLine : public std::enable_shared_from_this<GuestLine> {
public:
    using Receiver = std::function<void(std::string_view bytes)>;

    /// `on_sent` is called after bytes were written to the guest. Fails with io_failed.
    [[nodiscard]] static Result<std::shared_ptr<GuestLine>> make(const boost::asio::any_io_executor& executor,
                                                                 LineIds ids, std::function<void()> on_sent);

    /// Descriptor for the guest's process.
    [[nodiscard]] int guest_end() const { return guest_end_.get(); }
    /// Begins to receive. Bytes without a receiver are dropped.
    void start();
    void on_received(Receiver receiver) { receiver_ = std::move(receiver); }
    void send(std::string_view bytes);
    /// Receives everything that the guest has written so far.
    void drain();
    /// True if the guest has not answered a request on this line.
    [[nodiscard]] bool owes() const { return owed_.any(); }
    /// True if the guest has not read everything.
    [[nodiscard]] bool has_unread() const;
    void close();

private:
    GuestLine(UnixSocket socket, Descriptor guest_end, LineIds ids, std::function<void()> on_sent);
    boost::asio::awaitable<void> read();
    boost::asio::awaitable<void> write_rest();
    void write_now();

    UnixSocket socket_;
    Descriptor guest_end_; ///< kept open: the guest would see the end of the line otherwise
    OwedAnswers owed_;
    std::function<void()> on_sent_;
    Receiver receiver_;
    std::string unsent_;
    bool writing_{false};
};

} // namespace mediarig::lab
