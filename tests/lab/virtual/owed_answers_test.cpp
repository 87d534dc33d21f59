// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/virtual/owed_answers.hpp"
#include "tests/catch.hpp"

using namespace mediarig::lab;

TEST_CASE("a guest owes an answer from the complete request to the answer with its id") {
    OwedAnswers owed(json_ids());
    owed.sent(R"({"id":1,"method":"devi)");
    CHECK_FALSE(owed.any());
    owed.sent("ces\"}\n");
    CHECK(owed.any());
    owed.received(R"({"method":"progress"})"
                  "\n");
    owed.received(R"({"id":2,"result":{}})"
                  "\n");
    CHECK(owed.any());
    owed.received(R"({"id":1,"error":{}})"
                  "\n");
    CHECK_FALSE(owed.any());
}

TEST_CASE("a notification to the guest expects no answer") {
    OwedAnswers owed(json_ids());
    owed.sent("{\"method\":\"cancel\"}\nnoise\n\n");
    CHECK_FALSE(owed.any());
}

TEST_CASE("the answer to a new controller ends the requests of the earlier one") {
    OwedAnswers owed(json_ids());
    owed.sent("{\"id\":1,\"method\":\"run\"}\n{\"id\":\"start-over-0a\",\"method\":\"start_over\"}\n");
    owed.received("{\"id\":\"start-over-0a\",\"result\":{}}\n");
    CHECK_FALSE(owed.any());
}

TEST_CASE("a request to a card model is a request") {
    OwedAnswers owed(json_ids());
    owed.sent("{\"id\":3,\"request\":\"stop\",\"card\":\"a\"}\n");
    CHECK(owed.any());
    owed.received("{\"storage_failed\":\"a\",\"reason\":\"full\"}\n");
    CHECK(owed.any());
    owed.received("{\"id\":3,\"ok\":true,\"text\":\"\"}\n");
    CHECK_FALSE(owed.any());
}

TEST_CASE("a guest owes the answer of its boot from the beginning") {
    OwedAnswers owed(shell_ids(), {"ready"});
    owed.sent("ab12 bHM=\n");
    CHECK(owed.contains("ready"));
    CHECK(owed.contains("ab12"));
    owed.received("ready 0 \n");
    CHECK_FALSE(owed.contains("ready"));
    CHECK(owed.any());
}

TEST_CASE("the first word of a shell's line is its id") {
    OwedAnswers owed(shell_ids());
    owed.sent("\nab12 bHM=\n");
    CHECK(owed.any());
    owed.received("other 0 \n");
    CHECK(owed.any());
    owed.received("ab12 0 \n");
    CHECK_FALSE(owed.any());
}
