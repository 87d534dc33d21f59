// SPDX-License-Identifier: GPL-3.0-or-later
/// What frames say: operations, their arguments and answers, events. Values only; encoding stands in wire.hpp.
///
/// Integers are little endian and have the width of their type here; members go over in the order in which they stand.
/// The schema grows by appending members and operations: a reader takes what is missing as zero and ignores what is
/// left over, so that neighbours in version understand each other. Only another major version is another language.
#pragma once

#include <array>
#include <cstdint>

namespace mediarig::rigproto {

inline constexpr std::uint8_t protocol_major = 1;
inline constexpr std::uint8_t protocol_minor = 0; ///< grows with each member or operation that is appended

inline constexpr std::uint8_t port_count = 8;   ///< switched USB ports, each with a reader, numbered from 0
inline constexpr std::uint8_t max_pockets = 30; ///< of the magazine, numbered from 0
inline constexpr std::uint8_t bin_count = 4;    ///< Bin
inline constexpr std::uint8_t kept_jobs = 8;    ///< the board remembers so many with their results
inline constexpr std::uint8_t kept_events = 16; ///< unacked events that the board keeps
inline constexpr std::uint8_t busy_events = 12; ///< from so many on nothing new starts: the rest is for safety

/// Operations of requests. From 0x10 on they change the state of the rig and begin with a job id.
enum class Op : std::uint8_t {
    hello = 0x01,
    heartbeat = 0x02,
    config = 0x03,
    status = 0x04,
    job_status = 0x05,
    clock = 0x06,
    port_status = 0x07,
    counters = 0x08,
    nest = 0x09,           ///< how the newest reading of a card on the identity nest went
    nest_registers = 0x0A, ///< what it gave
    bye = 0x0B,            ///< the session ends: another host may say HELLO at once
    home = 0x10,
    load = 0x11,       ///< a card from its pocket into a port's reader
    unload = 0x12,     ///< a card from a port's reader to a pocket or a bin
    power = 0x13,      ///< of one port
    clear = 0x14,      ///< a latched fault or e-stop whose cause is gone; leaves to UNHOMED
    jog = 0x15,        ///< one axis to an absolute position
    park = 0x16,       ///< axes retracted and idle, motors off
    guard = 0x17,      ///< which ports carry a write in progress
    bootloader = 0x18, ///< into the boot ROM's USB loader, to be given a new image
    nest_read = 0x19,  ///< the card that lies on the identity nest
    identify = 0x1A,   ///< a card from its pocket, held onto the nest and brought back
    empty = 0x1B       ///< a person has looked: no card is in these readers
};
[[nodiscard]] constexpr bool changes_state(Op op) {
    return static_cast<std::uint8_t>(op) >= 0x10;
}

/// First byte of each response's payload. Behind `none` stands the operation's answer, if it has one; behind
/// `interlock` stands an Interlock; behind every other nothing.
enum class Reject : std::uint8_t {
    none = 0,
    no_session, ///< no HELLO under this session since the board started
    unknown_op,
    bad_payload,  ///< too short, or a value that the schema does not have
    out_of_range, ///< no such port, pocket, bin, axis or position
    unconfigured, ///< no configuration since the board started, or one with another check
    not_homed,
    busy,        ///< another job runs
    events_full, ///< too many events wait for their ack
    job_reused,  ///< this job id was used for something else
    job_too_old, ///< not above the newest job, and no longer among the kept ones
    latched,     ///< a fault or e-stop must be cleared first
    interlock,   ///< forbidden in this state; `Rejection::interlock` says by what
    lease_lost,  ///< no heartbeat: HELLO and a check of the configuration come first
    read_only,   ///< of a session that only looks, or of another major version
    stale,       ///< of a session that is over or was never there, or out of turn
    session_held ///< HELLO: another host holds the session; it ends by itself one lease after that host's last word
};

/// What forbids an action.
enum class Interlock : std::uint8_t {
    none = 0,
    port_powered,    ///< no motion into or out of a reader whose port has voltage
    no_card,         ///< no power, and no unload, where card-detect does not agree
    card_present,    ///< no load into a reader that holds a card
    z_not_retracted, ///< no X motion unless Z is up, seen by its sensor
    port_guarded,    ///< a write is in progress there
    safety_open,     ///< e-stop or door
    pump_running,    ///< something hangs on the cup
    port_settling,   ///< ports are switched at least 100 ms apart
    reader_unproven, ///< no load into a reader of which nobody knows since the power came that it is empty
    carriage_jumper  ///< the board's jumper and the configuration do not agree on whether there is a carriage
};
struct Rejection {
    Reject reject{};
    Interlock interlock{};
    bool operator==(const Rejection&) const = default;
};

/// Why the rig stands still. Also the result of a job that failed.
enum class Fault : std::uint8_t {
    none = 0,
    estop,               ///< the safety chain opened
    stopped,             ///< STOP by the host
    lease,               ///< the host was silent for one lease
    watchdog,            ///< the board was reset by its watchdog, or by a brown-out
    x_home_not_found,    ///< searched 1.5 times the travel
    x_home_stuck,        ///< the flag does not clear when backing off
    x_home_unrepeatable, ///< two approaches differ by more than the tolerance
    z_home_not_found,
    z_home_stuck,
    z_home_unrepeatable,
    jam,                 ///< a home flag or a tooth of the comb was not where the count says: steps were lost
    pick_missed,         ///< no vacuum: an empty pocket, or a card that does not stick
    card_dropped,        ///< vacuum was lost on the way
    insert_failed,       ///< card-detect did not agree after the push
    eject_failed,        ///< card-detect still agrees after the pull
    port_short,          ///< fast trip
    port_overload,       ///< too much current for too long
    port_welded,         ///< current or voltage after switching off
    port_no_voltage,     ///< none after switching on
    port_not_discharged, ///< voltage did not fall below 0.5 V in time
    card_pulled,         ///< card-detect went away while the port had voltage
    driver_fault,        ///< a motor driver reports an error
    internal             ///< a state that cannot be; the rig makes itself safe
};

enum class State : std::uint8_t { boot = 0, unhomed, homing, ready, moving, parked, latched };

enum class PortState : std::uint8_t {
    off = 0, ///< below 0.5 V for 5 ms, measured
    inrush,  ///< on, within the window in which much current is allowed
    on,
    discharging, ///< off, not yet below 0.5 V
    tripped      ///< off by a fault of this port; another power-on clears it
};

enum class ResetReason : std::uint8_t { power_on = 0, watchdog, brown_out, request };
enum class Axis : std::uint8_t { x = 0, z = 1 };
/// Where cards go for good.
enum class Bin : std::uint8_t { pass = 0, fail = 1, retest = 2, unknown = 3 };

// ---- arguments of requests ------------------------------------------------------------------------------------------

struct HelloRequest {
    std::uint8_t major{protocol_major}, minor{protocol_minor};
    std::uint16_t previous{}; ///< nonce of the session that this one continues; 0: none
    std::uint8_t look{};      ///< 1: only to look; no session is taken or touched
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
    std::uint8_t ports{}; ///< bit n: port n carries a write in progress
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
    std::uint8_t ports{}; ///< bit n: no card is in reader n
};
struct BootloaderRequest {
    std::uint32_t job{};
    std::uint32_t magic{}; ///< bootloader_magic
};
inline constexpr std::uint32_t bootloader_magic = 0x544F4F42;

/// What the rig must know of its mechanics and limits. Sent after each HELLO; the board answers with the CRC-32 of the
/// payload, and keeps everything safe until it has one. Positions are steps from home, home is 0, all within 0..travel.
struct Config {
    std::uint8_t pockets{}; ///< 1..max_pockets; 0: no carriage
    std::uint8_t ports{};   ///< 1..port_count: readers that the carriage reaches
    std::int32_t x_first_pocket{}, x_pocket_pitch{};
    std::int32_t x_first_port{}, x_port_pitch{};
    std::array<std::int32_t, bin_count> x_bin{};
    std::int32_t x_travel{}, z_travel{};
    std::int32_t z_pocket{}; ///< where the cup touches a card in its pocket
    std::int32_t z_port{};   ///< where a card is fully inserted
    std::int32_t z_bin{};
    std::int32_t x_speed{}, x_acceleration{}; ///< steps/s, steps/s^2
    std::int32_t z_speed{}, z_acceleration{};
    std::int32_t home_speed{};        ///< of the second, slow approach; steps/s
    std::uint8_t home_tolerance{};    ///< steps between two approaches, and at each pass of the flag
    std::uint16_t vacuum_picked_mv{}; ///< at or above: something is on the cup
    std::uint16_t port_limit_ma{};    ///< of a port after its inrush window
    std::uint16_t inrush_limit_ma{};  ///< within the window
    std::uint16_t inrush_window_ms{50};
    std::uint16_t trip_ma{}; ///< three samples at or above: off at once
    std::uint16_t idle_ma{}; ///< of a port that is off: more than this 200 ms later is a weld
    std::int32_t x_nest{};
    std::int32_t z_nest{}; ///< where a card is pressed onto the nest's contacts; 0: the carriage reaches no nest
    std::uint8_t x_comb{}; ///< half the width of a tooth of the comb, steps; a tooth stands at each place of X
    bool operator==(const Config&) const = default;
};

// ---- answers, after the Reject byte ---------------------------------------------------------------------------------

struct StatusReply { ///< of HEARTBEAT and STATUS
    State state{};
    Fault fault{};               ///< that is latched; none otherwise
    std::uint8_t fault_detail{}; ///< port, pocket or axis that it is about
    std::uint32_t running_job{}; ///< 0: none
    std::uint32_t last_job{};    ///< newest one accepted
    std::uint8_t stage{};        ///< JobStage of the running job
    std::uint8_t cards{};        ///< bit n: card-detect of port n, debounced
    std::uint8_t powered{};      ///< bit n: port n not `off`
    std::uint8_t unacked{};      ///< events that wait
    std::uint8_t flags{};        ///< StatusFlag
    std::int32_t x{}, z{};       ///< steps from home; meaningless while not homed
    std::uint64_t time_us{};
    std::uint8_t occupied{}; ///< bit n: a card was put into or seen in reader n, and nothing has proved it gone
    std::uint8_t unproven{}; ///< bit n: whether reader n is empty is not known since the power came
    bool operator==(const StatusReply&) const = default;
};
enum StatusFlag : std::uint8_t {
    flag_configured = 1,
    flag_homed = 2,
    flag_safety_closed = 4,
    flag_holding = 8, ///< something is on the cup
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
    std::uint8_t cold_start{};               ///< 1: nothing survived; 0 again once an event is acked or a job begun
    ResetReason reset{};
    std::uint32_t oldest_event{}; ///< oldest that waits; where none does (status.unacked 0), the next to come
    StatusReply status;
};

enum class JobState : std::uint8_t { unknown = 0, running, done, failed };
/// How far a job is; also where it stops when the lease is lost.
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
    Fault fault{};                                      ///< that tripped it
    std::uint16_t millivolts{}, milliamperes{};         ///< newest sample
    std::uint16_t min_millivolts{}, max_milliamperes{}; ///< since it was switched on, or off
    std::uint32_t off_time_us{};                        ///< from switching off to below 0.5 V for 5 ms; 0: not known
    std::uint32_t ramp_us{};                            ///< from switching on to 4.5 V; 0: not known
    std::uint64_t energy_uj{};                          ///< since it was switched on
    std::uint32_t cycles{};                             ///< insertions into this reader since the counters began
};
struct CountersReply { ///< of the link, since the board started
    std::uint32_t frames{}, bad_crc{}, bad_cobs{}, too_long{}, stale{}, repeated{}, rejected{}, stops{};
    std::uint32_t unknown{};      ///< frames of another version, or of a kind that a host does not send
    std::uint32_t unkept{};       ///< events for which the ring had no room
    std::uint32_t usb_restarts{}; ///< times that the USB controller no longer served the bus and was reset
    bool operator==(const CountersReply&) const = default;
};

/// How reading the card on the nest ended.
enum class NestEnd : std::uint8_t {
    none = 0,      ///< nothing was read since the board started
    reading,       ///< not yet
    finished,      ///< gone through to the end; each register says for itself how it went
    no_card,       ///< card-detect of the nest says none, or it went away
    no_answer,     ///< to `command`
    damaged,       ///< the answer to `command` has a wrong checksum or form
    not_sd,        ///< it answers as a MultiMediaCard does
    wrong_voltage, ///< it does not work at 3.3 V
    never_ready,   ///< still busy one second after it was told to begin
    interrupted    ///< by the e-stop, a fault, STOP, or the host's silence
};
enum class RegisterState : std::uint8_t {
    not_asked = 0,
    read,      ///< its checksum was right
    no_answer, ///< to the command for it
    no_data,   ///< the command was answered, but nothing followed in time
    damaged    ///< wrong checksum or form; what came is not told
};
/// Whether the supply current of the card on the nest was measured.
enum class NestSupply : std::uint8_t {
    none = 0, ///< it was not: the card got no supply, or the board cannot
    measured,
    offset ///< current shows where there is no supply: amplifier or changeover switch are broken
};
struct NestReply {
    std::uint32_t job{}; ///< that read it; 0: none since the board started
    NestEnd end{};
    std::uint8_t command{}; ///< number of the last command
    RegisterState cid{}, csd{}, scr{}, ssr{};
    std::uint8_t card{}; ///< 1: card-detect of the nest says that one is there now
    std::uint32_t ocr{}; ///< of a card that got ready; 0: none
    NestSupply supply{};
    std::uint32_t rest_ua{}; ///< with supply for 50 ms, before the first clock; microamperes, where `measured`
    std::uint32_t most_ua{}; ///< highest one between bursts
    bool operator==(const NestReply&) const = default;
};
/// Most significant byte first, as the card sends them; zeros where the register was not read. CID and CSD end with
/// the card's own CRC7.
struct NestRegistersReply {
    std::uint32_t job{};
    std::array<std::uint8_t, 16> cid{}, csd{};
    std::array<std::uint8_t, 8> scr{};
    std::array<std::uint8_t, 64> ssr{};
    bool operator==(const NestRegistersReply&) const = default;
};

// ---- events ---------------------------------------------------------------------------------------------------------

/// The payload of each event begins with EventHead; what follows is said beside the kind.
enum class EventKind : std::uint8_t {
    reset = 1,    ///< ResetEvent
    job_accepted, ///< JobEvent
    job_progress, ///< JobEvent; not kept: sent once, with id 0
    job_done,     ///< JobEvent
    job_failed,   ///< JobEvent
    card,         ///< CardEvent: card-detect changed
    port,         ///< PortEvent: state of a port changed
    fault,        ///< FaultEvent: latched
    cleared,      ///< FaultEvent: what was cleared
    lease_lost    ///< no more
};
struct EventHead {
    std::uint32_t id{}; ///< rising by 1 from 1 since the cold start
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
    std::uint32_t id{}; ///< this one and all before it are kept by the host
};

} // namespace mediarig::rigproto
