// SPDX-License-Identifier: GPL-3.0-or-later
// Takes any bytes of a peer. Frames do not depend on how the bytes are split into pieces. A message is parsed or
// refused, and a parsed message survives a round trip. Notifications are passed to the client's parser.
#include <algorithm>
#include <cstdlib>

#include "host/agent/client/agent_client.hpp"
#include "host/agent/protocol/message.hpp"
#include "host/base/async/line_framer.hpp"

using namespace mediarig::agent;

namespace {

std::vector<FramedLine> frames_of(std::string_view bytes, std::size_t piece) {
    LineFramer framer(512);
    std::vector<FramedLine> frames;
    while (!bytes.empty()) {
        framer.push(bytes.substr(0, piece));
        bytes.remove_prefix(std::min(piece, bytes.size()));
        while (auto frame = framer.next()) {
            // The kept text of an oversized line depends on how the bytes were split, so it is not compared.
            if (frame->kind == FramedLine::Kind::oversized) frame->text.clear();
            frames.push_back(std::move(*frame));
        }
    }
    return frames;
}

template <class T>
void survives(const T& message) {
    std::string line = serialise(message);
    line.pop_back();
    const auto again = parse_message(line);
    if (!again || serialise(std::get<T>(*again)) != line + "\n") std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const auto frames = frames_of(bytes, bytes.size());
    if (frames != frames_of(bytes, 1) || frames != frames_of(bytes, 7)) std::abort();

    RunNotifications heard{RunHandlers{}};
    for (const FramedLine& frame : frames) {
        if (frame.kind == FramedLine::Kind::oversized) continue;
        const auto message = parse_message(frame.text);
        if (!message) continue;
        std::visit([](const auto& parsed) { survives(parsed); }, *message);
        if (const auto* response = std::get_if<Response>(&*message)) {
            if (response->outcome)
                (void)hello_report_from_json(*response->outcome);
            else
                (void)from_rpc(response->outcome.error());
        }
        if (const auto* notification = std::get_if<Notification>(&*message))
            if (RunNotifications::knows(notification->method))
                (void)heard.hear(notification->method, notification->params);
    }
    return 0;
}
