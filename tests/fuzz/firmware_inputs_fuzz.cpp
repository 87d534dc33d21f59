// SPDX-License-Identifier: GPL-3.0-or-later
/// Runs the machine with arbitrary requests of a host and arbitrary states of its pins, in any order. The inputs need
/// not be consistent with each other or with the commands. Flags and vacuum follow the model until the script inverts
/// them, since otherwise homing would never succeed. The machine must not crash and must keep its invariants.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>

#include "common/rigproto/simulated_rig.hpp"
#include "firmware/core/machine.hpp"
#include "firmware/plant/sd_card.hpp"

using namespace mediarig;
using namespace mediarig::firmware;

namespace {

class Script {
public:
    explicit Script(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
    [[nodiscard]] bool ended() const { return bytes_.empty(); }
    std::uint8_t byte() {
        if (bytes_.empty()) return 0;
        const std::uint8_t value = bytes_[0];
        bytes_ = bytes_.subspan(1);
        return value;
    }
    std::uint16_t word() { return static_cast<std::uint16_t>(byte() << 8 | byte()); }

private:
    std::span<const std::uint8_t> bytes_;
};

void must(bool holds) {
    if (!holds) std::abort();
}

class Bench {
public:
    Bench() { machine.configure(rigproto::simulated_rig(), 0); }

    void tick() {
        const bool was_latched = latched();
        inputs.now_us += tick_us;
        inputs.x_home = (position_[0] <= 0) != x_home_wrong;
        inputs.z_home = (position_[1] <= 0) != z_home_wrong;
        if (vacuum_follows) vacuum_mv = outputs.pump ? 2'500 : 0;
        inputs.vacuum_mv.reset();
        inputs.nest_microamperes.reset();
        if (outputs.nest_sense)
            inputs.nest_microamperes = vacuum_mv * 100U;
        else
            inputs.vacuum_mv = vacuum_mv;
        inputs.sampled = outputs.sample;
        clock_nest();
        const Outputs before = outputs;
        outputs = machine.tick(inputs);
        check(before, was_latched);
        make_steps();
        const EventIds ids = events.ring().ids();
        for (std::uint32_t id = ids.oldest; id != ids.next; ++id) {
            if (events.ring().at(id).kind == rigproto::EventKind::cleared) must(cleared_ || !was_latched);
            events.ring().acknowledge(id);
        }
        cleared_ = false;
    }

    void command(Script& script) {
        using namespace rigproto;
        const std::uint32_t job = ++job_;
        const std::uint8_t which = script.byte() % 11;
        const auto begin = [&](const auto& request) {
            if (machine.begin(RigCommand{request}, inputs.now_us).reject != Reject::none) return;
            events.jobs().accept(job, 1);
            if (which == 4) cleared_ = true;
        };
        switch (which) {
            case 0:
                return begin(HomeRequest{job});
            case 1:
                return begin(LoadRequest{job, script.byte(), script.byte()});
            case 2:
                return begin(
                    UnloadRequest{job, script.byte(), static_cast<UnloadRequest::To>(script.byte()), script.byte()});
            case 3:
                return begin(PowerRequest{job, script.byte(), script.byte()});
            case 4:
                return begin(ClearRequest{job});
            case 5:
                return begin(JogRequest{job, static_cast<Axis>(script.byte() % 3), script.word() - 100});
            case 6:
                return begin(ParkRequest{job});
            case 7:
                return begin(GuardRequest{job, script.byte()});
            case 8:
                return begin(NestReadRequest{job});
            case 9:
                return begin(IdentifyRequest{job, script.byte()});
            default:
                return begin(BootloaderRequest{job, bootloader_magic});
        }
    }

    void flip(Script& script) {
        const std::uint8_t which = script.byte();
        switch (which % 11) {
            case 0:
                x_home_wrong = !x_home_wrong;
                break;
            case 1:
                z_home_wrong = !z_home_wrong;
                break;
            case 2:
                inputs.safety_closed = !inputs.safety_closed;
                break;
            case 3:
                inputs.driver_fault = !inputs.driver_fault;
                break;
            case 4:
                inputs.cards = script.byte();
                break;
            case 5:
                inputs.port_faults = script.byte();
                break;
            case 6:
                vacuum_follows = !vacuum_follows;
                vacuum_mv = script.word();
                break;
            case 7:
                inputs.nest_card = !inputs.nest_card;
                break;
            case 8: // a card that answers, with a mask over its later answers
                card_.insert(plant::simulated_registers(0), static_cast<plant::SdDefect>(which / 11 % 7));
                nest_noise_ = {script.word(), script.word(), script.word(), script.word()};
                break;
            default: {
                const std::uint8_t mask = script.byte();
                const PortSample sample{script.word(), script.word()};
                for (std::uint8_t port = 0; port < port_count; ++port)
                    if ((mask >> port & 1) != 0) inputs.ports[port] = sample;
            }
        }
    }

    void interrupt() {
        machine.safety_opened();
        steps.halt();
    }

    Retained retained{};
    bool cold{open_retained(retained)};
    Events events{retained};
    StepQueue steps;
    Machine machine{events, retained, steps};
    Inputs inputs{.safety_closed = true};
    Outputs outputs;
    std::uint16_t vacuum_mv{};
    bool x_home_wrong{}, z_home_wrong{}, vacuum_follows{true};

private:
    [[nodiscard]] bool latched() const { return machine.status().state == rigproto::State::latched; }

    void check(const Outputs& before, bool was_latched) {
        const rigproto::StatusReply status = machine.status();
        must((status.state == rigproto::State::latched) == (status.fault != rigproto::Fault::none));
        if (was_latched && !latched()) must(cleared_);
        if (!inputs.safety_closed) {
            must(!outputs.enabled && !outputs.motors_on && outputs.ports_on == 0);
            must(status.fault == rigproto::Fault::estop);
        }
        if (latched()) must(!outputs.motors_on && !outputs.pump && !outputs.valve);
        must(!(outputs.pump && outputs.valve) && !(outputs.pump && outputs.jaw_open));
        if (latched()) must(!outputs.jaw_open);
        must((outputs.ports_on & ~status.cards) == 0);
        const auto risen = static_cast<std::uint8_t>(outputs.ports_on & ~before.ports_on);
        must((risen & (risen - 1)) == 0);
        if (risen != 0) must(inputs.now_us - switched_at_us_ >= port_spacing_us);
        if (outputs.ports_on != before.ports_on) switched_at_us_ = inputs.now_us;
        pumping_us_ = outputs.pump ? pumping_us_ + tick_us : 0;
        venting_us_ = outputs.valve ? venting_us_ + tick_us : 0;
        must(pumping_us_ <= pump_longest_us + tick_us && venting_us_ <= vent_timeout_us + tick_us);
        must(outputs.nest.clocks <= burst_clocks && (outputs.nest.clocks == 0 || outputs.nest.power));
        if (latched()) must(outputs.nest == NestBurst{});
        if (machine.nest().end == rigproto::NestEnd::reading)
            must(++reading_ticks_ < longest_reading_ticks);
        else
            reading_ticks_ = 0;
        if (outputs.enter_bootloader) must(outputs.ports_on == 0 && !outputs.motors_on && !outputs.pump);
    }

    void clock_nest() {
        const NestBurst& burst = outputs.nest;
        card_.power(burst.power);
        inputs.nest = {.clocks = burst.clocks};
        for (unsigned i = 0; i < burst.clocks; ++i) {
            const std::uint32_t bit = 1U << (31 - i);
            const bool host = !burst.drives || (burst.bits & bit) != 0;
            card_.lines(true, host, inputs.now_us * 1'000);
            if (host && card_.command()) inputs.nest.command |= bit;
            if (card_.data()) inputs.nest.data |= bit;
            card_.lines(false, host, inputs.now_us * 1'000);
        }
        const std::uint32_t turn = static_cast<std::uint32_t>(inputs.now_us / tick_us) % 4;
        inputs.nest.command ^= nest_noise_[turn];
        inputs.nest.data ^= static_cast<std::uint32_t>(nest_noise_[turn]) << 16;
    }

    void make_steps() {
        bool moved[2]{};
        MotorStep step;
        for (; due_us_ < tick_us && steps.next(step); due_us_ += step.interval_us) {
            must(outputs.motors_on && outputs.enabled && !latched());
            if (step.axis == Axis::x) must(inputs.z_home);
            moved[static_cast<std::size_t>(step.axis)] = true;
            position_[static_cast<std::size_t>(step.axis)] += step.direction == Direction::away ? 1 : -1;
        }
        due_us_ = due_us_ > tick_us ? due_us_ - tick_us : 0;
        must(!(moved[0] && moved[1]));
    }

    /// The longest reading: ACMD41 is repeated for a second, and every other step takes its longest time.
    static constexpr std::uint32_t longest_reading_ticks = 3'000'000 / tick_us;
    plant::SdCard card_;
    std::array<std::uint16_t, 4> nest_noise_{};
    std::uint32_t reading_ticks_{};
    std::int32_t position_[2]{100, 40};
    std::uint64_t switched_at_us_{}, pumping_us_{}, venting_us_{};
    std::uint32_t due_us_{}, job_{};
    bool cleared_{};
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Script script({data, size});
    Bench bench;
    for (int ticks = 0; !script.ended() && ticks < 60'000;) {
        const std::uint8_t what = script.byte();
        switch (what % 8) {
            case 0:
            case 1:
                bench.command(script);
                break;
            case 2:
            case 3:
                bench.flip(script);
                break;
            case 4:
                bench.machine.stop(bench.inputs.now_us);
                break;
            case 5:
                bench.machine.lease_lost(bench.inputs.now_us);
                if ((what & 0x80) != 0) bench.machine.lease_parked(bench.inputs.now_us);
                break;
            case 6: {
                if ((what & 0x18) == 0) bench.interrupt();
                rigproto::Config config = rigproto::simulated_rig();
                if ((what & 0x20) == 0) break;
                // One member has an arbitrary value.
                const std::size_t at = script.byte() % (sizeof config - 3);
                const std::uint8_t bytes[4] = {script.byte(), script.byte(), script.byte(), script.byte()};
                std::memcpy(reinterpret_cast<char*>(&config) + at, bytes, sizeof bytes);
                bench.machine.configure(config, bench.inputs.now_us);
                break;
            }
            default:
                break;
        }
        for (int n = (what >> 3) * (what >> 3); n >= 0; --n, ++ticks) bench.tick();
    }
    return 0;
}
