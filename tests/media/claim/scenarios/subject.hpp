// SPDX-License-Identifier: GPL-3.0-or-later
/// A mediarig under test: the agent program over a connection, or the same server with the Linux backend in a child
/// process. The discovery of that child halts at every call, so that the scenario can make changes.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>

#include "host/base/descriptor.hpp"
#include "tests/json.hpp"

namespace mediarig::claim_scenarios {

/// The flag by which a user accepts a doubt about the use: on the command line and in the protocol.
inline constexpr const char* doubt_flag = "--use-unknown";
inline constexpr const char* doubt_member = "use_unknown";

/// A halt of the subject: "before" or "after" a call of its discovery, counted from 0 in each request.
struct Halt {
    int call{};
    bool after{};
};

class Subject {
public:
    /// If `program` is empty, starts a child process. Call this before the scenario opens any file.
    explicit Subject(const std::string& program);
    ~Subject();
    Subject(const Subject&) = delete;
    Subject& operator=(const Subject&) = delete;

    [[nodiscard]] bool halts() const { return bool(hooks_); }
    [[nodiscard]] pid_t process() const { return process_; }
    /// Sends a request and waits for the answer. Calls `at_halt` at each halt before the subject continues, and
    /// `in_the_middle` once if there is no answer after `delay_us`. Returns the answer's "result" or "error"; empty if
    /// the subject died or did not answer within 60 s.
    [[nodiscard]] std::optional<nlohmann::json> ask(const std::string& method, const nlohmann::json& params,
                                                    const std::function<void(const Halt&)>& at_halt = {},
                                                    int delay_us = -1, const std::function<void()>& in_the_middle = {});
    /// Ends the connection and waits for the process. Returns "" or a description of its abnormal end.
    [[nodiscard]] std::string finish();

private:
    [[nodiscard]] std::optional<nlohmann::json> next_answer(int id);
    Descriptor line_, hooks_;
    pid_t process_{-1};
    std::string heard_;
    int next_id_{1}, calls_{0};
};

/// Text of an answer: "ok", or "refused: REASON".
[[nodiscard]] std::string outcome_of(const std::optional<nlohmann::json>& answer);
/// Name of the error class ("refused"); empty for a successful answer.
[[nodiscard]] std::string error_class_of(const std::optional<nlohmann::json>& answer);

} // namespace mediarig::claim_scenarios
