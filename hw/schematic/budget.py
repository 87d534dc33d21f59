# SPDX-License-Identifier: GPL-3.0-or-later
"""Computes power, heat and times from the parts, and compares times with the requirements of the firmware."""

import math

from schematic.netlist import GROUND

AMBIENT = 40.0  # °C in the case
JUNCTION_MARGIN = 10.0  # K below the rating of a part
PUMP_HERTZ = 1_000.0  # GP13: one edge per tick of 500 us
PUMP_DROP_MS = 20.0
DISCHARGE_MS = 25.0
SUPPLY_LEAST = 0.95
PORT_LEAST_VOLTS = 4.5  # the firmware reports "no voltage" below this
NEST_OFF_MS = 100.0
MOTOR_OFF_MS = 200.0
INRUSH_AMPS = 3.0  # below the limit of the 12 V supply
DRIVER_LEAST_VOLTS = 4.5  # a TMC2209 stops below this
FIRMWARE_TRIP_MS = 3.0  # three samples of 0.5 ms, and the delay of the chain


def supplies(view):
    """Returns [(net, volts, amps, source)] from the supplies down."""
    amps = view.amps()
    source = {down: part for _, down, part in view.carriers()}
    rows = []
    for name, net in view.circuit.nets.items():
        if net.volts is None or name == GROUND:
            continue
        part = source.get(name)
        if part is None:
            part = next((p for p, _ in net.pins if p.kind.what == "supply"), None)
        rows.append((name, net.volts, amps[name], f"{part.ref} {part.kind.mpn}" if part else ""))
    return rows


def heat(view):
    """Returns [(ref, part, watts, rise in K, hottest °C, allowed °C)] of the parts that heat up."""
    amps, rows = view.amps(), []
    for up, down, part in view.carriers():
        extra, flow = part.kind.extra, amps[down]
        if "converts" in extra:
            watts = flow_watts(view, part, amps)
        elif "ohm" in extra:
            watts = flow**2 * extra["ohm"]
        elif part.kind.what == "diode":
            watts = flow * extra["volts"]
        elif part.kind.what == "resistor":
            watts = flow**2 * part.kind.number
        else:
            continue
        if "kelvin" in extra:
            rows.append(_row(part, watts))
    for part in view.parts():
        extra = part.kind.extra
        if "phase_ohm" in extra:
            rows.append(_row(part, 2 * extra["phase_amps"] ** 2 * extra["phase_ohm"] + 0.3))
        elif part.kind.what == "fet" and "kelvin" in extra and amps.get(view.at(part, "D")):
            rows.append(_row(part, amps[view.at(part, "D")] ** 2 * extra["ohm"]))
    return rows


def flow_watts(view, part, amps):
    up, down = (view.at(part, n) for n in part.kind.extra["converts"])
    out = amps[down] * view.volts_of(down)
    return amps[up] * view.volts_of(up) - out


def _row(part, watts):
    rise = watts * part.kind.extra["kelvin"]
    return (part.ref, part.kind.mpn, watts, rise, AMBIENT + rise, part.kind.extra.get("junction", 155))


def _farad(view, net):
    return sum(p.kind.number for p in view.parts("capacitor") if {view.at(p, "1"), view.at(p, "2")} == {net, GROUND})


def _to_ground(view, net):
    """Returns all parallel paths that discharge a net."""
    siemens = sum(
        1 / _path(view, b if a == net else a, ohm, part)
        for a, b, ohm, part in view.resistors()
        if net in (a, b) and part.kind.what == "resistor"
    )
    return 1 / siemens if siemens else math.inf


def _path(view, other, ohm, part):
    if other == GROUND:
        return ohm
    further = [o for a, b, o, p in view.resistors() if other in (a, b) and GROUND in (a, b) and p is not part]
    return ohm + further[0] if further else math.inf


def _path_to(view, net):
    """Returns (amperes, lost watts) of each part between a supply and `net`."""
    amps, source = view.amps(), {down: (up, part) for up, down, part in view.carriers()}
    while net in source:
        up, part = source[net]
        ohm = part.kind.extra.get("ohm", part.kind.number)
        yield amps[net], amps[net] ** 2 * ohm
        net = up


def _supply_switch(view):
    """(seconds until the 12 V switch is open, amperes into the capacitors after it while it closes)."""
    controller = next(p for p in view.parts() if "gate_amps" in p.kind.extra)
    slope = next(p.kind.number for p in view.parts("capacitor") if "SUPPLY_SLOPE" in (view.at(p, "1"), view.at(p, "2")))
    enable_ohm = next(o for a, b, o, _ in view.resistors() if {a, b} == {"SUPPLY_ON", GROUND})
    enable = next(p.kind.number for p in view.parts("capacitor") if "SUPPLY_ON" in (view.at(p, "1"), view.at(p, "2")))
    falls_s = enable_ohm * enable * 1.2 * math.log(3.3 / controller.kind.extra["on_volts"][0])
    opens_s = falls_s + 30 * slope * 1.2 / controller.kind.extra["gate_off_amps"]
    return opens_s, controller.kind.extra["gate_amps"][1] / (slope * 0.8) * _farad(view, "+12V_MOT") * 1.2


def times(view):
    """Returns [(name, computed, required, unit, holds)] of the assumptions of firmware and safety."""
    rows = []

    def row(what, value, most, unit):
        rows.append((what, value, most, unit, value <= most))

    for n in range(8):
        net = f"VBUS{n}"
        behind = sum(p.kind.extra.get("farad", 0.0) for p, _ in view.circuit.nets[net].pins)
        tau = (_farad(view, net) * 1.2 + behind) * _to_ground(view, net)
        row(
            f"{net} from 5 V to 0.5 V with {behind * 1e6:.0f} uF in the reader that draws nothing",
            tau * math.log(10) * 1000,
            DISCHARGE_MS,
            "ms",
        )
        volts = SUPPLY_LEAST * 5 - sum(watts / flow for flow, watts in _path_to(view, net))
        rows.append((f"{net} at full load, supply 5 % low", volts, PORT_LEAST_VOLTS, "V", volts >= PORT_LEAST_VOLTS))
    nest = next((p for p in view.parts("switch") if "discharge" in p.kind.extra), None)
    row(
        "NEST_3V3 from 3.3 V to 0.5 V through the switch's own discharge",
        nest.kind.extra["discharge"] * _farad(view, "NEST_3V3") * 1.2 * math.log(3.3 / 0.5) * 1000,
        NEST_OFF_MS,
        "ms",
    )
    if view.circuit.name == "swap30":
        held, ohm = _farad(view, "PUMPED"), _to_ground(view, "PUMPED")
        flying = next(p.kind.number for p in view.parts("capacitor") if "PUMP_AC" in (view.at(p, "1"), view.at(p, "2")))
        fet = next(p for p in view.parts("fet") if view.at(p, "G") == "PUMPED")
        least, most = fet.kind.extra["threshold"]
        diodes = 2 * next(p.kind.extra["volts"] for p in view.parts("diode") if view.at(p, "K") == "PUMPED")
        full = 3.3 - diodes
        pumped = full / (1 + 1 / (ohm * flying * PUMP_HERTZ))
        trough = pumped * math.exp(-1 / PUMP_HERTZ / (ohm * held))
        opens_s, inrush = _supply_switch(view)
        row(
            "motor supply switch opens after the last edge of GP13",
            (ohm * held * math.log(full / least) + opens_s) * 1000,
            PUMP_DROP_MS,
            "ms",
        )
        row("into the capacitors of +12V_MOT when it comes on", inrush, INRUSH_AMPS, "A")
        rows.append(
            ("charge pump at 1 kHz, lowest, above the threshold of its transistor", trough, most, "V", trough > most)
        )
        bulk = _farad(view, "+12V_MOT") * 1.2
        bleed = min(o for a, b, o, p in view.resistors() if "+12V_MOT" in (a, b) and p.kind.what == "resistor")
        row(
            "+12V_MOT from 12 V to where the drivers stop, by its bleeder alone",
            bulk * bleed * math.log(12 / DRIVER_LEAST_VOLTS) * 1000,
            MOTOR_OFF_MS,
            "ms",
        )
    for switch in (p for p in view.parts("switch") if p.kind.mpn.startswith("TPS2553")):
        _, _, most = view.port_limit_ma(switch)
        rows.append(
            (
                f"{switch.ref}: heat of a short until the firmware cuts it, switch and its thermal stop carry it",
                5 * most / 1000 * FIRMWARE_TRIP_MS,
                50,
                "mJ",
                5 * most / 1000 * FIRMWARE_TRIP_MS <= 50,
            )
        )
        break
    return rows


def wrong(view):
    """Returns one line for each violated budget."""
    for ref, mpn, watts, _, hottest, allowed in heat(view):
        if hottest > allowed - JUNCTION_MARGIN:
            yield f"{ref} {mpn}: {watts:.2f} W make {hottest:.0f} °C of {allowed}"
    for what, value, demand, unit, holds in times(view):
        if not holds:
            yield f"{what}: {value:.1f} {unit}, demanded {demand:g}"
