// SPDX-License-Identifier: GPL-3.0-or-later
/// Requests that change the state of the rig, in the form for the machine.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <variant>

#include "common/rigproto/wire.hpp"

namespace mediarig::firmware {

using RigCommand = std::variant<rigproto::HomeRequest, rigproto::LoadRequest, rigproto::UnloadRequest,
                                rigproto::PowerRequest, rigproto::ClearRequest, rigproto::JogRequest,
                                rigproto::ParkRequest, rigproto::GuardRequest, rigproto::BootloaderRequest,
                                rigproto::NestReadRequest, rigproto::IdentifyRequest, rigproto::EmptyRequest>;

/// Replaces std::visit, which uses a call through a register from twelve alternatives on: then the stack depth cannot
/// be determined statically.
template <std::size_t Kind = 0, class Visitor>
[[nodiscard]] constexpr auto visit_command(const Visitor& visitor, const RigCommand& command) {
    if constexpr (Kind + 1 < std::variant_size_v<RigCommand>)
        if (std::get_if<Kind>(&command) == nullptr) return visit_command<Kind + 1>(visitor, command);
    return visitor(*std::get_if<Kind>(&command));
}

[[nodiscard]] constexpr std::uint32_t job_of(const RigCommand& command) {
    return visit_command([](const auto& request) { return request.job; }, command);
}

/// Returns nothing if the payload is invalid for the operation. Does not check against the rig: the machine checks, for
/// example, that a pocket exists.
[[nodiscard]] constexpr std::optional<RigCommand> decode_command(rigproto::Op op,
                                                                 std::span<const std::uint8_t> payload) {
    using namespace rigproto;
    const auto as = [payload]<class Request>(std::optional<Request>, auto... allowed) -> std::optional<RigCommand> {
        const auto request = decode<Request>(payload);
        if (!request || request->job == 0 || !(allowed(*request) && ...)) return std::nullopt;
        return RigCommand{*request};
    };
    switch (op) {
        case Op::home:
            return as(std::optional<HomeRequest>{});
        case Op::load:
            return as(std::optional<LoadRequest>{});
        case Op::unload:
            return as(std::optional<UnloadRequest>{});
        case Op::power:
            return as(std::optional<PowerRequest>{}, [](const PowerRequest& power) { return power.on <= 1; });
        case Op::clear:
            return as(std::optional<ClearRequest>{});
        case Op::jog:
            return as(std::optional<JogRequest>{});
        case Op::park:
            return as(std::optional<ParkRequest>{});
        case Op::guard:
            return as(std::optional<GuardRequest>{});
        case Op::nest_read:
            return as(std::optional<NestReadRequest>{});
        case Op::identify:
            return as(std::optional<IdentifyRequest>{});
        case Op::empty:
            return as(std::optional<EmptyRequest>{});
        case Op::bootloader:
            return as(std::optional<BootloaderRequest>{},
                      [](const BootloaderRequest& request) { return request.magic == bootloader_magic; });
        default:
            return std::nullopt;
    }
}

} // namespace mediarig::firmware
