// SPDX-License-Identifier: GPL-3.0-or-later
/// Requests on a line to the guest that the guest has not answered yet. In virtual time the guest runs only while it
/// owes an answer. Pure.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "host/base/async/line_framer.hpp"

namespace mediarig::lab {

struct LineRequest {
    std::string id;
    bool ends_earlier{}; ///< its answer is the last one to all earlier requests
};
/// Readers of lines; they return nothing if the line is no request or, in the other direction, no answer.
struct LineIds {
    std::optional<LineRequest> (*request)(std::string_view line);
    std::optional<std::string> (*answer)(std::string_view line);
};
/// JSON-RPC of the agent and requests to card models: "id", and "method" or "request" in a request.
[[nodiscard]] LineIds json_ids();
/// Lines of the guest's shell: the id is the first word. See host/lab/machine/guest_shell.hpp.
[[nodiscard]] LineIds shell_ids();

class OwedAnswers {
public:
    /// `at_boot`: ids of answers that the guest sends without a request.
    explicit OwedAnswers(LineIds ids, std::set<std::string> at_boot = {}) : ids_(ids), owed_(std::move(at_boot)) {}

    /// Call with all bytes in the order of their transfer, complete lines or not.
    void sent(std::string_view bytes);
    void received(std::string_view bytes);
    [[nodiscard]] bool any() const { return !owed_.empty(); }
    [[nodiscard]] bool contains(const std::string& id) const { return owed_.contains(id); }

private:
    LineIds ids_;
    agent::LineFramer to_guest_, from_guest_;
    std::set<std::string> owed_;
    std::string ending_; ///< id of the last request that ends the earlier ones
};

} // namespace mediarig::lab
