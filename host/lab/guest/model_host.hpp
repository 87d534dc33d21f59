// SPDX-License-Identifier: GPL-3.0-or-later
/// The card models inside a guest in virtual time. Executes requests; see host/lab/card/medium_request.hpp.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "host/lab/card/medium_request.hpp"
#include "host/lab/guest/ublk_device.hpp"

namespace mediarig::lab {

struct ModelFolders {
    std::filesystem::path media;      ///< contents of the cards
    std::filesystem::path identities; ///< read by the agent: one file for each attached card
};

class ModelHost {
public:
    /// Both folders exist. `send` may be called by any thread, with one line without a line break.
    ModelHost(ModelFolders folders, std::function<void(std::string)> send);

    /// Executes the request in the line and sends its answer.
    void execute(std::string_view line);

private:
    struct Card {
        std::unique_ptr<RunningCard> model;
        std::unique_ptr<UblkDevice> device; ///< destroyed before the model
        std::filesystem::path identity;
    };
    [[nodiscard]] Result<std::string> done(const StartModel& start);
    [[nodiscard]] Result<std::string> done(const StopModel& stop);
    [[nodiscard]] Result<std::string> done(const AttachModel& attach);
    [[nodiscard]] Result<std::string> done(const DetachModel& detach);
    [[nodiscard]] Result<std::string> done(const OrderModel& order);
    [[nodiscard]] Result<Card*> find(const std::string& card);
    void detach(Card& card);

    ModelFolders folders_;
    std::function<void(std::string)> send_;
    std::map<std::string, Card> cards_;
};

} // namespace mediarig::lab
