#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The circuit of the rig: every rule holds, and every rule detects an inserted fault."""

import dataclasses
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "hw"))

import make  # noqa: E402
import pins_header  # noqa: E402
from schematic import budget, discretes, drawing, erc, failsafe, modules, netlist, outputs, rig, transients  # noqa: E402
from schematic.view import View, limit_ma, trace_amps  # noqa: E402

MAP = (ROOT / "hw/pins.csv").read_text(encoding="utf-8")
PARTS_HPP = (ROOT / "hw/parts.hpp").read_text(encoding="utf-8")
ROWS = pins_header.read(MAP)


def built(level="swap30"):
    return View(rig.build(level, ROWS), ROWS)


def again(view):
    """The view of a changed circuit."""
    return View(view.circuit, view.rows)


def remove(view, part):
    del view.circuit.parts[part.ref]
    for net in view.circuit.nets.values():
        net.pins = [(p, n) for p, n in net.pins if p is not part]
    return again(view)


def move(view, part, pin, net):
    number = part.pin(pin)[1]
    for other in view.circuit.nets.values():
        other.pins = [(p, n) for p, n in other.pins if (p, n) != (part, number)]
    if net:
        view.circuit.net(net).pins.append((part, number))
    return again(view)


def alter(view, part, **members):
    part.kind = dataclasses.replace(part.kind, **members)
    return again(view)


def find(view, mpn, **pins):
    """The part of this number whose pins are on these nets."""
    return next(
        p
        for p in view.parts()
        if p.kind.mpn.startswith(mpn) and all(view.at(p, n.lstrip("p")) == net for n, net in pins.items())
    )


def resistor(view, a, b):
    return next(part for x, y, _, part in view.resistors() if {x, y} == {a, b} and part.kind.what == "resistor")


def add(view, kind, letter, **connections):
    view.circuit.add(kind, letter, "Ports", **connections)
    return again(view)


class Rules(unittest.TestCase):
    def test_both_levels_break_no_rule(self):
        for level in rig.LEVELS:
            self.assertEqual(erc.check(built(level), PARTS_HPP), [])

    def fires(self, rule, view, expected):
        lines = list(erc.RULES[rule](view))
        self.assertTrue(any(expected in line for line in lines), f"{rule} says {lines}, not '{expected}'")

    def test_an_open_pin(self):
        view = built()
        self.fires("unconnected", move(view, find(view, "INA180", OUT="CURRENT3"), "VS", None), "VS is not connected")

    def test_a_pin_on_two_nets(self):
        view = built()
        view.circuit.net("LED1").pins.append((find(view, "74HC595", QA="LED0"), "15"))
        self.fires("unconnected", again(view), "is on LED0 and on LED1")

    def test_a_net_with_one_end(self):
        view = built()
        self.fires("single", move(view, find(view, "150060", A="LED4_A"), "A", "NOWHERE"), "NOWHERE has 1 pin")

    def test_outputs_against_each_other(self):
        view = built()
        self.fires("contention", move(view, find(view, "74HC595", QA="LED0"), "QB", "LED0"), "drive each other")

    def test_an_output_on_a_supply(self):
        view = built()
        self.fires("contention", move(view, find(view, "INA180", OUT="CURRENT2"), "OUT", "+3V3"), "drives a supply")

    def test_two_sources_on_a_supply(self):
        view = built()
        self.fires("contention", move(view, find(view, "TPS2553", OUT="VBUS1"), "OUT", "VBUS0"), "feed each other")

    def test_a_supply_without_a_source(self):
        view = built()
        self.fires("unsupplied", remove(view, find(view, "3568", p1="+5V_IN")), "nothing feeds +5V")

    def test_a_power_pin_on_a_signal(self):
        view = built()
        self.fires("unsupplied", move(view, find(view, "74HC74"), "VCC", "ARMED"), "which is no supply")

    def test_an_open_drain_without_pull_up(self):
        view = built()
        self.fires("undriven", remove(view, resistor(view, "FAULT5", "+3V3")), "FAULT5: nothing pulls")

    def test_an_input_without_a_driver(self):
        view = built()
        self.fires(
            "undriven", move(view, find(view, "74HC595", SER="CHAIN_OUT"), "SRCLR_N", "LOOSE"), "LOOSE: nothing drives"
        )

    def test_five_volts_into_the_pico_where_the_divider_is_lost(self):
        for pair in (("VACUUM", "GND"), ("VOLTAGE6", "GND")):
            view = built()
            self.fires("too_high", remove(view, resistor(view, *pair)), "sees 5.00 V")

    def test_a_fault_line_pulled_to_five_volts(self):
        view = built()
        self.fires("too_high", move(view, resistor(view, "FAULT0", "+3V3"), "2", "+5V"), "sees 5.00 V on FAULT0")

    def test_three_volts_into_logic_of_five(self):
        view = built()
        self.fires(
            "too_low",
            move(view, find(view, "TMC2209", STEP="X_STEP"), "VIO", "+5V"),
            "needs 3.50 V for high and gets 3.30 V",
        )

    def test_every_pull_that_makes_a_safe_state_is_needed(self):
        others = ["PUMP", "VALVE", "JAW_OPEN", "NEST_POWER", "NEST_SENSE", "MOTOR_ARM", "MOT_EN_N", "OUT_EN_N"]
        for signal in [f"PORT_EN{n}" for n in range(8)] + others:
            view = built()
            (pull,) = failsafe.pulls(view, signal)
            self.fires("fail_safe", remove(view, view.circuit.parts[pull.split()[0]]), "must be")

    def test_the_switch_of_12_volts_needs_its_pulls(self):
        view = built()
        self.fires("fail_safe", remove(view, resistor(view, "SUPPLY_ON", "GND")), "SUPPLY_ON floats")
        view = built()
        self.fires("fail_safe", move(view, resistor(view, "SUPPLY_ON", "GND"), "2", "+12V"), "SUPPLY_ON is at 12.00 V")
        view = built()
        self.fires("fail_safe", remove(view, resistor(view, "SUPPLY_PULL", "+3V3")), "SUPPLY_PULL floats")

    def test_a_pull_the_wrong_way(self):
        view = built()
        self.fires("fail_safe", move(view, resistor(view, "PORT_EN2", "GND"), "2", "+3V3"), "PORT_EN2 is at 3.30 V")

    def test_a_pull_weaker_than_the_one_inside_the_processor(self):
        view = built()
        part = resistor(view, "MOT_EN_N", "+3V3")
        self.fires("fail_safe", alter(view, part, number=47_000), "MOT_EN_N is at 1.70 V")

    def test_outputs_that_are_always_enabled(self):
        view = built()
        for part in [p for p in view.parts() if p.kind.mpn.startswith("74HC595")]:
            view = move(view, part, "OE_N", "GND")
        self.fires("fail_safe", view, "PORT_EN0 floats")

    def test_a_motor_supply_that_a_standing_level_keeps_on(self):
        view = built()
        capacitor = next(p for p in view.parts("capacitor") if "PUMP_AC" in (view.at(p, "1"), view.at(p, "2")))
        view = remove(view, capacitor)
        self.fires(
            "fail_safe", add(view, discretes.resistor(1_000), "R", p1="SAFETY_PUMP", p2="PUMPED"), "standing at 3.3 V"
        )

    def test_an_output_that_drives_too_much(self):
        view = built()
        part = resistor(view, "LED3", "LED3_A")
        self.fires("overload", alter(view, part, number=100), "13.0 mA of 6 on LED3")

    def test_a_resistor_that_gets_too_hot(self):
        view = built()
        self.fires("overload", alter(view, resistor(view, "+12V_MOT", "GND"), rating=0.25), "mW of 250")

    def test_a_supply_that_is_too_small(self):
        view = built("bank8")
        self.fires("overload", alter(view, find(view, "GST60A05"), rating=5.0), "4.63 A of 5.0 A")

    def test_a_switch_that_carries_too_much(self):
        view = built()
        reader = find(view, "TS-RDF5K", VBUS="VBUS0")
        pins = dict(reader.kind.pins)
        pins["1"] = dataclasses.replace(pins["1"], draw=1400)
        self.fires("overload", alter(view, reader, pins=pins), "1.41 A of 1.5 A")

    def test_a_trace_that_is_too_narrow(self):
        view = built()
        view.circuit.nets["VBUS4"].trace = 0.3
        self.fires("conductors", view, "VBUS4: a trace of 0.3 mm")

    def test_a_contact_that_carries_too_much(self):
        view = built()
        jack = view.circuit.parts["J5"]
        pins = {n: dataclasses.replace(p, amps=1.0) for n, p in jack.kind.pins.items()}
        self.fires("conductors", alter(view, jack, pins=pins), "J5.1: a contact of 1.0 A carries 1.80 A of VBUS4")

    def test_a_wire_that_does_not_stand_a_short(self):
        view = built()
        cable = next(c for c in view.circuit.cables if "12 V supply" in c.what)
        cable.square = 0.14
        self.fires("conductors", view, "a short lets")

    def test_a_chip_without_its_capacitor(self):
        view = built()
        for part in [p for p in view.parts() if p.ref.startswith("U")]:
            for number, pin in part.kind.pins.items():
                if pin.type == "power_in" and view.at(part, number) != "GND":
                    other = built()
                    near = next(p for p in other.parts("capacitor") if p.near == f"{part.ref}.{number}")
                    self.fires("decoupling", remove(other, near), f"{part.ref}.{number} {pin.name}")

    def test_a_capacitor_of_too_few_volts(self):
        view = built()
        part = next(p for p in view.parts("capacitor") if {view.at(p, "1"), view.at(p, "2")} == {"+12V", "GND"})
        self.fires("capacitors", alter(view, part, rating=10), "12.0 V on 10 V")

    def test_pins_that_differ_from_the_map(self):
        for line, instead, expected in (
            ("2,X_STEP,", "2,X_STEPS,", "2 is X_STEPS in pins.csv, and X_STEP in the netlist"),
            ("OUT16,PUMP,", "OUT23,PUMP,", "OUT23 is PUMP in pins.csv, and open in the netlist"),
            ("IN17,DRIVER_FAULT,", "IN20,DRIVER_FAULT,", "IN20 is DRIVER_FAULT"),
        ):
            view = built()
            self.assertIn(line, MAP)
            view.rows = pins_header.read(MAP.replace(line, instead))
            self.fires("pin_map", view, expected)
        view = built()
        self.fires("pin_map", move(view, find(view, "SC0915"), "GP15", "PUMP"), "15 is left free")

    def test_values_other_than_those_of_the_firmware(self):
        view = built()
        changes = [
            (resistor(view, "VBUS2", "VOLTAGE2"), "divider of port 2, top"),
            (resistor(view, "ILIM7", "GND"), "limit of port 7"),
            (resistor(view, "+5V", "+5V_PORT1"), "millivolts a milliampere of port 1"),
            (resistor(view, "VOLTAGE_MUX", "PORT_VOLTAGE"), "filter of PORT_VOLTAGE"),
            (resistor(view, "NEST_3V3", "NEST_VDD"), "shunt of the nest"),
        ]
        for part, expected in changes:
            kind = part.kind
            lines = list(erc.firmware_values(alter(view, part, number=kind.number * 2), PARTS_HPP))
            part.kind = kind
            self.assertTrue(any(expected in line for line in lines), lines)
        self.assertIn("mux_ohm = 200", PARTS_HPP)
        self.assertTrue(list(erc.firmware_values(view, PARTS_HPP.replace("mux_ohm = 200", "mux_ohm = 120"))))

    def test_a_part_that_cannot_be_ordered(self):
        view = built()
        self.fires("orderable", alter(view, find(view, "AO4406A"), second=""), "no second source")
        self.fires("orderable", alter(view, find(view, "TLV803"), footprint="-"), "no footprint")

    def test_twelve_volts_that_go_into_the_jack_of_five(self):
        view = built()
        jack = view.circuit.parts["J20"]
        self.fires(
            "plugs",
            alter(view, jack, extra={**jack.kind.extra, "pin_mm": 2.0}),
            "PS2 GST40A12-P1J: 12 V go into J20, which is for 5 V",
        )

    def test_two_wires_of_one_colour(self):
        view = built()
        chain = next(c for c in view.circuit.cables if "safety chain" in c.what)
        chain.wires[2].colour = chain.wires[0].colour
        self.fires("colours", view, "CHAIN_SOURCE and CHAIN_MIDDLE are both white")

    def test_a_pin_that_the_footprint_lacks(self):
        view = built()
        driver = find(view, "TMC2209", STEP="Z_STEP")
        more = {**driver.kind.pins, "17": netlist.PinKind("DIAG", "out")}
        self.fires("footprints", alter(view, driver, pins=more), "DIAG is pin 17, and Module:Pololu_Breakout-16")
        view = built()
        driver = find(view, "TMC2209", STEP="Z_STEP")
        self.fires("footprints", alter(view, driver, footprint="Module:Unheard_Of"), "are unknown")

    def test_a_driver_numbered_the_other_way_round(self):
        view = built()
        driver = find(view, "TMC2209", STEP="Z_STEP")
        turned = {str((int(n) + 7) % 16 + 1): p for n, p in driver.kind.pins.items()}
        self.fires("pad_names", alter(view, driver, pins=turned), "pad 8 of Module:Pololu_Breakout-16_15.2x20.3mm is VMOT, not DIR")
        view = built()
        clamp = find(view, "SMBJ5.0A")
        turned = {"1": clamp.kind.pins["2"], "2": clamp.kind.pins["1"]}
        self.fires("pad_names", alter(view, clamp, pins=turned), "pad 1 of Diode_SMD:D_SMB is K, not A")
        view = built()
        fet = find(view, "2N7002", G="X_DIAG")
        turned = {**fet.kind.pins, "2": fet.kind.pins["3"], "3": fet.kind.pins["2"]}
        self.fires("pad_names", alter(view, fet, pins=turned), "pad 2 of Package_TO_SOT_SMD:SOT-23 is S, not D")

    def test_a_line_without_its_clamp(self):
        for line in ("CARD6_J", "CHAIN_RETURN", "NEST_CMD_J", "UART_RX_J", "X_COMB_J"):
            view = built()
            clamp = next(p for p in view.parts("esd") if line in [view.at(p, n) for n in p.kind.pins])
            self.fires("esd", remove(view, clamp), f"no clamp on {line}")

    def test_a_contact_below_its_least_load(self):
        view = built()
        self.fires("wetting", move(view, resistor(view, "+5V", "CHAIN_SOURCE"), "1", "+3V3"), "3.3 V")
        view = built()
        self.fires("wetting", alter(view, resistor(view, "CHAIN_RETURN", "GND"), number=10_000), "0.5 mA, at least 5 V and 1 mA")
        view = built()
        door = find(view, "D2VW")
        power_contact = {**door.kind.extra, "least": (5.0, 160.0)}
        self.fires("wetting", alter(view, door, extra=power_contact), "at least 5 V and 160 mA")

    def test_each_rule_is_tested_by_a_fault(self):
        text = pathlib.Path(__file__).read_text(encoding="utf-8")
        for rule in erc.RULES:
            self.assertRegex(text, rf'self\.fires\(\s*"{rule}"')


class Budgets(unittest.TestCase):
    def test_the_budgets_of_both_levels_hold(self):
        for level in rig.LEVELS:
            self.assertEqual(make.wrong(built(level)), [])

    def test_the_divider_of_a_network_is_solved_as_by_hand(self):
        # A bridge: 10 V over 1 k and 2 k in parallel with 3 k and 4 k, with 5 k between the middles.
        volts = netlist.solve(
            ["a", "b"],
            [("top", "a", 1e3), ("a", "gnd", 2e3), ("top", "b", 3e3), ("b", "gnd", 4e3), ("a", "b", 5e3)],
            {"top": 10.0, "gnd": 0.0},
        )
        self.assertAlmostEqual((10 - volts["a"]) / 1e3 - volts["a"] / 2e3 - (volts["a"] - volts["b"]) / 5e3, 0)
        self.assertAlmostEqual((10 - volts["b"]) / 3e3 - volts["b"] / 4e3 + (volts["a"] - volts["b"]) / 5e3, 0)
        self.assertNotIn("c", netlist.solve(["c"], [], {"top": 1.0}))

    def test_formulas_give_published_values(self):
        # TPS2553, electrical characteristics at 15 kOhm.
        for computed, published in zip(limit_ma(15_000), (1610, 1700, 1800)):
            self.assertAlmostEqual(computed, published, delta=15)
        # IPC-2221, outer layer, 35 um, 20 K: 1 mm carries some 3.2 A.
        self.assertAlmostEqual(trace_amps(1.0), 3.25, delta=0.1)

    def test_a_discharge_that_takes_too_long(self):
        view = built()
        capacitor = next(p for p in view.parts("capacitor") if {view.at(p, "1"), view.at(p, "2")} == {"VBUS3", "GND"})
        lines = list(budget.wrong(alter(view, capacitor, number=10e-6)))
        self.assertTrue(any("VBUS3 from 5 V" in line for line in lines), lines)

    def test_a_charge_pump_that_holds_too_long(self):
        view = built()
        lines = list(budget.wrong(alter(view, resistor(view, "PUMPED", "GND"), number=470_000)))
        self.assertTrue(any("last edge of GP13" in line for line in lines), lines)

    def test_a_motor_supply_that_comes_on_at_once(self):
        view = built()
        capacitor = next(
            p for p in view.parts("capacitor") if "SUPPLY_SLOPE" in (view.at(p, "1"), view.at(p, "2"))
        )
        lines = list(budget.wrong(alter(view, capacitor, number=1e-9)))
        self.assertTrue(any("into the capacitors of +12V_MOT" in line for line in lines), lines)

    def test_a_part_that_gets_too_hot(self):
        view = built()
        driver = find(view, "TMC2209", STEP="Z_STEP")
        lines = list(budget.wrong(alter(view, driver, extra={**driver.kind.extra, "phase_amps": 2.0})))
        self.assertTrue(any("TMC2209" in line for line in lines), lines)

    def test_a_level_that_costs_too_much(self):
        view = built("bank8")
        lines = make.wrong(alter(view, find(view, "TS-RDF5K"), price=40.0))
        self.assertTrue(any("EUR, at most 230" in line for line in lines), lines)


@unittest.skipUnless(shutil.which("ngspice"), "ngspice is not installed")
class Transients(unittest.TestCase):
    """Each deck of the supplies, with a fault in the circuit that its limits must find."""

    def broken(self, view, deck):
        """Names of the limits that do not hold in the decks whose names begin with `deck`."""
        decks = [d for d in transients.decks(view) if d.name.startswith(deck)]
        self.assertNotEqual(decks, [])
        return [limit.name for d in decks for limit, value in transients.run(d).items() if not limit.holds(value)]

    def capacitor(self, view, net):
        return next(p for p in view.parts("capacitor") if net in (view.at(p, "1"), view.at(p, "2")))

    # A P-channel transistor whose gate has 47 kOhm to its source and 47 nF to its drain: at hot plug the capacitor holds
    # the gate at ground, and the transistor conducts until it is charged.
    P_CHANNEL = """
.model pfet vdmos(pchan rg=2 rd=5m rs=4m vto=-2.2 kp=40 cgdmax=1.2n cgdmin=0.3n cgs=2n cjo=0.6n is=1e-12 rb=8m)
cci in ci 100u
rci ci 0 0.16
mfet mot gate in pfet
rgs gate in 47k
cgd gate mot 47n
rpull gate 0 10meg
cm mot cm1 200u
rcm cm1 0 0.08
rbleed mot 0 470
"""

    def test_the_limits_of_hot_plug_find_a_p_channel_switch_that_turns_itself_on(self):
        sound = next(d for d in transients.twelve_volts(built()) if d.name.startswith("12 V hot plug, chain open"))
        source = sound.body[: sound.body.index("rfuse")] + "rfuse in0 in 30m\n"
        deck = transients.Deck("P-channel switch", source + self.P_CHANNEL, "2u 150m 0 10u", sound.limits)
        broken = [limit.name for limit, value in transients.run(deck).items() if not limit.holds(value)]
        self.assertIn("+12V_MOT while the chain is open", broken)
        self.assertIn("time of +12V_MOT above 4.5 V", broken)

    def test_an_enable_input_from_12_volts_turns_the_switch_on_at_hot_plug(self):
        view = built()
        view = move(view, resistor(view, "SUPPLY_ON", "GND"), "2", "+12V")
        self.assertIn("+12V_MOT while the chain is open", self.broken(view, "12 V hot plug, chain open"))

    def test_a_gate_without_its_slope_draws_too_much(self):
        view = built()
        view = alter(view, self.capacitor(view, "SUPPLY_SLOPE"), number=220e-12)
        self.assertIn("inrush", self.broken(view, "12 V turn-on, strongest"))

    def test_a_charge_pump_that_holds_too_long(self):
        view = built()
        view = alter(view, resistor(view, "PUMPED", "GND"), number=2_200_000)
        self.assertIn("gate below 1 V after the last edge", self.broken(view, "12 V cut"))

    def test_a_shunt_that_limits_nothing(self):
        view = built()
        view = alter(view, resistor(view, "+12V", "+12V_SWITCHED"), number=0.001)
        self.assertIn("current 1 ms after the short", self.broken(view, "12 V short circuit"))

    def test_a_port_into_a_supply_without_its_bulk(self):
        view = built("bank8")
        for part in [p for p in view.parts("capacitor") if p.kind.number == 470e-6]:
            view = alter(view, part, number=1e-6)
        self.assertIn("peak of +5V (the port switches stand 7 V)", self.broken(view, "5 V hot plug"))

    def test_voltage_that_comes_back_without_a_load(self):
        view = built("bank8")
        view = alter(view, resistor(view, "+5V", "GND"), number=100_000)
        self.assertIn("+5V (the port switches work from 2.3 V)", self.broken(view, "the host's USB"))
        view = built("bank8")
        view = alter(view, resistor(view, "+3V3", "GND"), number=100_000)
        self.assertIn("+3V3", self.broken(view, "a self-powered reader"))

    def test_a_deck_that_ngspice_cannot_read_is_an_error(self):
        deck = transients.Deck("nonsense", "r1 a 0 no_number_and_no_model\n", "1u 1m", ())
        with self.assertRaisesRegex(RuntimeError, "nonsense"):
            transients.run(deck)

    def test_a_measurement_that_finds_nothing_does_not_hold(self):
        limit = transients.Limit("never", "when v(a)=9 rise=1", None, 1.0, "s")
        deck = transients.Deck("flat", "v1 a 0 1\nr1 a 0 1k\n", "1u 1m", (limit,))
        self.assertEqual(transients.run(deck), {limit: None})
        self.assertFalse(limit.holds(None))


class Outputs(unittest.TestCase):
    def test_the_generated_files_in_the_tree_are_up_to_date(self):
        for level in rig.LEVELS:
            for name, text in make.files(built(level)).items():
                self.assertEqual((make.GENERATED / name).read_text(encoding="utf-8"), text, f"{name}: run hw/make.py")

    def test_the_netlist_holds_every_pin_of_the_board_once(self):
        for level in rig.LEVELS:
            view = built(level)
            text = outputs.kicad(view.circuit)
            nodes = re.findall(r'\(node \(ref "(\w+)"\) \(pin "(\w+)"\)\)', text)
            self.assertEqual(len(nodes), len(set(nodes)))
            self.assertEqual({f"{r}.{n}" for r, n in nodes}, set().union(*outputs.dissolve(view.circuit).values()))
            self.assertEqual(text.count("("), text.count(")"))

    def test_the_parts_list_holds_every_part_and_sums_up(self):
        for level in rig.LEVELS:
            view = built(level)
            rows, total = outputs.parts_list(view.circuit)
            self.assertEqual(sum(row[1] for row in rows), len(view.circuit.parts))
            self.assertAlmostEqual(sum(float(row[8]) for row in rows), total, 2)

    def test_pictures_are_well_formed_and_show_every_block_and_cable(self):
        for level in rig.LEVELS:
            view = built(level)
            picture = drawing.overview(view.circuit, "x")
            xml.etree.ElementTree.fromstring(picture)
            for block in {p.block for p in view.parts()} - {"Goods"}:
                self.assertIn(f">{block}</text>", picture)
            cables = drawing.harness(view.circuit, "x")
            xml.etree.ElementTree.fromstring(cables)
            for cable in view.circuit.cables:
                if not "2" <= cable.ref[1:] <= "8":  # drawn with the first and the last of the readers
                    self.assertIn(cable.ref, cables)

    def test_a_block_without_a_place_is_refused(self):
        view = built()
        find(view, "74HC74").block = "Elsewhere"
        with self.assertRaisesRegex(ValueError, "Elsewhere"):
            drawing.overview(view.circuit, "x")


class Tree(unittest.TestCase):
    def test_the_command_reports_that_all_is_up_to_date(self):
        finished = subprocess.run([sys.executable, ROOT / "hw/make.py", "--check"], capture_output=True, text=True)
        self.assertEqual((finished.returncode, finished.stderr), (0, ""))
        self.assertRegex(finished.stdout, r"bank8: \d+ parts.*every rule holds")

    def test_a_fault_in_the_circuit_fails_the_command_and_with_it_the_build(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder) / "hw"
            shutil.copytree(ROOT / "hw", copy, ignore=shutil.ignore_patterns("mechanics", "__pycache__"))
            circuit = copy / "schematic/rig.py"
            sound = circuit.read_text(encoding="utf-8")
            pull = 'self.resistor(100_000, enable, "GND", block)'
            self.assertEqual(sound.count(pull), 1)
            circuit.write_text(sound.replace(pull, "pass"), encoding="utf-8")
            before = {path.name: path.read_bytes() for path in (copy / "generated").iterdir()}
            finished = subprocess.run([sys.executable, copy / "make.py"], capture_output=True, text=True)
            self.assertEqual((finished.returncode, finished.stdout), (1, ""))
            self.assertIn("hw: bank8: fail_safe: PORT_EN0 floats", finished.stderr)
            after = {path.name: path.read_bytes() for path in (copy / "generated").iterdir()}
            self.assertEqual(before, after, "nothing is written of a circuit that breaks a rule")

    def test_schematic_and_mechanics_use_the_same_current_of_the_motors(self):
        parameters = (ROOT / "hw/mechanics/parameters.scad").read_text(encoding="utf-8")
        said = re.search(r"^phase_amps = ([\d.]+);", parameters, re.M)
        self.assertEqual(float(said[1]), modules.PHASE_AMPS)
        guide = " ".join((ROOT / "docs/guide/build-a-rig.md").read_text(encoding="utf-8").split())
        # The driver's data sheet: 0.325 V over the sense resistor and 20 mOhm, at VREF of 2.5 V.
        vref = modules.PHASE_AMPS * 2**0.5 * (0.11 + 0.02) / 0.325 * 2.5
        self.assertIn(f"VREF for {modules.PHASE_AMPS:.1f} A ({vref:.2f} V on carriers", guide)

    def test_documents_quote_the_totals_of_the_parts_lists(self):
        guide = (ROOT / "docs/guide/build-a-rig.md").read_text(encoding="utf-8")
        for level in rig.LEVELS:
            self.assertIn(f"{outputs.parts_list(built(level).circuit)[1]:.0f} euros", guide)


if __name__ == "__main__":
    unittest.main()
