// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/card/medium_request.hpp"

#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::lab;

namespace {

template <class T>
T returned(T request) {
    const auto parsed = parse_model_request(model_request_line({7, std::move(request)}));
    REQUIRE(parsed);
    CHECK(parsed->id == 7);
    REQUIRE(std::holds_alternative<T>(parsed->request));
    return std::get<T>(parsed->request);
}

} // namespace

TEST_CASE("each request to a card model is the same after its text form") {
    const CardOverrides overrides{
        .claimed = 3_MiB, .real = 1_MiB, .start_value = 9, .joins_within = std::chrono::nanoseconds(40)};
    const StartModel start = returned(StartModel{"a", "{}", "a.card", overrides});
    CHECK(start.card == "a");
    CHECK(start.config == "{}");
    CHECK(start.backing == "a.card");
    CHECK(start.overrides == overrides);
    CHECK(returned(StartModel{"a", "{}", "a.card", {}}).overrides == CardOverrides{});
    CHECK(returned(StopModel{"b"}).card == "b");
    const AttachModel attach = returned(AttachModel{"c", 255, "{\"serial\":\"x\"}"});
    CHECK(attach.number == 255);
    CHECK(attach.identity == "{\"serial\":\"x\"}");
    CHECK(returned(DetachModel{"d"}).card == "d");
    CHECK(returned(OrderModel{"e", "{\"command\":\"stats\"}"}).command == "{\"command\":\"stats\"}");
}

TEST_CASE("answers and failures of the storage are the same after their text form") {
    const auto good = parse_model_message(model_message_line(ModelAnswer{3, std::string("1024")}));
    REQUIRE(good);
    CHECK(std::get<ModelAnswer>(*good).id == 3);
    CHECK(std::get<ModelAnswer>(*good).text == "1024");
    const auto bad = parse_model_message(model_message_line(ModelAnswer{4, fail(Errc::refused, "it is on")}));
    REQUIRE(bad);
    REQUIRE_FALSE(std::get<ModelAnswer>(*bad).text);
    CHECK(std::get<ModelAnswer>(*bad).text.error() == Error{Errc::refused, "it is on"});
    const auto failure = parse_model_message(model_message_line(StorageFailure{"a", "disk full"}));
    REQUIRE(failure);
    CHECK(std::get<StorageFailure>(*failure).card == "a");
    CHECK(std::get<StorageFailure>(*failure).reason == "disk full");
}

TEST_CASE("an invalid line of the guest is a bad format") {
    for (const char* line : {"", "[]", "{}", R"({"id":1,"request":"stop"})", R"({"id":1,"request":"jump","card":"a"})",
                             R"({"id":"x","request":"stop","card":"a"})"}) {
        const auto request = parse_model_request(line);
        REQUIRE_FALSE(request);
        CHECK(request.error().code == Errc::bad_format);
    }
    for (const char* line :
         {"", "{}", R"({"id":1})", R"({"id":1,"ok":true})", R"({"id":1,"ok":false})", R"({"storage_failed":"a"})"}) {
        const auto message = parse_model_message(line);
        REQUIRE_FALSE(message);
        CHECK(message.error().code == Errc::bad_format);
    }
}
