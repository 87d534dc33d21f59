// SPDX-License-Identifier: GPL-3.0-or-later
/// Passes any bytes to both ends of a campaign's socket. An accepted event survives a round trip. A request is one of
/// the three known requests, or is refused in one line.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "host/campaign/events/feed.hpp"
#include "host/campaign/events/request.hpp"

namespace {

bool is_one_line(const std::string& text) {
    return !text.empty() && text.find('\n') == std::string::npos;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace mediarig;
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const auto request = events::parse_request(bytes);
    if (!request && !is_one_line(request.error().detail)) std::abort();
    if (request) {
        const std::string again = events::line_of(*request);
        if (events::parse_request(std::string_view(again).substr(0, again.size() - 1)) != *request) std::abort();
    }

    events::Feed feed;
    if (!feed.take(events::line_of(events::Greeting{"c", 0}))) std::abort();
    const auto taken = feed.take(bytes);
    if (!taken) {
        if (taken.error().detail.empty()) std::abort();
        return 0;
    }
    for (const campaign::SessionEvent& event : *taken) {
        const std::string line = events::line_of(event);
        if (line.find('\n') != line.size() - 1) std::abort();
        const auto again = feed.take(line);
        if (!again || again->size() != 1 || events::line_of(again->front()) != line) std::abort();
    }
    return 0;
}
