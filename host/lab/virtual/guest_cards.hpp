// SPDX-License-Identifier: GPL-3.0-or-later
/// Card models inside a guest in virtual time, through their serial line. All methods run on the executor of the line.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "host/base/async/event.hpp"
#include "host/base/async/line_framer.hpp"
#include "host/lab/card/emulated_card.hpp"
#include "host/lab/card/medium_request.hpp"
#include "host/lab/virtual/guest_line.hpp"

namespace mediarig::lab {

class GuestCards final : public CardStarter, public std::enable_shared_from_this<GuestCards> {
public:
    /// `media`: folder of this computer that the guest has mounted; backing files are in it. `on_storage_failure` gets
    /// one sentence.
    GuestCards(const boost::asio::any_io_executor& executor, std::shared_ptr<GuestLine> line,
               std::filesystem::path media, std::function<void(std::string)> on_storage_failure);

    /// Begins to receive answers.
    void listen();
    boost::asio::awaitable<Result<std::unique_ptr<EmulatedCard>>> start(CardMedium medium) override;
    /// Claimed size of a card that was started. Fails with bad_request.
    [[nodiscard]] Result<Bytes> size_of(const std::string& card) const;
    /// Returns the text of the answer. Fails with the error of the guest, or with rig_fault after end().
    [[nodiscard]] boost::asio::awaitable<Result<std::string>> ask(ModelRequest request);
    /// The machine has ended: current and later requests fail with `why`.
    void end(Error why);

private:
    void receive(std::string_view bytes);

    std::shared_ptr<GuestLine> line_;
    std::filesystem::path media_;
    std::function<void(std::string)> on_storage_failure_;
    agent::LineFramer framer_;
    Event changed_;
    std::uint64_t last_id_{0};
    std::map<std::uint64_t, Result<std::string>> answers_;
    std::map<std::string, Bytes> sizes_;
    std::optional<Error> ended_;
};

} // namespace mediarig::lab
