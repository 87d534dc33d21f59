// SPDX-License-Identifier: GPL-3.0-or-later
/// A cable between host and board that can be unplugged: bytes are forwarded to the board's port while it is plugged
/// in. Each time it is plugged in, the host's end is another pty under the same name, as after an enumeration.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace mediarig::rig {

class Cable {
public:
    Cable(boost::asio::io_context& io, const std::string& board, std::string link);
    ~Cable();

    void plug();
    void pull();
    /// Receives the bytes to or from the board, and may change or drop them, in pieces as they arrive.
    std::function<void(std::vector<std::uint8_t>&)> to_board, from_board;

private:
    struct Ends;
    boost::asio::io_context& io_;
    std::string board_, link_;
    std::shared_ptr<Ends> ends_;
    int spare_{-1};
};

} // namespace mediarig::rig
