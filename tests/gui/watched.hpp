// SPDX-License-Identifier: GPL-3.0-or-later
/// The page of a running campaign, with a campaign of this process.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <string>
#include <vector>

#include "host/campaign/events/socket/event_server.hpp"
#include "host/campaign/events/socket/socket_folder.hpp"
#include "host/gui/run_page.hpp"
#include "tests/gui/window.hpp"

namespace mediarig::gui {

inline plan::Step run_step() {
    return {.key = "m0.r1.raw.verify.run",
            .kind = plan::StepKind::run,
            .format_name = "raw",
            .entry = "verify",
            .pass = "m0.r1.raw.verify"};
}

/// A page that watches a campaign of this process.
struct Watched {
    QApplication& app = application();
    e2e::Folder folder;
    boost::asio::io_context io;
    std::vector<events::ControlRequest> asked;
    Result<events::SocketFolder> sockets = events::SocketFolder::make(folder / "r.db");
    events::EventServer server{io.get_executor(), "c1",
                               [this](events::ControlRequest request, pid_t) { asked.push_back(request); }};
    std::string ended;
    RunPage page{folder / "r.db", {.ended = [this](const std::string& campaign) { ended = campaign; }, .running = {}}};

    Watched() {
        REQUIRE(sockets);
        REQUIRE(server.listen(*sockets->path_of("c1")));
        page.resize(1200, 900);
        page.show();
        REQUIRE(QTest::qWaitForWindowExposed(&page));
        page.attach("c1");
        REQUIRE(page.attached());
        REQUIRE(QTest::qWaitFor([&] {
            pass();
            return server.clients() == 1;
        }));
    }
    ~Watched() {
        page.close();
        sockets->remove("c1");
    }
    Watched(const Watched&) = delete;
    Watched& operator=(const Watched&) = delete;

    /// Lets both ends of the socket process their pending work.
    void pass() {
        io.restart();
        io.poll();
        QCoreApplication::processEvents();
    }
    void tell(std::chrono::nanoseconds at, campaign::EventBody body) { server.publish({at, std::move(body)}); }
    void begin(std::size_t media) {
        tell({}, campaign::CampaignStarted{.campaign = "c1", .name = "many", .steps = media});
        for (std::size_t i = 0; i < media; ++i)
            tell({}, campaign::StepStarted{.index = i, .step = run_step(), .medium = "slot-" + std::to_string(i + 1)});
    }
    void progress(std::chrono::nanoseconds at, std::size_t lane, std::uint64_t done) {
        tell(at, campaign::StepProgress{.index = lane, .phase = "write", .done = {done}, .total = {1ull << 50}});
    }
    template <class Widget>
    [[nodiscard]] Widget& child(const char* name) {
        auto* const found = page.findChild<Widget*>(name);
        REQUIRE(found != nullptr);
        return *found;
    }
};

} // namespace mediarig::gui
