// SPDX-License-Identifier: GPL-3.0-or-later
/// A mediarig at work: the agent's program over its line, or the same server and Linux backend in a child of ours,
/// whose discovery halts at every call so that the scenario can go on meanwhile.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>

#include "host/base/descriptor.hpp"
#include "tests/json.hpp"

namespace mediarig::claim_scenarios {

/// The flag by which a user accepts a doubt about use: on the command line and in the protocol.
inline constexpr const char* doubt_flag = "--use-unknown";
inline constexpr const char* doubt_member = "use_unknown";

/// A halt of the subject: "before" or "after" a call of its discovery, counted from 0 in each request.
struct Halt {
    int call{};
    bool after{};
};

class Subject {
public:
    /// `program` empty: a child of this process. To be called before the scenario opens anything.
    explicit Subject(const std::string& program);
    ~Subject();
    Subject(const Subject&) = delete;
    Subject& operator=(const Subject&) = delete;

    [[nodiscard]] bool halts() const { return bool(hooks_); }
    [[nodiscard]] pid_t process() const { return process_; }
    /// Asks and waits for the answer. At each halt `at_halt` is called before the subject goes on; `in_the_middle`
    /// once, when `delay_us` have passed, if no answer is there by then. The answer's "result" or "error"; nothing
    /// where the subject died or said nothing for 60 s.
    [[nodiscard]] std::optional<nlohmann::json> ask(const std::string& method, const nlohmann::json& params,
                                                    const std::function<void(const Halt&)>& at_halt = {},
                                                    int delay_us = -1, const std::function<void()>& in_the_middle = {});
    /// Ends the line and waits for the process: "", or what was wrong with its end.
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
/// The name of the error's class ("refused"), empty where the answer is a good one.
[[nodiscard]] std::string error_class_of(const std::optional<nlohmann::json>& answer);

} // namespace mediarig::claim_scenarios
