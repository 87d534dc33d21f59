// SPDX-License-Identifier: GPL-3.0-or-later
// Any sequence of requests of a controller reaches the methods with fake media, and everything is released afterwards.
#include <cstdlib>

#include "host/agent/protocol/message.hpp"
#include "host/agent/server/methods.hpp"
#include "host/agent/server/run_feed.hpp"
#include "host/base/async/line_framer.hpp"
#include "tests/fakes/fake_media_backend.hpp"

using namespace mediarig;
using namespace mediarig::agent;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    FakeMediaBackend backend;
    backend.media["d"] = fake_medium("d");
    backend.raw_log_length = 10;
    {
        ClaimNumbers numbers;
        Methods methods(backend, numbers);
        LineFramer framer(1 << 16);
        framer.push({reinterpret_cast<const char*>(data), size});
        while (const auto frame = framer.next()) {
            if (frame->kind == FramedLine::Kind::oversized) continue;
            const auto message = parse_message(frame->text);
            const auto* request = message ? std::get_if<RpcRequest>(&*message) : nullptr;
            if (request == nullptr) continue;
            OutputQueue output(std::size_t{1} << 40);
            RunFeed feed(request->id, output, [] {});
            workload::JobControl control;
            (void)check_hello(request->params);
            auto answer = methods.call(request->method, request->params, control, feed);
            if (!answer && answer.error().message.empty()) std::abort();
            (void)serialise(Response{request->id, std::move(answer)});
            (void)feed.progress(control);
        }
        (void)methods.release_all();
    }
    if (backend.open_claims() != 0 || backend.open_mounts() != 0) std::abort();
    return 0;
}
