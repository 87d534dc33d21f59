// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/rig/cable.hpp"

#include <fcntl.h>
#include <pty.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/write.hpp>
#include <stdexcept>

#include "host/base/async/as_values.hpp"
#include "host/rig/serial/open_line.hpp"

namespace mediarig::rig {
namespace asio = boost::asio;

struct Cable::Ends {
    Ends(asio::io_context& io, int hosts_end, int boards_end) : host(io, hosts_end), board(io, boards_end) {}
    asio::posix::stream_descriptor host, board;
    void close() {
        boost::system::error_code ignored;
        host.close(ignored);
        board.close(ignored);
    }
};

namespace {

asio::awaitable<void> carry([[maybe_unused]] std::shared_ptr<void> owner, asio::posix::stream_descriptor& from,
                            asio::posix::stream_descriptor& to,
                            const std::function<void(std::vector<std::uint8_t>&)>& changed) {
    std::array<std::uint8_t, 512> buffer{};
    while (from.is_open() && to.is_open()) {
        const auto [stopped, count] = co_await from.async_read_some(asio::buffer(buffer), as_values);
        if (stopped) break;
        std::vector<std::uint8_t> bytes(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(count));
        if (changed) changed(bytes);
        const auto [failed, written] = co_await asio::async_write(to, asio::buffer(bytes), as_values);
        if (failed) break;
    }
}

} // namespace

Cable::Cable(asio::io_context& io, const std::string& board, std::string link)
    : io_(io), board_(board), link_(std::move(link)) {
    plug();
}

Cable::~Cable() {
    pull();
}

void Cable::plug() {
    pull();
    int ours = -1;
    int theirs = -1;
    std::array<char, 128> name{};
    if (::openpty(&ours, &theirs, name.data(), nullptr, nullptr) != 0) throw std::runtime_error("no pty");
    termios raw{};
    ::tcgetattr(theirs, &raw);
    ::cfmakeraw(&raw);
    ::tcsetattr(theirs, TCSANOW, &raw);
    auto board = open_line(board_);
    if (!board) throw std::runtime_error(board.error().detail);
    ends_ = std::make_shared<Ends>(io_, ours, board->release());
    std::filesystem::create_symlink(name.data(), link_);
    asio::co_spawn(
        io_, [ends = ends_, this] { return carry(ends, ends->host, ends->board, to_board); }, asio::detached);
    asio::co_spawn(
        io_, [ends = ends_, this] { return carry(ends, ends->board, ends->host, from_board); }, asio::detached);
    // A pty master whose other side is not open yet reports an error: this end stays open until the host has connected.
    spare_ = theirs;
}

void Cable::pull() {
    if (spare_ >= 0) ::close(spare_);
    spare_ = -1;
    if (ends_) ends_->close();
    ends_.reset();
    std::error_code ignored;
    std::filesystem::remove(link_, ignored);
}

} // namespace mediarig::rig
