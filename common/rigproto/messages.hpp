// SPDX-License-Identifier: GPL-3.0-or-later
/// Contents of frames: operations, their arguments and answers, events. Values only; wire.hpp has the encoding.
///
/// Integers are little-endian and have the width of their type here; members are sent in the order of declaration. The
/// schema grows by appending members and operations: a reader takes missing members as zero and ignores extra bytes, so
/// that different minor versions are compatible. Different major versions are incompatible.
#pragma once

#include <array>
#include <cstdint>

namespace mediarig::rigproto {

inline constexpr std::uint8_t protocol_major = 1;
inline constexpr std::uint8_t protocol_minor = 0; ///< increases with each appended member or operation

inline constexpr std::uint8_t port_count = 8;   ///< switched USB ports, each with a reader, numbered from 0
inline constexpr std::uint8_t max_pockets = 30; ///< pockets of the magazine, numbered from 0
inline constexpr std::uint8_t bin_count = 4;    ///< number of values of Bin
inline constexpr std::uint8_t kept_jobs = 8;    ///< jobs that the board remembers with their results
inline constexpr std::uint8_t kept_events = 16; ///< unacked events that the board keeps
inline constexpr std::uint8_t busy_events = 12; ///< limit for new jobs: the rest is for safety events

/// Operations of requests. Those from 0x10 change the state of the rig and begin with a job id.
enum class Op : std::uint8_t {
    hello = 0x01,
    heartbeat = 0x02,
    config = 0x03,
    status = 0x04,
    job_status = 0x05,
    clock = 0x06,
    port_status = 0x07,
    counters = 0x08,
    nest = 0x09,           ///< result of the latest card reading on the identity nest
    nest_registers = 0x0A, ///< registers from that reading
    bye = 0x0B,            ///< ends the session: another host may send HELLO at once
    home = 0x10,
    load = 0x11,       ///< moves a card from its pocket into a port's reader
    unload = 0x12,     ///< moves a card from a port's reader to a pocket or a bin
    power = 0x13,      ///< switches one port
    clear = 0x14,      ///< clears a latched fault or e-stop whose cause is gone; new state UNHOMED
    jog = 0x15,        ///< moves one axis to an absolute position
    park = 0x16,       ///< retracts and stops the axes, motors off
    guard = 0x17,      ///< marks the ports with a write in progress
    bootloader = 0x18, ///< starts the boot ROM's USB loader, to receive a new image
    nest_read = 0x19,  ///< reads the card on the identity nest
    identify = 0x1A,   ///< moves a card from its pocket onto the nest, reads it, and returns it
    empty = 0x1B       ///< the operator confirms that these readers contain no card
};
[[nodiscard]] constexpr bool changes_state(Op op) {
    return static_cast<std::uint8_t>(op) >= 0x10;
}

/// First byte of each response's payload. After `none` the operation's answer follows, if it has one; after `interlock`
/// an Interlock; after any other reason nothing.
enum class Reject : std::uint8_t {
    none = 0,
    no_session, ///< no HELLO with this session since the board started
    unknown_op,
    bad_payload,  ///< too short, or a value outside the schema
    out_of_range, ///< no such port, pocket, bin, axis or position
    unconfigured, ///< no configuration since the board started, or a configuration with another checksum
    not_homed,
    busy,        ///< another job is running
    events_full, ///< too many unacked events
    job_reused,  ///< this job id was used for another job
    job_too_old, ///< the job id is not above the newest one, and the board no longer remembers it
    latched,     ///< a fault or e-stop must be cleared first
    interlock,   ///< forbidden in this state; `Rejection::interlock` has the reason
    lease_lost,  ///< no heartbeat: HELLO and a configuration check are required first
    read_only,   ///< request of a read-only session, or of another major version
    stale,       ///< session ended or unknown, or sequence number out of order
    session_held ///< HELLO: another host has the session; it ends one lease after that host's last frame
};

/// Reasons that forbid an action.
enum class Interlock : std::uint8_t {
    none = 0,
    port_powered,    ///< no motion into or out of a reader whose port is powered
    no_card,         ///< no power and no unload if card-detect reports no card
    card_present,    ///< no load into a reader that contains a card
    z_not_retracted, ///< no X motion unless the sensor shows Z retracted
    port_guarded,    ///< a write is in progress
    safety_open,     ///< e-stop or door
    pump_running,    ///< there is an object on the cup
    port_settling,   ///< ports are switched at least 100 ms apart
    reader_unproven, ///< no load into a reader that is not proven empty since power-on
    carriage_jumper, ///< the board's carriage jumper and the configuration disagree
    pocket_occupied  ///< no unload into a pocket that contains a card
};
struct Rejection {
    Reject reject{};
    Interlock interlock{};
    bool operator==(const Rejection&) const = default;
};

/// Reason why the rig stopped. Also the result of a failed job.
enum class Fault : std::uint8_t {
    none = 0,
    estop,               ///< the safety chain opened
    stopped,             ///< STOP by the host
    lease,               ///< no frame came from the host for one lease
    watchdog,            ///< the watchdog or a brown-out reset the board
    x_home_not_found,    ///< not found within 1.5 times the travel
    x_home_stuck,        ///< the flag stays covered while the axis backs off
    x_home_unrepeatable, ///< two approaches differ by more than the tolerance
    z_home_not_found,
    z_home_stuck,
    z_home_unrepeatable,
    jam,                 ///< a home flag or a tooth of the comb is not at the counted position: steps were lost
    pick_missed,         ///< no vacuum: an empty pocket, or a card that was not picked up
    card_dropped,        ///< vacuum was lost during the move
    insert_failed,       ///< card-detect reports no card after the push
    eject_failed,        ///< card-detect still reports a card after the pull
    port_short,          ///< fast trip
    port_overload,       ///< too much current for too long
    port_welded,         ///< current or voltage after switching off
    port_no_voltage,     ///< no voltage after switching on
    port_not_discharged, ///< voltage did not fall below 0.5 V in time
    card_pulled,         ///< card-detect changed to no card while the port was powered
    driver_fault,        ///< a motor driver reports an error
    internal,            ///< an impossible state; the rig goes to a safe state
    card_clings,         ///< vacuum after the release or before a pick: a card is still on the cup
    pocket_occupied      ///< the probe found a card in the target pocket; the card of the job stayed in its reader
};

enum class State : std::uint8_t { boot = 0, unhomed, homing, ready, moving, parked, latched };

enum class PortState : std::uint8_t {
    off = 0, ///< measured below 0.5 V for 5 ms
    inrush,  ///< the port is on, within the time window for inrush current
    on,
    discharging, ///< off, not yet below 0.5 V
    tripped      ///< off after a fault of this port; the next power-on clears it
};

enum class ResetReason : std::uint8_t { power_on = 0, watchdog, brown_out, request };
enum class Axis : std::uint8_t { x = 0, z = 1 };
/// Final destinations of cards.
enum class Bin : std::uint8_t { pass = 0, fail = 1, retest = 2, unknown = 3 };

// ---- arguments of requests ------------------------------------------------------------------------------------------

struct HelloRequest {
    std::uint8_t major{protocol_major}, minor{protocol_minor};
    std::uint16_t previous{}; ///< nonce of the session to continue; 0: a new session
    std::uint8_t look{};      ///< 1: read-only; the host neither takes nor affects a session
};
struct HeartbeatRequest {
    std::uint16_t lease_ms{3000}; ///< 1000..5000
};
struct JobStatusRequest {
    std::uint32_t job{};
};
struct PortRequest {
    std::uint8_t port{};
};
struct HomeRequest {
    std::uint32_t job{};
};
struct LoadRequest {
    std::uint32_t job{};
    std::uint8_t pocket{}, port{};
};
struct UnloadRequest {
    std::uint32_t job{};
    std::uint8_t port{};
    enum class To : std::uint8_t { pocket = 0, bin = 1 } to{};
    std::uint8_t index{}; ///< pocket, or Bin
};
struct PowerRequest {
    std::uint32_t job{};
    std::uint8_t port{};
    std::uint8_t on{}; ///< 0 or 1
};
struct ClearRequest {
    std::uint32_t job{};
};
struct JogRequest {
    std::uint32_t job{};
    Axis axis{};
    std::int32_t position{}; ///< steps from home
};
struct ParkRequest {
    std::uint32_t job{};
};
struct GuardRequest {
    std::uint32_t job{};
    std::uint8_t ports{}; ///< bit n: port n has a write in progress
};
struct NestReadRequest {
    std::uint32_t job{};
};
struct IdentifyRequest {
    std::uint32_t job{};
    std::uint8_t pocket{};
};
struct EmptyRequest {
    std::uint32_t job{};
    std::uint8_t ports{}; ///< bit n: reader n contains no card
};
struct BootloaderRequest {
    std::uint32_t job{};
    std::uint32_t magic{}; ///< bootloader_magic
};
inline constexpr std::uint32_t bootloader_magic = 0x544F4F42;

/// Mechanics and limits of the rig. Sent after each HELLO; the board answers with the CRC-32 of the payload, and stays
/// in a safe state until it has a configuration. Positions are steps from home, home is 0, all within 0..travel.
struct Config {
    std::uint8_t pockets{}; ///< 1..max_pockets; 0: no carriage
    std::uint8_t ports{};   ///< 1..port_count: readers within reach of the carriage
    std::int32_t x_first_pocket{}, x_pocket_pitch{};
    std::int32_t x_first_port{}, x_port_pitch{};
    std::array<std::int32_t, bin_count> x_bin{};
    std::int32_t x_travel{}, z_travel{};
    std::int32_t z_pocket{}; ///< the cup touches a card in its pocket
    std::int32_t z_port{};   ///< a card is fully inserted
    std::int32_t z_bin{};
    std::int32_t x_speed{}, x_acceleration{}; ///< steps/s, steps/s^2
    std::int32_t z_speed{}, z_acceleration{};
    std::int32_t home_speed{};        ///< speed of the second, slow approach; steps/s
    std::uint8_t home_tolerance{};    ///< steps between two approaches, and at each pass of the flag
    std::uint16_t vacuum_picked_mv{}; ///< a reading at or above this value: there is an object on the cup
    std::uint16_t port_limit_ma{};    ///< current limit of a port after its inrush window
    std::uint16_t inrush_limit_ma{};  ///< current limit in the inrush window
    std::uint16_t inrush_window_ms{50};
    std::uint16_t trip_ma{}; ///< three samples at or above: off at once
    std::uint16_t idle_ma{}; ///< limit for a port that is off: a higher current 200 ms later means a welded contact
    std::int32_t x_nest{};
    std::int32_t z_nest{}; ///< a card is pressed onto the nest's contacts; 0: the carriage does not reach a nest
    std::uint8_t x_comb{}; ///< half the width of a comb tooth, in steps; each X place has a tooth
    bool operator==(const Config&) const = default;
};

// ---- answers, after the Reject byte ---------------------------------------------------------------------------------

struct StatusReply { ///< answer to HEARTBEAT and STATUS
    State state{};
    Fault fault{};               ///< latched fault; Fault::none if no fault is latched
    std::uint8_t fault_detail{}; ///< port, pocket or axis of the fault
    std::uint32_t running_job{}; ///< 0: no job is running
    std::uint32_t last_job{};    ///< latest accepted job
    std::uint8_t stage{};        ///< JobStage of the running job
    std::uint8_t cards{};        ///< bit n: card-detect of port n, debounced
    std::uint8_t powered{};      ///< bit n: port n not `off`
    std::uint8_t unacked{};      ///< number of unacked events
    std::uint8_t flags{};        ///< StatusFlag
    std::int32_t x{}, z{};       ///< steps from home; meaningless while not homed
    std::uint64_t time_us{};
    std::uint8_t occupied{}; ///< bit n: a card was loaded or detected in reader n, and its removal is not proven
    std::uint8_t unproven{}; ///< bit n: unknown since power-on if reader n is empty
    bool operator==(const StatusReply&) const = default;
};
enum StatusFlag : std::uint8_t {
    flag_configured = 1,
    flag_homed = 2,
    flag_safety_closed = 4,
    flag_holding = 8, ///< there is an object on the cup
    flag_motors_on = 16
};

struct HelloReply {
    std::uint8_t major{}, minor{};
    std::uint8_t firmware_major{}, firmware_minor{}, firmware_patch{};
    std::array<char, 12> build{};            ///< git revision, zero-padded
    std::array<char, 8> profile{};           ///< "swap30"
    std::array<std::uint8_t, 8> unique_id{}; ///< all zero: unknown
    std::uint32_t pin_map_hash{};            ///< CRC-32 of hw/pins.csv
    std::uint32_t config_crc{};              ///< 0: unconfigured
    std::uint32_t boot_id{};                 ///< counts starts; survives a watchdog reset, not a power loss
    std::uint8_t cold_start{};               ///< 1: no data survived; 0 again after an event is acked or a job begins
    ResetReason reset{};
    std::uint32_t oldest_event{}; ///< oldest unacked event; if all are acked (status.unacked 0), the next event
    StatusReply status;
};

enum class JobState : std::uint8_t { unknown = 0, running, done, failed };
/// Progress of a job; also the point where it stops when the lease is lost.
enum class JobStage : std::uint8_t {
    idle = 0,
    retracting,
    travelling,
    reaching, ///< Z down to a pocket, a reader or a bin
    picking,  ///< waiting for vacuum
    lifting,
    checking, ///< waiting for card-detect
    releasing,
    switching,
    homing_z,
    homing_x
};
struct JobStatusReply {
    std::uint32_t job{};
    JobState state{};
    JobStage stage{};
    Fault fault{};
    std::uint8_t detail{};
    bool operator==(const JobStatusReply&) const = default;
};
struct ClockReply {
    std::uint64_t time_us{};
};
struct ConfigReply {
    std::uint32_t crc{};
};
struct PortStatusReply {
    std::uint8_t port{};
    PortState state{};
    std::uint8_t card{};
    Fault fault{};                                      ///< fault that tripped the port
    std::uint16_t millivolts{}, milliamperes{};         ///< newest sample
    std::uint16_t min_millivolts{}, max_milliamperes{}; ///< extremes since the port was switched on or off
    std::uint32_t off_time_us{};                        ///< time from switching off to below 0.5 V for 5 ms; 0: unknown
    std::uint32_t ramp_us{};                            ///< time from switching on to 4.5 V; 0: unknown
    std::uint64_t energy_uj{};                          ///< energy since the port was switched on
    std::uint32_t cycles{};                             ///< insertions into this reader since the last counter reset
};
struct CountersReply { ///< counters of the link since the board started
    std::uint32_t frames{}, bad_crc{}, bad_cobs{}, too_long{}, stale{}, repeated{}, rejected{}, stops{};
    std::uint32_t unknown{};        ///< frames of another version, or of a kind that hosts do not send
    std::uint32_t dropped_events{}; ///< events lost because the ring was full
    std::uint32_t usb_restarts{};   ///< resets of a USB controller that no longer served the bus
    bool operator==(const CountersReply&) const = default;
};

/// Result of reading the card on the nest.
enum class NestEnd : std::uint8_t {
    none = 0,      ///< nothing was read since the board started
    reading,       ///< in progress
    finished,      ///< completed; each register has its own state
    no_card,       ///< card-detect of the nest reports no card, or changed to no card
    no_answer,     ///< the card did not answer `command`
    damaged,       ///< wrong checksum or form of the answer to `command`
    not_sd,        ///< the card answers like a MultiMediaCard
    wrong_voltage, ///< the card does not support 3.3 V
    never_ready,   ///< the card is still busy one second after the start of initialisation
    interrupted    ///< an e-stop, a fault, STOP or a lost lease ended the reading
};
enum class RegisterState : std::uint8_t {
    not_asked = 0,
    read,      ///< the register was read with a correct checksum
    no_answer, ///< the card did not answer the command of this register
    no_data,   ///< the command was answered, but no data followed in time
    damaged    ///< wrong checksum or form; the data is not reported
};
/// State of the supply current measurement of the card on the nest.
enum class NestSupply : std::uint8_t {
    none = 0, ///< not measured: the card had no supply, or the board cannot measure
    measured,
    offset ///< current without supply: faulty amplifier or changeover switch
};
struct NestReply {
    std::uint32_t job{}; ///< job of this reading; 0: nothing was read since the board started
    NestEnd end{};
    std::uint8_t command{}; ///< number of the last command
    RegisterState cid{}, csd{}, scr{}, ssr{};
    std::uint8_t card{}; ///< 1: card-detect of the nest reports a card now
    std::uint32_t ocr{}; ///< OCR of a card that became ready; 0: no card became ready
    NestSupply supply{};
    std::uint32_t rest_ua{}; ///< 50 ms after supply on, before the first clock; microamperes, valid if `measured`
    std::uint32_t most_ua{}; ///< maximum between bursts
    bool operator==(const NestReply&) const = default;
};
/// Most significant byte first, as sent by the card; zeros if the register was not read. CID and CSD end with the
/// card's own CRC7.
struct NestRegistersReply {
    std::uint32_t job{};
    std::array<std::uint8_t, 16> cid{}, csd{};
    std::array<std::uint8_t, 8> scr{};
    std::array<std::uint8_t, 64> ssr{};
    bool operator==(const NestRegistersReply&) const = default;
};

// ---- events ---------------------------------------------------------------------------------------------------------

/// The payload of each event begins with EventHead; the comment of each kind names the rest.
enum class EventKind : std::uint8_t {
    reset = 1,    ///< ResetEvent
    job_accepted, ///< JobEvent
    job_progress, ///< JobEvent; not stored: sent once, with id 0
    job_done,     ///< JobEvent
    job_failed,   ///< JobEvent
    card,         ///< CardEvent: card-detect changed
    port,         ///< PortEvent: state of a port changed
    fault,        ///< FaultEvent: latched
    cleared,      ///< FaultEvent: the cleared fault
    lease_lost    ///< no further payload
};
struct EventHead {
    std::uint32_t id{}; ///< begins at 1 after a cold start and increases by 1
    std::uint64_t time_us{};
};
struct ResetEvent {
    ResetReason reason{};
    std::uint32_t boot_id{};
};
struct JobEvent {
    std::uint32_t job{};
    JobStage stage{};
    Fault fault{};
    std::uint8_t detail{};
};
struct CardEvent {
    std::uint8_t port{}, present{};
};
struct PortEvent {
    std::uint8_t port{};
    PortState state{};
    Fault fault{};
    std::uint16_t millivolts{};
};
struct FaultEvent {
    Fault fault{};
    std::uint8_t detail{};
};
struct EventAck {
    std::uint32_t id{}; ///< the host has stored this event and all before it
};

} // namespace mediarig::rigproto
