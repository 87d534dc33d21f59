# SPDX-License-Identifier: GPL-3.0-or-later
"""Decks for ngspice: hot plug, turn-on, short circuit, cut-off and back-power of the rig's switched supplies.

Resistors and capacitors come from the circuit. Chips are models of their data sheets' limits, at the worst end for each
deck. Leads and supplies are assumptions, stated where they are used.
"""

import os
import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from schematic.netlist import GROUND

# Lead of a desktop supply, 1.2 m: inductance and resistance; the supply's own output is stiff.
LEAD = "l{name} {a} {name}m 1u\nr{name} {name}m {b} 60m"
ELECTROLYTIC_OHM = {470e-6: 0.08, 100e-6: 0.16}  # series resistance at 20 degrees
MODELS = """
.model nfet vdmos(nchan rg=1.5 rd=6m rs=3m vto=1.7 kp=60 cgdmax=0.6n cgdmin=0.15n cgs=1n cjo=0.6n is=1e-12 rb=8m)
.model small vdmos(nchan rg=3 rd=15m rs=8m vto=1.0 kp=15 cgdmax=0.1n cgdmin=0.05n cgs=0.6n cjo=0.1n is=1e-12 rb=20m)
.model enable vdmos(pchan rg=3 rd=20m rs=10m vto=-0.9 kp=10 cgdmax=0.1n cgdmin=0.05n cgs=0.6n cjo=0.1n is=1e-12 rb=20m)
.model bat54 d(is=2e-7 n=1.05 rs=2 cjo=10p bv=30)
.model schottky d(is=2e-6 n=1.1 rs=50m cjo=110p bv=40)
.model body d(is=1e-14 rs=30)
.model zener15 d(is=1e-14 rs=10 bv=15 ibv=5m)
.model tvs15 d(is=1e-12 rs=0.3 bv=17.5 ibv=1m cjo=500p)
.model tvs5 d(is=1e-12 rs=0.05 bv=6.6 ibv=10m cjo=2n)
"""


@dataclass(frozen=True)
class Limit:
    """A measurement of a deck with its limits. `expression`: of ngspice's .meas."""

    name: str
    expression: str
    least: float | None
    most: float | None
    unit: str

    def holds(self, value):
        return value is not None and (self.least is None or value >= self.least) and (self.most is None or value <= self.most)

    def text(self):
        if self.least is None:
            return f"at most {self.most:g} {self.unit}"
        if self.most is None:
            return f"at least {self.least:g} {self.unit}"
        return f"{self.least:g} to {self.most:g} {self.unit}"


@dataclass(frozen=True)
class Deck:
    name: str
    body: str
    transient: str  # step, end and further words of .tran
    limits: tuple

    def text(self):
        meas = "\n".join(f".meas tran m{i} {limit.expression}" for i, limit in enumerate(self.limits))
        return f"* {self.name}\n{MODELS}{self.body}\n.options method=gear reltol=1e-3 itl4=200\n.tran {self.transient}\n{meas}\n.end\n"


_NODES = {GROUND: "0", "+12V": "in", "+12V_SWITCHED": "sw", "+12V_MOT": "mot"}


class Values:
    """Looks values up in a circuit; a missing part is an error."""

    def __init__(self, view):
        self.view = view

    def ohm(self, a, b):
        return next(o for x, y, o, _ in self.view.resistors() if {x, y} == {a, b})

    def farad(self, a, b=GROUND):
        found = [p.kind.number for p in self.view.parts("capacitor") if {self.view.at(p, "1"), self.view.at(p, "2")} == {a, b}]
        if not found:
            raise LookupError(f"no capacitor between {a} and {b}")
        return found

    def capacitors(self, net, node, prefix):
        """Returns the capacitors between a net and ground, with the series resistance of the large ones."""
        lines = []
        for i, farad in enumerate(self.farad(net)):
            ohm = ELECTROLYTIC_OHM.get(farad, 5e-3)
            lines.append(f"c{prefix}{i} {node} {prefix}{i} {farad:g}\nr{prefix}{i} {prefix}{i} 0 {ohm:g}")
        return "\n".join(lines)

    def hanging(self, net, what):
        """(value, node of a deck at its other end) of the only resistor or capacitor between a net and a supply or ground."""
        for part in self.view.parts(what):
            ends = [self.view.at(part, n) for n in ("1", "2")]
            if net in ends and (other := next(e for e in ends if e != net)) in _NODES:
                return part.kind.number, _NODES[other]
        raise LookupError(f"no {what} between {net} and a supply")

    def chip(self, key):
        return next(p.kind.extra for p in self.view.parts() if key in p.kind.extra)


def _switch(values, gate_amps):
    """The 12 V switch from +12V (node in) to +12V_MOT (node mot), enabled by node on."""
    chip = values.chip("gate_amps")
    folded, full = chip["folded_volts"][1], chip["limit_volts"][1]
    slope, slope_end = values.hanging("SUPPLY_SLOPE", "capacitor")
    pull, pull_end = values.hanging("SUPPLY_ON", "resistor")
    return f"""
{values.capacitors("+12V", "in", "ci")}
dtvs 0 in tvs15
rshunt in sw {values.ohm("+12V", "+12V_SWITCHED"):g}
{values.capacitors("+12V_SWITCHED", "sw", "cs")}
mfet sw gate mot nfet
{values.capacitors("+12V_MOT", "mot", "cm")}
rbleed mot 0 {values.ohm("+12V_MOT", GROUND):g}
rlight mot led {values.ohm("+12V_MOT", "MOTOR_LIGHT"):g}
vled led 0 2
rfb1 mot fb {values.ohm("+12V_MOT", "SUPPLY_FB"):g}
rfb2 fb 0 {values.ohm("SUPPLY_FB", GROUND):g}
rgate drive gate {values.ohm("SUPPLY_DRIVE", "SUPPLY_GATE"):g}
rslope drive slope {values.ohm("SUPPLY_DRIVE", "SUPPLY_SLOPE"):g}
cslope slope {slope_end} {slope:g}
dclamp mot gate zener15
* The controller: enabled above its lockout and the threshold of ON; below 3 V it cannot pull its gate down.
ben en 0 v=(0.5+0.5*tanh((v(in)-8.3)*20))*(0.5+0.5*tanh((v(on)-1.3)*60))
blim lim 0 v=v(fb)>0.5 ? {full:g} : {folded:g}+({full:g}-{folded:g})*max(v(fb),0)/0.5
bup 0 drive i=v(en)*{gate_amps:g}*(0.5+0.5*tanh((min(v(in)+12,v(mot)+14)-v(drive))*5))
bdown drive 0 i=(1-v(en))*{chip["gate_off_amps"]:g}*min(1,max(v(in),0)/3)*tanh(max(v(drive),0)*5)+min({chip["gate_off_amps"]:g},max(0,(v(in)-v(sw)-v(lim))*2))*tanh(max(v(drive),0)*5)
ron on {pull_end} {pull:g}
con on 0 {values.farad("SUPPLY_ON")[0]:g}
"""


def _plug(volts, start="10u"):
    return f"vsup sup 0 pwl(0 0 {start} 0 {float(start[:-1]) + 1}u {volts:g})\n" + LEAD.format(name="plug", a="sup", b="in0") + "\nrfuse in0 in 30m\n"


def twelve_volts(view):
    """Decks of the 12 V switch."""
    values = Values(view)
    slow, quick = values.chip("gate_amps")["gate_amps"]
    hot = (
        Limit("+12V_MOT while the chain is open", "max v(mot)", None, 1.0, "V"),
        Limit("time of +12V_MOT above 4.5 V", "integ par('v(mot)>4.5 ? 1000 : 0')", None, 0.0, "ms"),
        Limit("peak of +12V", "max v(in)", None, 20.0, "V"),
        Limit("heat in the fuse", "integ par('i(vsup)*i(vsup)')", None, 1.0, "A2s"),
    )
    decks = [
        Deck("12 V hot plug, chain open, logic without supply", _plug(12.6) + _switch(values, quick), "1u 30m 0 2u", hot),
        Deck(
            "12 V hot plug with bounces of 1 ms, chain open",
            "vsup sup 0 pwl(0 0 5u 0 6u 12.6)\nvc con 0 pulse(0 1 10u 1u 1u 0.5m 1m)\n"
            ".model contact sw(vt=0.5 ron=10m roff=1meg)\n"
            "sc sup cut con 0 contact\n" + LEAD.format(name="plug", a="cut", b="in0") + "\nrfuse in0 in 30m\n" + _switch(values, quick),
            "1u 8m 0 2u",
            hot,
        ),
    ]
    supply = "vsup sup 0 12\nrsup sup s1 50m\n" + LEAD.format(name="plug", a="s1", b="in0") + "\nrfuse in0 in 30m\n"
    on = "von ondrv 0 pwl(0 0 20m 0 20.01m 3.3)\nrdrv ondrv on 60m\n"
    for name, amps in (("weakest", slow), ("strongest", quick)):
        decks.append(
            Deck(
                f"12 V turn-on, {name} gate current",
                supply + on + _switch(values, amps),
                "5u 120m 0 20u",
                (
                    Limit("inrush", "max par('-i(vsup)')", None, 3.0, "A"),
                    Limit("rise of +12V_MOT to 10.8 V", "trig v(ondrv) val=1.6 rise=1 targ v(mot) val=10.8 rise=1", 0.001, 0.08, "s"),
                    Limit("lowest +12V", "min v(in) from=19m to=120m", 11.0, None, "V"),
                    Limit("+12V_MOT at the end", "find v(mot) at=119m", 11.5, None, "V"),
                ),
            )
        )
    decks.append(
        Deck(
            "12 V short circuit while on",
            supply + on + "vs short 0 pwl(0 0 100m 0 100.001m 1)\n.model bridge sw(vt=0.5 ron=50m roff=1meg)\nss mot 0 short 0 bridge\n"
            + _switch(values, quick),
            "1u 104m 0 2u",
            (
                Limit("current 1 ms after the short", "avg par('-i(vsup)') from=101m to=104m", None, 4.0, "A"),
                Limit("heat in the transistor", "integ par('(v(sw)-v(mot))*(v(in)-v(sw))/%g') from=99m to=104m" % values.ohm("+12V", "+12V_SWITCHED"), None, 0.3, "J"),
                Limit("peak of +12V", "max v(in) from=99m to=104m", None, 20.0, "V"),
            ),
        )
    )
    pump = f"""
vpump pump 0 pulse(0 3.3 0 1u 1u 0.5m 1m 300)
v33 v33 0 3.3
cac pump ac {values.farad("SAFETY_PUMP", "PUMP_AC")[0]:g}
d1 0 ac bat54
d2 ac pumped bat54
chold pumped 0 {1.2 * values.farad("PUMPED")[0]:g}
rhold pumped 0 {values.ohm("PUMPED", GROUND):g}
varm armed 0 3.3
m1 pull pumped mid small
m2 mid armed 0 small
rpull pull v33 {values.ohm("SUPPLY_PULL", "+3V3"):g}
mp on pull v33 enable
"""
    decks.append(
        Deck(
            "12 V cut when the firmware stops toggling GP13",
            supply + pump + _switch(values, quick),
            "20u 600m 0 50u",
            (
                Limit("+12V_MOT before", "find v(mot) at=299m", 11.5, None, "V"),
                Limit("gate below 1 V after the last edge", "trig at=299.5m targ par('v(gate)-v(mot)') val=1 fall=last", None, 0.030, "s"),
                Limit("+12V_MOT below 4.5 V after the last edge, by the bleeder", "trig at=299.5m targ v(mot) val=4.5 fall=last", None, 0.22, "s"),
            ),
        )
    )
    jaw = next(p for p in view.parts("load") if p.kind.value == "jaw solenoid")
    ohm = 12 / (jaw.kind.pins["1"].draw / 1000)
    decks.append(
        Deck(
            "jaw solenoid, switched off",
            f"vmot mot 0 12\nlj mot j1 60m\nrj j1 low {ohm:g}\nmj low g 0 small\nvg g 0 pwl(0 3.3 30m 3.3 30.01m 0)\ndj low mot schottky\n",
            "5u 80m 0 10u",
            (
                Limit("drain of its transistor", "max v(low)", None, 24.0, "V"),
                Limit("current 40 ms after switching off", "find par('abs(i(vmot))') at=70m", None, 0.02, "A"),
            ),
        )
    )
    return decks


def five_volts(view):
    """Decks of the 5 V supply and of a port."""
    values = Values(view)
    bulk = values.capacitors("+5V", "in", "ci")
    behind = next(p.kind.extra["farad"] for p, _ in view.circuit.nets["VBUS0"].pins if "farad" in p.kind.extra)
    switch = next(p for p in view.parts("switch") if p.kind.mpn.startswith("TPS2553") and view.at(p, "OUT") == "VBUS0")
    most = view.port_limit_ma(switch)[2] / 1000
    shunt = values.ohm("+5V", "+5V_PORT0")
    port = f"""
rshunt in port {shunt:g}
{values.capacitors("+5V_PORT0", "port", "cp")}
{values.capacitors("VBUS0", "bus", "cb")}
rdis bus 0 {values.ohm("VBUS0", GROUND):g}
cload bus load {behind:g}
rload load 0 10m
"""
    # On Swap-30 the chain of e-stop and door loads +5V. The rest of the board is behind switches.
    bleeder = f"rbleed in 0 {values.ohm('+5V', GROUND):g}\n"
    chain = "rchain in 0 1070\n" if view.circuit.name == "swap30" else ""
    decks = [
        Deck(
            "5 V hot plug",
            _plug(5.25) + f"{bulk}\ndtvs 0 in tvs5\n" + port,
            "0.5u 5m 0 1u",
            (
                Limit("peak of +5V (the port switches stand 7 V)", "max v(in)", None, 6.5, "V"),
                Limit("heat in the fuse", "integ par('i(vsup)*i(vsup)')", None, 2.0, "A2s"),
            ),
        ),
        Deck(
            "port turn-on into the capacitors and the load of a reader",
            "vsup sup 0 4.75\n" + LEAD.format(name="plug", a="sup", b="in0") + f"\nrfuse in0 in 10m\n{bulk}\n{port}"
            # The switch turns on within 1 ms. Then it has 0.135 Ohm, and limits at its greatest current limit.
            "ven en 0 pwl(0 0 2m 0 3m 1)\nvsense sx bus 0\n"
            f"bsw port sx i=v(en)*{most:g}*tanh((v(port)-v(sx))/0.135/{most:g})\n"
            "bload bus 0 i=0.275*(1+tanh((v(bus)-3)*10))\n",
            "1u 12m 0 2u",
            (
                Limit("peak of the port's current", "max i(vsense)", None, 2.0, "A"),
                Limit("lowest +5V", "min v(in) from=1.9m to=12m", 4.5, None, "V"),
                Limit("VBUS above 4.5 V after switching on", "trig v(en) val=0.01 rise=1 targ v(bus) val=4.5 rise=1", None, 0.005, "s"),
            ),
        ),
        Deck(
            "a self-powered reader feeds VBUS, the board has no supply",
            f"vfeed feed 0 5.25\nrfeed feed bus 10\n{bulk}\ndtvs 0 in tvs5\n{port}{chain}rrev bus port 1meg\n"
            f"rdiv1 bus div {values.ohm('VBUS0', 'VOLTAGE0'):g}\nrdiv2 div 0 {values.ohm('VOLTAGE0', GROUND):g}\n"
            f"dmux div v33 body\nr33 v33 0 {values.ohm('+3V3', GROUND):g}\n{bleeder}",
            "100u 2 0 2m uic",
            (
                Limit("+5V", "find v(in) at=1.9", None, 1.0, "V"),
                Limit("+3V3", "find v(v33) at=1.9", None, 1.0, "V"),
            ),
        ),
        Deck(
            "the host's USB supplies the processor, the 5 V jack is open",
            # SS14: 0.5 mA of reverse current at 60 degrees.
            f"vusb usb 0 5.25\ndpico usb vsys schottky\nrsys vsys 0 200\nrleak vsys in 10k\n{bulk}\n{chain}{bleeder}",
            "1m 30 0 20m uic",
            (Limit("+5V (the port switches work from 2.3 V)", "find v(in) at=29", None, 2.0, "V"),),
        ),
    ]
    return decks


def decks(view):
    return five_volts(view) + (twelve_volts(view) if view.circuit.name == "swap30" else [])


def run(deck, ngspice="ngspice"):
    """{limit: value or None} of a deck; None: ngspice did not find it. Raises RuntimeError if ngspice failed."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "deck.cir"
        file.write_text(deck.text(), encoding="utf-8")
        # Several threads of ngspice would wait for each other on a busy machine.
        done = subprocess.run([ngspice, "-b", str(file)], capture_output=True, text=True, check=False, timeout=600,
                              stdin=subprocess.DEVNULL, env={**os.environ, "OMP_NUM_THREADS": "1"})
    if "No. of Data Rows" not in done.stdout or "aborted" in done.stdout + done.stderr:
        lines = [line for line in (done.stderr + done.stdout).splitlines() if re.search("rror|too small|aborted", line)]
        raise RuntimeError(f"{deck.name}: ngspice failed: " + " / ".join(lines))
    values = {}
    for i, limit in enumerate(deck.limits):
        found = re.search(rf"^m{i}\s*=\s*(\S+)", done.stdout, re.M)
        values[limit] = float(found[1]) if found and found[1] != "failed" else None
    return values
