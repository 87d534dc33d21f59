// SPDX-License-Identifier: GPL-3.0-or-later
/// One serial line of a guest in virtual time, as a pair of sockets. Bytes are transferred only while the guest's clock
/// is stopped: otherwise the guest's time of a transfer would depend on the speed of this computer.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "host/base/descriptor.hpp"
#include "host/base/result.hpp"
#include "host/lab/virtual/owed_answers.hpp"

namespace mediarig::lab {

class GuestLine {
public:
    using Receiver = std::function<void(std::string_view bytes)>;

    /// `on_queued` is called by send(). Fails with io_failed.
    [[nodiscard]] static Result<std::shared_ptr<GuestLine>> make(OwedAnswers owed, std::function<void()> on_queued);

    /// Descriptor for the guest's process.
    [[nodiscard]] int guest_end() const { return guest_end_.get(); }
    /// Bytes without a receiver are dropped.
    void on_received(Receiver receiver) { receiver_ = std::move(receiver); }
    /// Queues the bytes for the next deliver().
    void send(std::string_view bytes);
    /// Receives everything that the guest has written so far. Returns true if it has written.
    bool drain();
    /// Writes queued bytes as far as the guest's buffer has space. Returns true if it had.
    bool deliver();
    /// True if the guest has not answered a request on this line.
    [[nodiscard]] bool owes() const { return owed_.any(); }
    [[nodiscard]] bool owes(const std::string& id) const { return owed_.contains(id); }
    void close();

private:
    GuestLine(Descriptor own_end, Descriptor guest_end, OwedAnswers owed, std::function<void()> on_queued);

    Descriptor own_end_;
    Descriptor guest_end_; ///< kept open: the guest would see the end of the line otherwise
    OwedAnswers owed_;
    std::function<void()> on_queued_;
    Receiver receiver_;
    std::string queued_;
};

} // namespace mediarig::lab
