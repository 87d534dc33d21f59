// SPDX-License-Identifier: GPL-3.0-or-later
#include <future>

#include "host/agent/server/output_queue.hpp"
#include "tests/catch.hpp"

using namespace mediarig::agent;

TEST_CASE("output queue: lines leave in FIFO order, in pieces of whole lines") {
    OutputQueue queue(1000);
    CHECK(queue.take().empty());
    queue.push("one\n");
    CHECK(queue.push_blocking("two\n"));
    CHECK(queue.push_if_idle("three\n"));
    CHECK(queue.bytes() == 14);
    CHECK(queue.take() == "one\ntwo\nthree\n");
    CHECK(queue.bytes() == 0);
    const std::string big(300'000, 'x');
    queue.push(big);
    queue.push("next\n");
    CHECK(queue.take() == big);
    CHECK(queue.take() == "next\n");
}

TEST_CASE("output queue: a producer of results waits for free space and exceeds the limit by one line at most") {
    OutputQueue queue(100);
    constexpr int lines = 2000;
    auto producer = std::async(std::launch::async, [&] {
        bool all = true;
        for (int i = 0; i < lines; ++i) all = queue.push_blocking("123456789\n") && all;
        return all;
    });
    std::size_t taken = 0;
    std::size_t most = 0;
    while (taken < lines * 10) {
        most = std::max(most, queue.bytes());
        taken += queue.take().size();
    }
    CHECK(producer.get());
    CHECK(taken == lines * 10);
    CHECK(most <= 109);
}

TEST_CASE("output queue: answers never wait, and progress is dropped under load") {
    OutputQueue queue(10);
    queue.push(std::string(70'000, 'x'));
    queue.push("answer\n");
    CHECK_FALSE(queue.push_if_idle("progress\n"));
    CHECK(queue.take() == std::string(70'000, 'x') + "answer\n");
    CHECK(queue.push_if_idle("progress\n"));
}

TEST_CASE("output queue: close wakes a waiting producer and drops the remaining lines") {
    OutputQueue queue(1);
    queue.push("full\n");
    auto waiting = std::async(std::launch::async, [&] { return queue.push_blocking("more\n"); });
    queue.close();
    CHECK_FALSE(waiting.get());
    queue.push("late\n");
    CHECK_FALSE(queue.push_if_idle("late\n"));
    CHECK_FALSE(queue.push_blocking("late\n"));
    CHECK(queue.take().empty());
}
