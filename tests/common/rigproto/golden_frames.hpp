// SPDX-License-Identifier: GPL-3.0-or-later
/// Values of the lines in tests/golden/rigproto/frames.txt.
#pragma once

#include <string>
#include <vector>

#include "common/crc32.hpp"
#include "common/rigproto/wire.hpp"

namespace mediarig::tests {

struct NamedFrame {
    std::string name;
    rigproto::Frame frame;
};

/// Each number occurs once, so that exchanged fields are detected.
constexpr rigproto::Config golden_config() {
    rigproto::Config rig;
    rig.pockets = 30;
    rig.ports = 8;
    rig.x_first_pocket = 200;
    rig.x_pocket_pitch = 160;
    rig.x_first_port = 5200;
    rig.x_port_pitch = 600;
    rig.x_bin = {10000, 10800, 11600, 12400};
    rig.x_travel = 13000;
    rig.z_travel = 1200;
    rig.z_pocket = 810;
    rig.z_port = 1010;
    rig.z_bin = 410;
    rig.x_speed = 6000;
    rig.x_acceleration = 40000;
    rig.z_speed = 3000;
    rig.z_acceleration = 20000;
    rig.home_speed = 400;
    rig.home_tolerance = 9;
    rig.vacuum_picked_mv = 1500;
    rig.port_limit_ma = 900;
    rig.inrush_limit_ma = 2500;
    rig.inrush_window_ms = 50;
    rig.trip_ma = 2900;
    rig.idle_ma = 20;
    rig.x_comb = 25;
    return rig;
}

inline std::vector<NamedFrame> golden_frames() {
    using namespace rigproto;
    constexpr std::uint16_t session = 0x1234;
    std::vector<NamedFrame> frames;
    const auto add = [&](const char* name, Kind kind, std::uint8_t seq, auto op, const auto&... parts) {
        Frame frame{.kind = kind, .session = session, .seq = seq, .op = static_cast<std::uint8_t>(op)};
        (append(frame, parts), ...);
        frames.push_back({name, frame});
    };
    Frame config;
    append(config, golden_config());
    const std::uint32_t crc_of_config = crc32(config.payload());
    const StatusReply status{.state = State::moving,
                             .running_job = 7,
                             .last_job = 7,
                             .stage = static_cast<std::uint8_t>(JobStage::travelling),
                             .cards = 0x02,
                             .powered = 0x02,
                             .unacked = 3,
                             .flags = flag_configured | flag_homed | flag_safety_closed | flag_motors_on,
                             .x = 5200,
                             .z = 0,
                             .time_us = 1'000'000};
    const HelloReply hello{.major = 1,
                           .minor = 0,
                           .firmware_major = 0,
                           .firmware_minor = 1,
                           .firmware_patch = 0,
                           .build = {'0', '1', '2', '3', '4', '5', '6'},
                           .profile = {'s', 'w', 'a', 'p', '3', '0'},
                           .unique_id = {0xE6, 0x60, 0x58, 0x38, 0x83, 0x47, 0x1F, 0x2C},
                           .pin_map_hash = 0xDEADBEEF,
                           .config_crc = 0,
                           .boot_id = 1,
                           .cold_start = 1,
                           .reset = ResetReason::power_on,
                           .oldest_event = 1,
                           .status = {.state = State::unhomed, .unacked = 1, .time_us = 250'000}};
    add("hello", Kind::request, 1, Op::hello, HelloRequest{.previous = 0x1233});
    add("hello_reply", Kind::response, 1, Op::hello, Reject::none, hello);
    add("config", Kind::request, 2, Op::config, golden_config());
    add("config_reply", Kind::response, 2, Op::config, Reject::none, ConfigReply{crc_of_config});
    add("heartbeat", Kind::request, 3, Op::heartbeat, HeartbeatRequest{});
    add("status_reply", Kind::response, 3, Op::heartbeat, Reject::none, status);
    add("status", Kind::request, 4, Op::status);
    add("job_status", Kind::request, 5, Op::job_status, JobStatusRequest{7});
    add("job_status_reply", Kind::response, 5, Op::job_status, Reject::none,
        JobStatusReply{7, JobState::failed, JobStage::picking, Fault::pick_missed, 5});
    add("clock", Kind::request, 6, Op::clock);
    add("clock_reply", Kind::response, 6, Op::clock, Reject::none, ClockReply{0x0000000100000002});
    add("port_status", Kind::request, 7, Op::port_status, PortRequest{2});
    add("port_status_reply", Kind::response, 7, Op::port_status, Reject::none,
        PortStatusReply{.port = 2,
                        .state = PortState::on,
                        .card = 1,
                        .millivolts = 5012,
                        .milliamperes = 118,
                        .min_millivolts = 4890,
                        .max_milliamperes = 1400,
                        .off_time_us = 0,
                        .ramp_us = 900,
                        .energy_uj = 1'234'567,
                        .cycles = 42});
    add("counters", Kind::request, 8, Op::counters);
    add("counters_reply", Kind::response, 8, Op::counters, Reject::none,
        CountersReply{.frames = 100,
                      .bad_crc = 1,
                      .bad_cobs = 2,
                      .too_long = 3,
                      .stale = 4,
                      .repeated = 5,
                      .rejected = 6,
                      .stops = 7,
                      .unknown = 8,
                      .dropped_events = 9,
                      .usb_restarts = 10});
    add("home", Kind::request, 9, Op::home, HomeRequest{1});
    add("accepted", Kind::response, 9, Op::home, Reject::none);
    add("load", Kind::request, 10, Op::load, LoadRequest{.job = 2, .pocket = 5, .port = 2});
    add("refused_interlock", Kind::response, 10, Op::load, Reject::interlock);
    frames.back().frame.bytes[frames.back().frame.size++] = static_cast<std::uint8_t>(Interlock::port_powered);
    add("power", Kind::request, 11, Op::power, PowerRequest{.job = 3, .port = 2, .on = 1});
    add("refused", Kind::response, 11, Op::power, Reject::not_homed);
    add("unload", Kind::request, 12, Op::unload,
        UnloadRequest{
            .job = 4, .port = 2, .to = UnloadRequest::To::bin, .index = static_cast<std::uint8_t>(Bin::fail)});
    add("clear", Kind::request, 13, Op::clear, ClearRequest{5});
    add("jog", Kind::request, 14, Op::jog, JogRequest{.job = 6, .axis = Axis::z, .position = 400});
    add("park", Kind::request, 15, Op::park, ParkRequest{7});
    add("guard", Kind::request, 16, Op::guard, GuardRequest{.job = 8, .ports = 0x05});
    add("bootloader", Kind::request, 17, Op::bootloader, BootloaderRequest{.job = 9, .magic = bootloader_magic});
    Config with_nest = golden_config();
    with_nest.x_nest = 12800;
    with_nest.z_nest = 710;
    add("config_nest", Kind::request, 18, Op::config, with_nest);
    add("nest", Kind::request, 19, Op::nest);
    add("nest_reply", Kind::response, 19, Op::nest, Reject::none,
        NestReply{.job = 10,
                  .end = NestEnd::finished,
                  .command = 13,
                  .cid = RegisterState::read,
                  .csd = RegisterState::read,
                  .scr = RegisterState::read,
                  .ssr = RegisterState::no_data,
                  .card = 0,
                  .ocr = 0xC0FF8000,
                  .supply = NestSupply::measured,
                  .rest_ua = 2'100,
                  .most_ua = 48'700});
    add("nest_registers", Kind::request, 20, Op::nest_registers);
    add("nest_registers_reply", Kind::response, 20, Op::nest_registers, Reject::none,
        NestRegistersReply{
            .job = 10,
            .cid = {0x27, 0x50, 0x48, 0x53, 0x44, 0x31, 0x36, 0x47, 0x30, 0xDA, 0x89, 0xB8, 0x29, 0x00, 0xFB, 0x61},
            .csd = {0x40, 0x0E, 0x00, 0x32, 0x5B, 0x59, 0x00, 0x00, 0x73, 0xA7, 0x7F, 0x80, 0x0A, 0x40, 0x00, 0xEB},
            .scr = {0x02, 0x35, 0x80, 0x03},
            .ssr = {}});
    add("nest_read", Kind::request, 21, Op::nest_read, NestReadRequest{10});
    add("identify", Kind::request, 22, Op::identify, IdentifyRequest{.job = 11, .pocket = 5});
    add("bye", Kind::request, 23, Op::bye);
    add("empty", Kind::request, 24, Op::empty, EmptyRequest{.job = 12, .ports = 0x05});
    add("no_session", Kind::response, 3, Op::heartbeat, Reject::no_session);
    add("session_held", Kind::response, 1, Op::hello, Reject::session_held);
    add("event_reset", Kind::event, 0, EventKind::reset, EventHead{1, 0}, ResetEvent{ResetReason::power_on, 1});
    add("event_job_accepted", Kind::event, 0, EventKind::job_accepted, EventHead{2, 900}, JobEvent{.job = 2});
    add("event_job_progress", Kind::event, 0, EventKind::job_progress, EventHead{0, 950},
        JobEvent{.job = 2, .stage = JobStage::picking});
    add("event_job_done", Kind::event, 0, EventKind::job_done, EventHead{3, 1000}, JobEvent{.job = 2});
    add("event_job_failed", Kind::event, 0, EventKind::job_failed, EventHead{4, 1100},
        JobEvent{3, JobStage::switching, Fault::port_short, 2});
    add("event_card", Kind::event, 0, EventKind::card, EventHead{5, 1200}, CardEvent{.port = 2, .present = 1});
    add("event_port", Kind::event, 0, EventKind::port, EventHead{6, 1300},
        PortEvent{2, PortState::tripped, Fault::port_short, 310});
    add("event_fault", Kind::event, 0, EventKind::fault, EventHead{7, 1400}, FaultEvent{Fault::estop, 0});
    add("event_cleared", Kind::event, 0, EventKind::cleared, EventHead{8, 1500}, FaultEvent{Fault::estop, 0});
    add("event_lease_lost", Kind::event, 0, EventKind::lease_lost, EventHead{9, 1600});
    add("event_ack", Kind::event_ack, 0, 0, EventAck{9});
    add("log", Kind::log, 0, 0);
    for (const char letter : {'h', 'i'})
        frames.back().frame.bytes[frames.back().frame.size++] = static_cast<std::uint8_t>(letter);
    add("stop", Kind::stop, 1, 0);
    add("stop_confirmed", Kind::response, 1, 0, Reject::none,
        StatusReply{.state = State::latched, .fault = Fault::stopped, .last_job = 7, .time_us = 2'000'000});
    return frames;
}

} // namespace mediarig::tests
