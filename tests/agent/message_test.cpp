// SPDX-License-Identifier: GPL-3.0-or-later
#include <string>

#include "host/agent/protocol/message.hpp"
#include "host/agent/protocol/samples.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::agent;
using nlohmann::json;

namespace {

std::string said(const tl::expected<RpcMessage, InvalidMessage>& parsed) {
    if (parsed) return "message";
    return std::to_string(static_cast<int>(parsed.error().error.code)) + " " + parsed.error().error.message + " for " +
           parsed.error().id.dump();
}

} // namespace

TEST_CASE("messages: the error for an invalid line contains the reason and the request id") {
    struct Row {
        std::string line;
        const char* said;
    };
    const std::string no_json = "-32700 the line is not JSON in UTF-8 for null";
    const Row rows[] = {
        {"{", "-32700 the line is not JSON in UTF-8 for null"},
        {"hello", "-32700 the line is not JSON in UTF-8 for null"},
        {R"({"jsonrpc":"2.0","id":1,"method":"devices"} x)", "-32700 the line is not JSON in UTF-8 for null"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\xfe\"}", "-32700 the line is not JSON in UTF-8 for null"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xc0\xaf\"}", "-32700 the line is not JSON in UTF-8 for null"},
        {R"({"jsonrpc":"2.0","id":1e999,"method":"a"})", "-32700 the line is not JSON in UTF-8 for null"},
        {R"({"jsonrpc":"2.0","id":1,"method":"a"})" + std::string(1, '\0') + "x",
         "-32700 the line contains a NUL byte: send one JSON text per line, in UTF-8 for null"},
        {std::string(65, '[') + std::string(65, ']'), "-32700 the line nests deeper than 64 levels for null"},
        {std::string(4'000'000, '['), "-32700 the line nests deeper than 64 levels for null"},
        {"7", "-32600 a message is a JSON object for null"},
        {"\"text\"", "-32600 a message is a JSON object for null"},
        {R"([{"jsonrpc":"2.0","id":1,"method":"a"}])",
         "-32600 batches are not supported: send one message per line for null"},
        {"{}", "-32600 jsonrpc: must be \"2.0\" for null"},
        {R"({"id":9,"method":"a"})", "-32600 jsonrpc: must be \"2.0\" for 9"},
        {R"({"jsonrpc":2.0,"id":"x","method":"a"})", "-32600 jsonrpc: must be \"2.0\" for \"x\""},
        {R"({"jsonrpc":"2.0","id":9})", "-32600 method: missing for 9"},
        {R"({"jsonrpc":"2.0","id":9,"method":7})", "-32600 method: must be a string for 9"},
        {R"({"jsonrpc":"2.0","id":9,"method":"a","params":3})", "-32600 params: must be an object for 9"},
        {R"({"jsonrpc":"2.0","id":null,"method":"a"})", "-32600 id: must be an integer or a string for null"},
        {R"({"jsonrpc":"2.0","id":1.5,"method":"a"})", "-32600 id: must be an integer or a string for null"},
        {R"({"jsonrpc":"2.0","id":{},"method":"a"})", "-32600 id: must be an integer or a string for null"},
        {R"({"jsonrpc":"2.0","id":1,"result":1,"error":{}})", "-32600 a response has either result or error for 1"},
        {R"({"jsonrpc":"2.0","result":1})", "-32600 id: must be an integer or a string for null"},
        {R"({"jsonrpc":"2.0","id":1,"error":{"code":"x","message":"m"}})",
         "-32600 error: needs an integer code and a string message for 1"},
        {R"({"jsonrpc":"2.0","id":1,"error":7})", "-32600 error: needs an integer code and a string message for 1"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.line.substr(0, 100));
        CHECK(said(parse_message(row.line)) == row.said);
    }
}

TEST_CASE("messages: a request keeps all members, with a number or text as id") {
    for (const json& id : {json(7), json(-7), json(std::uint64_t(18446744073709551615u)), json("seven"), json("")}) {
        const RpcRequest request{id, "claim", {{"target", "/dev/sdx"}, {"confirm", "line\nbreak \"quoted\" ümlaut"}}};
        const std::string line = serialise(request);
        CHECK(line.back() == '\n');
        CHECK(line.find('\n') == line.size() - 1);
        const auto parsed = parse_message(std::string_view(line).substr(0, line.size() - 1));
        REQUIRE(parsed);
        CHECK(std::get<RpcRequest>(*parsed) == request);
    }
}

TEST_CASE("messages: a request without parameters has an empty object, and a notification has no id") {
    const auto request = parse_message(R"({"jsonrpc":"2.0","id":1,"method":"devices"})");
    REQUIRE(request);
    CHECK(std::get<RpcRequest>(*request).params == json::object());
    const Notification plugged{"plugged", {{"kind", "added"}, {"node", "/dev/sdb"}}};
    std::string line = serialise(plugged);
    line.pop_back();
    const auto parsed = parse_message(line);
    REQUIRE(parsed);
    CHECK(std::get<Notification>(*parsed) == plugged);
}

TEST_CASE("messages: invalid UTF-8 from a device does not corrupt the line") {
    std::string line = serialise(Response{1, json{{"vendor", "Fl\xe4sh\xff"}}});
    line.pop_back();
    const auto parsed = parse_message(line);
    REQUIRE(parsed);
    CHECK(std::get<Response>(*parsed).outcome.value()["vendor"] == "Fl\uFFFDsh\uFFFD");
}

TEST_CASE("messages: every Errc survives a round trip") {
    for (int i = 0; i <= static_cast<int>(Errc::rig_fault); ++i) {
        const Error error{static_cast<Errc>(i), "what, why, what next"};
        std::string line = serialise(Response{4, tl::unexpected(to_rpc(error))});
        CHECK_THAT(line, ContainsSubstring("-32000"));
        line.pop_back();
        const auto parsed = parse_message(line);
        REQUIRE(parsed);
        CHECK(from_rpc(std::get<Response>(*parsed).outcome.error()) == error);
    }
}

TEST_CASE("messages: an error without an Errc is converted to the nearest Errc") {
    struct Row {
        const char* error;
        Errc errc;
    };
    const Row rows[] = {
        {R"({"code":-32700,"message":"m"})", Errc::bad_format},
        {R"({"code":-32600,"message":"m"})", Errc::bad_request},
        {R"({"code":-32601,"message":"m"})", Errc::bad_request},
        {R"({"code":-32602,"message":"m"})", Errc::bad_request},
        {R"({"code":-32001,"message":"m"})", Errc::bad_format},
        {R"({"code":-32002,"message":"m"})", Errc::bad_format},
        {R"({"code":-32000,"message":"m"})", Errc::bad_format},
        {R"({"code":-32000,"message":"m","data":{"errc":"from_the_future"}})", Errc::bad_format},
        {R"({"code":-32000,"message":"m","data":7})", Errc::bad_format},
        {R"({"code":-31999,"message":"m","data":{"errc":"refused"}})", Errc::refused},
        {R"({"code":99999999999999999999,"message":"m"})", Errc::bad_format},
    };
    for (const Row& row : rows) {
        CAPTURE(row.error);
        const auto parsed = parse_message(R"({"jsonrpc":"2.0","id":1,"error":)" + std::string(row.error) + "}");
        if (!parsed) {
            // An error object whose code is not an integer is invalid.
            CHECK(std::string(row.error).find("999999") != std::string::npos);
            continue;
        }
        CHECK(from_rpc(std::get<Response>(*parsed).outcome.error()) == Error{row.errc, "m"});
    }
}

TEST_CASE("hello: a report survives a round trip, and the error for an invalid report names the member") {
    HelloReport report{.protocol = 1,
                       .agent_version = "0.1.0",
                       .host_name = "h",
                       .kernel = "Linux 6.1",
                       .cpu = "",
                       .privileged = true,
                       .tools = {{"mkapfs", std::nullopt}, {"mkfs.exfat", "1.2.0"}}};
    const json wire = to_json(report);
    CHECK(hello_report_from_json(wire) == report);
    struct Row {
        const char* pointer;
        json value;
        const char* reason;
    };
    const Row rows[] = {
        {"/protocol", -1, "protocol: must be a whole number from 0 to 2^32-1"},
        {"/protocol", std::uint64_t(1) << 32, "protocol: must be a whole number from 0 to 2^32-1"},
        {"/agent", 1, "agent: must be a string"},
        {"/host", json::array(), "host: must be an object"},
        {"/host/cpu", nullptr, "host.cpu: missing"},
        {"/privileged", "yes", "privileged: must be true or false"},
        {"/tools", json::array(), "tools: must be an object"},
        {"/tools/mkapfs", 3, "tools.mkapfs: must be a string"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.pointer);
        json broken = wire;
        broken[json::json_pointer(row.pointer)] = row.value;
        CHECK(reason(hello_report_from_json(broken)) == row.reason);
    }
    for (const char* name : {"protocol", "agent", "host", "privileged", "tools"}) {
        json broken = wire;
        broken.erase(name);
        CHECK(reason(hello_report_from_json(broken)) == std::string(name) + ": missing");
    }
}

TEST_CASE("samples: a chunk survives a round trip, and the error for an invalid chunk names the member") {
    SamplesChunk chunk{"c0", 8192, {}};
    for (std::uint32_t i = 0; i < 8192; ++i) chunk.latencies.push_back(i * 524'287u);
    const json wire = to_json(chunk);
    CHECK(samples_chunk_from_json(wire) == chunk);
    SamplesChunk too_many = chunk;
    too_many.latencies.push_back(1);
    struct Row {
        const char* member;
        json value;
        const char* reason;
    };
    const Row rows[] = {
        {"cell", 1, "cell: must be a string"},
        {"first", "0", "first: must be a whole number from 0 to 2^64-1"},
        {"encoding", "gzip", "encoding: must be \"varint-base64\""},
        {"data", "####", "data: is not base64 with padding"},
        {"data", "", "data: is not a list of 1 to 8192 variable-length integers"},
        {"data", "gA==", "data: is not a list of 1 to 8192 variable-length integers"}, // the data ends within a number
        {"data", to_json(too_many)["data"], "data: is not a list of 1 to 8192 variable-length integers"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.reason);
        json broken = wire;
        broken[row.member] = row.value;
        CHECK(reason(samples_chunk_from_json(broken)) == row.reason);
    }
}
