# SPDX-License-Identifier: GPL-3.0-or-later
"""The electrical rules. Each is a function that yields one line for each violation."""

import re

import pins_header
from schematic import failsafe
from schematic.catalog import PICO_GPIO
from schematic.netlist import GROUND
from schematic.view import CONTACT_OHM, WIRE_AMPS, trace_amps

DECOUPLING_FARAD = 100e-9
CAPACITOR_MARGIN = 0.8  # of its rated voltage
RESISTOR_MARGIN = 0.6  # of its rated power
SUPPLY_MARGIN = 0.9  # of its rated current
SEMICONDUCTOR_MARGIN = 0.9
MOTION = {"PUMP", "VALVE", "JAW_OPEN", "MOTOR_ARM"}  # outputs that Bank-8 leaves open


def unconnected(view):
    """Every pin is on a net, or left open on purpose."""
    for part in view.parts():
        for number, pin in part.kind.pins.items():
            connected = (part.ref, number) in view.net
            if pin.type == "nc" and connected:
                yield f"{part.ref}.{number} {pin.name} must stay open"
            elif pin.type != "nc" and not connected and (part.ref, number) not in view.circuit.unused:
                yield f"{part.ref}.{number} {pin.name} is not connected"
    seen = {}
    for net, part, number, _ in view.pins():
        if seen.setdefault((part.ref, number), net.name) != net.name:
            yield f"{part.ref}.{number} is on {seen[(part.ref, number)]} and on {net.name}"


def single(view):
    """A net connects at least two pins."""
    for net in view.circuit.nets.values():
        if len(net.pins) < 2 and not (len(net.pins) == 1 and net.pins[0][0].kind.pins[net.pins[0][1]].type == "io"):
            yield f"{net.name} has {len(net.pins)} pin"


def contention(view):
    """At most one output drives a net, and no output drives a supply."""
    for net in view.circuit.nets.values():
        drivers = [f"{p.ref}.{n}" for p, n in view.drivers(net)]
        sources = [
            f"{p.ref}.{n}"
            for p, n in net.pins
            if p.kind.pins[n].type == "power_out"
            and p.kind.what != "supply"
            and p.kind.what != "header"
            and not p.ref.startswith("J")
        ]
        if len(drivers) > 1:
            yield f"{net.name}: {' and '.join(drivers)} drive each other"
        if drivers and (net.volts is not None or sources):
            yield f"{net.name}: {' and '.join(drivers)} drives a supply"
        if len(sources) > 1:
            yield f"{net.name}: {' and '.join(sources)} feed each other"


def unsupplied(view):
    """Every power input is on a declared supply that has a source."""
    up = {down: upper for upper, down, _ in view.carriers()}
    carried = {(part.ref, n) for _, _, part in view.carriers() for n in part.kind.pins}
    for net, part, number, pin in view.pins():
        if pin.type != "power_in" or net.name == GROUND:
            continue
        if net.volts is None:
            yield f"{part.ref}.{number} {pin.name} is on {net.name}, which is no supply"
            continue
        name, steps = net.name, 0
        while name is not None and steps < 20:
            pins = view.circuit.nets[name].pins
            if any(
                p.kind.pins[n].type == "power_out" and ((p.ref, n) not in carried or p.kind.what == "supply")
                for p, n in pins
            ):
                break
            name, steps = up.get(name), steps + 1
        if name is None:
            yield f"{part.ref}.{number} {pin.name}: nothing feeds {net.name}"


def undriven(view):
    """Every input has a driver or a pull."""
    highest = view.highest()
    for net in view.circuit.nets.values():
        inputs = [(p, n) for p, n in net.pins if p.kind.pins[n].type == "in"]
        drains = [(p, n) for p, n in net.pins if p.kind.pins[n].type == "open_drain"]
        if not inputs and not drains or net.volts is not None:
            continue
        held = net.name in highest
        if (
            drains
            and not held
            and not any(p.kind.what in ("fet", "fork") or p.kind.extra.get("detect") for p, _ in drains)
        ):
            yield f"{net.name}: nothing pulls {drains[0][0].ref}.{drains[0][1]} up"
        if inputs and not view.drivers(net) and not held and not _charged(view, net):
            yield f"{net.name}: nothing drives {inputs[0][0].ref}.{inputs[0][1]}"


def _charged(view, net):
    return any(p.kind.what == "diode" for p, _ in net.pins)


def too_high(view):
    """No pin exceeds its voltage rating."""
    levels = view.highest()
    for net, part, number, pin in view.pins():
        volts = levels.get(net.name)
        if volts is None:
            continue
        most = pin.max_volts
        if most is None and pin.type in ("in", "io", "tristate", "out") and not part.kind.extra.get("bridge"):
            supply = view.supply_volts(part, number)
            most = supply + 0.3 if supply is not None else None
        if most is not None and volts > most + 1e-9:
            yield f"{part.ref}.{number} {pin.name} stands {most:.2f} V and sees {volts:.2f} V on {net.name}"


def _bridged_to_ground(view, net):
    """A solder bridge is permanently low."""
    return any(p.kind.mpn == "solder bridge" and "GND" in (view.at(p, "1"), view.at(p, "2")) for p, _ in net.pins)


def too_low(view):
    """An input reaches its high level."""
    levels = view.highest()
    for net, part, number, pin in view.pins():
        if pin.type not in ("in", "io") or pin.high is None or net.volts is not None:
            continue
        if pin.type == "io" and (view.drives(net, pin) or view.gpio.get(net.name, {}).get("direction") != "in"):
            continue
        volts, supply = levels.get(net.name), view.supply_volts(part, number)
        needed = pin.high * (supply or 0) if part.kind.ratio else pin.high
        if volts is not None and volts > 0 and volts + 1e-9 < needed and not _bridged_to_ground(view, net):
            yield f"{part.ref}.{number} {pin.name} needs {needed:.2f} V for high and gets {volts:.2f} V on {net.name}"


def fail_safe(view):
    """Every switching output is off in reset, in the boot loader, in a brown-out and without 3.3 V."""
    for state, volts in failsafe.STATES:
        for part, number, level, off in failsafe.judge(view, volts):
            if not off:
                name = view.net[(part.ref, number)].name
                seen = "floats" if level is None else f"is at {level:.2f} V"
                yield f"{name} {seen} at {part.ref}.{number} in {state}: {part.kind.pins[number].name} must be {part.kind.pins[number].off}"
    for standing in (0.0, 3.3):
        hung = failsafe.judge(view, 3.3, {"SAFETY_PUMP": standing})
        for part, number, level, off in hung:
            if view.at(part, number) == "PUMPED" and not off:
                yield f"SAFETY_PUMP standing at {standing} V keeps the motor supply on"


def overload(view):
    """Outputs, resistors, switches and supplies stay within their ratings."""
    yield from _outputs(view)
    amps = view.amps()
    high = view.highest()
    low = view.levels({net.name: 0.0 for net in view.circuit.nets.values() if net.volts is None and view.drivers(net)})
    for a, b, ohm, part in view.resistors():
        if part.kind.what != "resistor":
            continue
        if part.kind.extra.get("carries"):
            watts = view.faulty_amps(b, amps) ** 2 * ohm
        else:
            watts = max(((l[a] - l[b]) ** 2 / ohm for l in (high, low) if a in l and b in l), default=0.0)
        if watts > part.kind.rating * RESISTOR_MARGIN:
            yield f"{part.ref} {part.kind.value}: {watts * 1000:.0f} mW of {part.kind.rating * 1000:.0f}"
    for up, down, part in view.carriers():
        rating = part.kind.extra.get("fuse_amps", part.kind.rating)
        if part.kind.what in ("switch", "fuse", "diode", "converter") and amps[down] > rating * SEMICONDUCTOR_MARGIN:
            yield f"{part.ref} {part.kind.mpn}: {amps[down]:.2f} A of {rating} A from {up} to {down}"
    for part in view.parts("supply"):
        name = view.at(part, "PLUS")
        if amps[name] > part.kind.rating * SUPPLY_MARGIN:
            yield f"{part.ref} {part.kind.mpn}: {amps[name]:.2f} A of {part.kind.rating} A"
    for part in view.parts("fet"):
        drain = view.at(part, "D")
        if amps.get(drain, 0) > part.kind.rating * SEMICONDUCTOR_MARGIN:
            yield f"{part.ref} {part.kind.mpn}: {amps[drain]:.2f} A of {part.kind.rating} A"


def _outputs(view):
    totals = {}
    for net in view.circuit.nets.values():
        for part, number in view.drivers(net):
            limit = part.kind.extra.get("pin_ma")
            if not limit:
                continue
            supply = view.supply_volts(part, number) or 0.0
            worst = 0.0
            for level in (0.0, supply):
                lit = {name: volts for name, volts in _led_nets(view).items() if volts < level}
                levels = view.levels({**lit, net.name: level})
                flow = sum(
                    (level - levels.get(b if a == net.name else a, level)) / ohm
                    for a, b, ohm, _ in view.resistors()
                    if net.name in (a, b)
                )
                worst = max(worst, abs(flow) * 1000)
            totals[part.ref] = totals.get(part.ref, 0.0) + worst
            if worst > limit:
                yield f"{part.ref}.{number}: {worst:.1f} mA of {limit} on {net.name}"
    for ref, total in totals.items():
        limit = view.circuit.parts[ref].kind.extra["total_ma"]
        if total > limit:
            yield f"{ref}: {total:.1f} mA of {limit} in all outputs"


def _led_nets(view):
    return {view.at(led, "A"): led.kind.extra["volts"] for led in view.parts("led")}


def conductors(view):
    """Traces, wires and contacts carry the current of their net and withstand the current of a short circuit."""
    amps = view.amps()
    for net in view.circuit.nets.values():
        if net.name == GROUND:
            needed = amps[GROUND]
        elif net.volts is not None:
            needed = view.faulty_amps(net.name, amps)
        else:
            needed = amps.get(net.name, 0)
        if needed > trace_amps(net.trace):
            yield f"{net.name}: a trace of {net.trace} mm carries {trace_amps(net.trace):.2f} A, not {needed:.2f}"
    for cable in view.circuit.cables:
        for wire in cable.wires:
            short = 0.0 if wire.net == GROUND else view.protection(wire.net)
            if short > WIRE_AMPS[cable.square]:
                yield f"{cable.ref} {wire.net}: {cable.square} mm² stand {WIRE_AMPS[cable.square]} A, a short lets {short:.2f} through"
            flowing, ways = _device_amps(view, wire, amps)
            for end in (wire.at, wire.to):
                ref, number = end.split(".")
                rating = view.circuit.parts[ref].kind.pins[number].amps
                if rating is not None and flowing / ways > rating:
                    yield f"{end}: a contact of {rating} A carries {flowing / ways:.2f} A of {wire.net}"


def _device_amps(view, wire, amps):
    """Returns the current in a wire for the device at its far end, and the number of wires that share it."""
    ref, number = wire.to.split(".")
    device = view.circuit.parts[ref]
    if device.kind.what == "supply":
        return amps[view.at(device, "PLUS")], 1
    if wire.net != GROUND:
        drawn = device.kind.pins[number].draw / 1000
        limits = [p for p in view.parts("switch") if p.kind.mpn.startswith("TPS2553") and view.at(p, "OUT") == wire.net]
        if limits:
            drawn = view.port_limit_ma(limits[0])[2] / 1000
        return max(drawn, amps.get(wire.net, 0) if device.kind.extra.get("phase_amps") else 0), 1
    ways = sum(1 for n in device.kind.pins if view.at(device, n) == GROUND)
    return sum(p.draw for p in device.kind.pins.values()) / 1000, ways


def decoupling(view):
    """Each supply pin of a chip on the board has a capacitor between that supply and ground."""
    near = {}
    for part in view.parts("capacitor"):
        if part.near:
            near.setdefault(part.near, []).append(part)
    for net, part, number, pin in view.pins():
        if pin.type != "power_in" or net.name == GROUND or not part.ref.startswith("U"):
            continue
        fitting = [
            p
            for p in near.get(f"{part.ref}.{number}", [])
            if {view.at(p, "1"), view.at(p, "2")} == {net.name, GROUND} and p.kind.number >= DECOUPLING_FARAD
        ]
        if not fitting:
            yield f"{part.ref}.{number} {pin.name} on {net.name} has no capacitor of its own"


def capacitors(view):
    """A capacitor is rated for the voltage of its net."""
    levels = view.highest()
    for part in view.parts("capacitor"):
        volts = abs(levels.get(view.at(part, "1"), 3.3) - levels.get(view.at(part, "2"), 0.0))
        if volts > part.kind.rating * CAPACITOR_MARGIN:
            yield f"{part.ref} {part.kind.value}: {volts:.1f} V on {part.kind.rating} V"


def pin_map(view):
    """The netlist agrees with hw/pins.csv about each pin of the Pico and of the shift registers."""
    circuit = view.circuit
    pico = next(p for p in view.parts() if "pull_ohm" in p.kind.extra)
    outs = sorted((p for p in view.parts() if p.kind.mpn.startswith("74HC595")), key=lambda p: int(p.ref[1:]))
    ins = sorted((p for p in view.parts() if p.kind.mpn.startswith("74HC165")), key=lambda p: int(p.ref[1:]))
    pad = {gp: str(number) for number, gp in PICO_GPIO.items()}
    for row in view.rows:
        kind, index = pins_header.number(row["gp"])
        signal = row["signal"]
        if kind == "GP":
            if index not in pad:
                continue  # on the Pico itself
            part, number = pico, pad[index]
        else:
            registers = outs if kind == "OUT" else ins
            part = registers[index // 8] if index // 8 < len(registers) else None
            number = part and part.pin(("Q" + "ABCDEFGH"[index % 8]) if kind == "OUT" else f"D{index % 8}")[1]
        found = view.at(part, number) if part else None
        if signal == "NC" or (circuit.name == "bank8" and signal in MOTION):
            if found is not None:
                yield f"{row['gp']} is left free in pins.csv, and on {found} in the netlist"
        elif found != signal:
            yield f"{row['gp']} is {signal} in pins.csv, and {found or 'open'} in the netlist"
    names = {row["signal"] for row in view.rows}
    for net in circuit.nets.values():
        if net.name in names and not any(p is pico or p in outs or p in ins for p, _ in net.pins):
            yield f"{net.name} is a signal of pins.csv and does not reach the Pico or a chain"


def firmware_values(view, parts_hpp):
    """Constants of firmware and model (hw/parts.hpp) equal the values of the parts."""
    said = {name: int(value.replace("'", "")) for name, value in re.findall(r"(\w+) = ([\d']+)[,;]", parts_hpp)}
    named = {p.ref: p for p in view.parts()}
    ohm = {(a, b): o for a, b, o, _ in view.resistors()}
    ohm.update({(b, a): o for (a, b), o in list(ohm.items())})
    for n in range(8):
        yield from _same(f"divider of port {n}, top", ohm.get((f"VBUS{n}", f"VOLTAGE{n}")), said["divider_top_ohm"])
        yield from _same(f"divider of port {n}, bottom", ohm.get((f"VOLTAGE{n}", GROUND)), said["divider_bottom_ohm"])
        switch = next(p for p in named.values() if p.kind.mpn.startswith("TPS2553") and view.at(p, "OUT") == f"VBUS{n}")
        least, nominal, _ = view.port_limit_ma(switch)
        if abs(nominal - said["limit_ma"]) > 10 or least < said["limit_least_ma"]:
            yield f"limit of port {n}: {least:.0f} to {nominal:.0f} mA, the firmware counts on {said['limit_least_ma']} to {said['limit_ma']}"
        amplifier = next(p for p in named.values() if "gain" in p.kind.extra and view.at(p, "OUT") == f"CURRENT{n}")
        shunt = ohm.get((view.at(amplifier, "IN_P"), view.at(amplifier, "IN_N")), 0)
        yield from _same(f"millivolts a milliampere of port {n}", round(shunt * amplifier.kind.extra["gain"], 6), 1)
    amplifier = next(
        p for p in named.values() if "gain" in p.kind.extra and view.at(p, "OUT") == "NEST_CURRENT_RAW"
    )
    shunt = ohm.get((view.at(amplifier, "IN_P"), view.at(amplifier, "IN_N")), 0)
    yield from _same("shunt of the nest, milliohm", round(shunt * 1000), said["nest_shunt_milliohm"])
    yield from _same("gain at the nest", amplifier.kind.extra["gain"], said["nest_gain"])
    for signal in ("PORT_CURRENT", "PORT_VOLTAGE"):
        mux = signal.removeprefix("PORT_") + "_MUX"
        yield from _same(f"filter of {signal}", ohm.get((mux, signal)), said["filter_ohm"])
        farad = sum(p.kind.number for p in view.parts("capacitor") if signal in (view.at(p, "1"), view.at(p, "2")))
        yield from _same(f"filter of {signal}, pF", round(farad * 1e12), said["filter_pf"])
    for mux in (p for p in view.parts() if "on_ohm" in p.kind.extra):
        yield from _same(f"{mux.ref}, ohm", mux.kind.extra["on_ohm"], said["mux_ohm"])


def _same(what, found, expected):
    if found != expected:
        yield f"{what}: {found} in the schematic, {expected} in hw/parts.hpp"


def plugs(view):
    """The plug of a supply does not fit into the jack of a lower voltage: the higher voltage would destroy its
    loads."""
    jacks = [p for p in view.parts() if "pin_mm" in p.kind.extra]
    for supply in view.parts("supply"):
        volts, hole = supply.kind.extra["volts"], supply.kind.extra["hole_mm"]
        for jack in jacks:
            other = view.volts_of(view.at(jack, "TIP"))
            if volts > other and hole >= jack.kind.extra["pin_mm"]:
                yield f"{supply.ref} {supply.kind.mpn}: {volts:g} V go into {jack.ref}, which is for {other:g} V"


def colours(view):
    """In a cable, wires of one colour belong to one net."""
    for cable in view.circuit.cables:
        nets = {}
        for wire in cable.wires:
            if nets.setdefault(wire.colour, wire.net) != wire.net:
                yield f"{cable.ref}: {nets[wire.colour]} and {wire.net} are both {wire.colour}"


# Number of pads of a footprint, by its name in KiCad.
_PADS = (
    (re.compile(r"(?:SOIC-|Breakout-|SOT-23-|SC-70-|_1x0?)(\d+)(?:_|$)"), None),
    (re.compile(r":SOT-23$|BarrelJack_CUI_PJ-063AH"), 3),
    (re.compile(r"_(?:0603|0805|1206|2010|2512|1812)_|:CP_Elec_|:D_SM[AB]$|Fuseholder_Blade_Mini|SolderJumper-2_"), 2),
    (re.compile(r":TestPoint_Pad_"), 1),
    (re.compile(r":RaspberryPi_Pico_Common_SMD$"), 43),
)


def footprints(view):
    """A part on the board has no pin that its footprint lacks: board editors drop such a connection without a
    message."""
    for part in view.parts():
        if part.place != "board" or not part.kind.pins:
            continue
        found = [(pattern.search(part.kind.footprint), pads) for pattern, pads in _PADS]
        pads = next((pads or int(match[1]) for match, pads in found if match), None)
        if pads is None:
            yield f"{part.ref} {part.kind.mpn}: the pads of {part.kind.footprint} are unknown"
        else:
            for number, pin in part.kind.pins.items():
                if int(number) > pads:
                    yield f"{part.ref} {part.kind.mpn}: {pin.name} is pin {number}, and {part.kind.footprint} has {pads} pads"


# Functions of a module's pads, in the order of their numbers in KiCad's library: down one side and up the other. A part
# of our catalogue must have the same function at each pad. The second table translates our pin names.
_PAD_NAMES = {
    "Module:Pololu_Breakout-16_15.2x20.3mm": (
        "GND VDD 1B 1A 2A 2B GND VMOT ~ENABLE MS1 MS2 MS3 ~RESET ~SLEEP STEP DIR".split(),
        {
            "VIO": "VDD",
            "M1B": "1B",
            "M1A": "1A",
            "M2A": "2A",
            "M2B": "2B",
            "GND2": "GND",
            "VM": "VMOT",
            "EN_N": "~ENABLE",
            "PDN": "MS3",
            "PDN2": "~RESET",
            "CLK": "~SLEEP",
        },
    ),
    "Package_TO_SOT_SMD:SOT-23": ("G S D".split(), {}),
    "Diode_SMD:D_SMA": ("K A".split(), {}),
    "Diode_SMD:D_SMB": ("K A".split(), {}),
    "LED_SMD:LED_0603_1608Metric": ("K A".split(), {}),
    "Connector_BarrelJack:BarrelJack_CUI_PJ-063AH_Horizontal": ("TIP SLEEVE SWITCH".split(), {}),
}


def pad_names(view):
    """A part whose footprint has a fixed function at each pad has the same functions."""
    for part in view.parts():
        names, same = _PAD_NAMES.get(part.kind.footprint, ((), {}))
        if part.place == "off" or (part.kind.footprint.endswith(":SOT-23") and part.kind.what != "fet"):
            continue
        for number, name in enumerate(names, 1):
            pin = part.kind.pins.get(str(number))
            if pin is None or same.get(pin.name, pin.name) != name:
                found = pin.name if pin else "nothing"
                yield f"{part.ref} {part.kind.mpn}: pad {number} of {part.kind.footprint} is {name}, not {found}"


def esd(view):
    """Each line of a connector has a clamp to ground, unless it is a supply, a motor coil or a switched load."""
    clamped = set()
    for part in view.parts("esd"):
        clamped |= {view.at(part, n) for n in part.kind.pins}
    for part in view.parts("header"):
        if part.place != "board":
            continue
        for number in part.kind.pins:
            net = view.net.get((part.ref, number))
            if net is None or net.volts is not None or net.name in clamped:
                continue
            driven = [p for p, n in net.pins if n in p.kind.extra.get("bridge", ())]
            switched = [p for p, n in net.pins if p.kind.what == "fet" and p.kind.pins[n].name == "D" and p.kind.rating >= 1]
            if not driven and not switched:
                yield f"{part.ref}.{number}: no clamp on {net.name}"


def wetting(view):
    """A contact switches at least the load that keeps it clean."""
    for part in view.parts("contact"):
        if "least" not in part.kind.extra:
            continue
        least_volts, least_ma = part.kind.extra["least"]
        ends = [view.at(part, n) for n in part.kind.pins]
        opened, closed = view.levels({}, without={part.ref}), view.levels({})
        volts = abs(opened.get(ends[0], 0.0) - opened.get(ends[1], 0.0))
        milliamps = abs(closed[ends[0]] - closed[ends[1]]) / CONTACT_OHM * 1000
        if volts < least_volts - 1e-6 or milliamps < least_ma:
            yield f"{part.ref} {part.kind.mpn}: {volts:.1f} V and {milliamps:.1f} mA, at least {least_volts:g} V and {least_ma:g} mA"


def orderable(view):
    """Every part can be ordered: number, maker, second source, footprint, price."""
    for part in view.parts():
        kind = part.kind
        for what, value in (
            ("number", kind.mpn),
            ("maker", kind.maker),
            ("second source", kind.second),
            ("footprint", kind.footprint),
        ):
            if not value:
                yield f"{part.ref}: no {what}"
        if part.place == "board" and kind.pins and ":" not in kind.footprint:
            yield f"{part.ref} {kind.mpn}: no footprint"
        if kind.price < 0:
            yield f"{part.ref}: no price"


RULES = {
    rule.__name__: rule
    for rule in (
        unconnected,
        single,
        contention,
        unsupplied,
        undriven,
        too_high,
        too_low,
        fail_safe,
        overload,
        conductors,
        decoupling,
        capacitors,
        pin_map,
        plugs,
        colours,
        footprints,
        pad_names,
        esd,
        wetting,
        orderable,
    )
}


def check(view, parts_hpp):
    """Returns [(rule, line)]: all violations."""
    found = [(name, line) for name, rule in RULES.items() for line in rule(view)]
    return found + [("firmware_values", line) for line in firmware_values(view, parts_hpp)]
