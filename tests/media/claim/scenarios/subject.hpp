// SPDX-License-Identifier: GPL-3.0-or-later
/// A working mediarig: the agent's program over its connection, or the same server and Linux backend in a child, whose
/// discovery halts at every call so that the scenario can act in between.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>

#include "host/base/descriptor.hpp"
#include "tests/json.hpp"

namespace mediarig::claim_scenarios {

/// A halt of the subject: "before" or "after" a call of its discovery, counted from 0 in each request.
struct Halt {
    int call{};
    bool after{};
};

class Subject {
public:
    /// `program` empty: a child of this process. Must be called before the scenario opens anything.
    explicit Subject(const std::string& program);
    ~Subject();
    Subject(const Subject&) = delete;
    Subject& operator=(const Subject&) = delete;

    [[nodiscard]] bool halts() const { return bool(hooks_); }
    [[nodiscard]] pid_t process() const { return process_; }
    /// Sends a request and waits for the answer. At each halt `at_halt` is called before the subject continues.
    /// `in_the_middle` is called once after `delay_us` if there is no answer yet. Returns the answer's "result" or
    /// "error", or nothing if the subject died or did not answer for 60 s.
    [[nodiscard]] std::optional<nlohmann::json> ask(const std::string& method, const nlohmann::json& params,
                                                    const std::function<void(const Halt&)>& at_halt = {},
                                                    int delay_us = -1, const std::function<void()>& in_the_middle = {});
    /// Closes the connection and waits for the process. Returns "", or the fault of its end.
    [[nodiscard]] std::string finish();

private:
    [[nodiscard]] std::optional<nlohmann::json> next_answer(int id);
    Descriptor line_, hooks_;
    pid_t process_{-1};
    std::string heard_;
    int next_id_{1}, calls_{0};
};

/// "ok", or "refused: why".
[[nodiscard]] std::string outcome_of(const std::optional<nlohmann::json>& answer);
/// The name of the error's class ("refused"), empty for a success.
[[nodiscard]] std::string error_class_of(const std::optional<nlohmann::json>& answer);

} // namespace mediarig::claim_scenarios
