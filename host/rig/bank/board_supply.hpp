// SPDX-License-Identifier: GPL-3.0-or-later
/// A switched port of the rig's board, with voltage measurement by the board.
#pragma once

#include <memory>

#include "host/rig/bank/supply.hpp"
#include "host/rig/port/board.hpp"

namespace mediarig::rig {

class BoardSupply final : public Supply {
public:
    /// `board` outlives this object. `guarded`: shared by all supplies of this board.
    BoardSupply(Board& board, PortIndex port, std::shared_ptr<PortSet> guarded)
        : board_(board), port_(port), guarded_(std::move(guarded)) {}

    Answer<bool> is_on() override;
    Answer<bool> holds_medium() override;
    Answer<Ramp> on() override;
    Answer<Evidence> off(const std::string& disk) override;
    Answer<void> keep_on() override;
    boost::asio::awaitable<std::optional<Error>> rig_fault() override;
    DetachLevel attempts() const override { return DetachLevel::supply_cut; }
    std::string description() const override;

private:
    Answer<rigproto::StatusReply> status();
    Answer<void> guard();

    Board& board_;
    PortIndex port_;
    std::shared_ptr<PortSet> guarded_;
};

} // namespace mediarig::rig
