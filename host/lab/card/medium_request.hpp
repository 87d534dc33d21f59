// SPDX-License-Identifier: GPL-3.0-or-later
/// Requests to the card models inside a guest in virtual time, and their text form: one JSON object and one answer per
/// line. Pure.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "host/base/result.hpp"
#include "host/lab/card/config.hpp"

namespace mediarig::lab {

/// Creates the model of a card. It is no device yet.
struct StartModel {
    std::string card;    ///< unique; also a file name
    std::string config;  ///< JSON text
    std::string backing; ///< file name in the folder of the media
    CardOverrides overrides;
};
/// Switches a card off in order: loses no acknowledged data.
struct StopModel {
    std::string card;
};
/// Makes the card a block device.
struct AttachModel {
    std::string card;
    std::uint8_t number{}; ///< of the device: "/dev/ublkb3"
    std::string identity;  ///< JSON text; see host/media/claim/emulated_identity.hpp
};
/// Surprise removal: requests fail, and the device disappears.
struct DetachModel {
    std::string card;
};
/// Sends a line to a card model; see control.hpp.
struct OrderModel {
    std::string card, command;
};
using ModelRequest = std::variant<StartModel, StopModel, AttachModel, DetachModel, OrderModel>;

struct NumberedRequest {
    std::uint64_t id{};
    ModelRequest request;
};

/// `text`: claimed size in bytes for a StartModel; answer of the card model for an OrderModel; otherwise empty.
struct ModelAnswer {
    std::uint64_t id{};
    Result<std::string> text;
};
/// The storage of a card failed. Its request stays without an answer, because an error would be a fault of the card.
struct StorageFailure {
    std::string card, reason;
};
using ModelMessage = std::variant<ModelAnswer, StorageFailure>;

/// All functions return or accept text without a line break. The parsers fail with bad_format.
[[nodiscard]] std::string model_request_line(const NumberedRequest& request);
[[nodiscard]] Result<NumberedRequest> parse_model_request(std::string_view line);
[[nodiscard]] std::string model_message_line(const ModelMessage& message);
[[nodiscard]] Result<ModelMessage> parse_model_message(std::string_view line);

} // namespace mediarig::lab
