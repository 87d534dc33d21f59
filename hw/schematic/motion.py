# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of Swap-30 beyond Bank-8: safety chain, motor supply, drivers, forks, pump, vent and jaw."""

from schematic import catalog as c
from schematic import discretes as d
from schematic import modules as m

# 5 V drive 4.7 mA through both contacts of the chain, which is above the least load of gold contacts. If both contacts
# are closed, the return is at 3.2 V.
CHAIN_SOURCE_OHM = 390
CHAIN_PULL_OHM = 680


class Motion:
    """A part of the rig's builder: uses its `circuit`, `add`, `resistor`, `decouple` and `cable`."""

    def safety(self):
        block = "Safety chain"
        jack = self.add(c.header(2), "J", block, ref="J10", p1="CHAIN_SOURCE", p2="CHAIN_RETURN")
        self.resistor(CHAIN_SOURCE_OHM, "+5V", "CHAIN_SOURCE", block)
        estop = self.add(m.ESTOP, "SW", "E-stop and door", place="off", NC1="CHAIN_SOURCE", NC2="CHAIN_MIDDLE")
        door = self.add(m.DOOR, "SW", "E-stop and door", place="off", COM="CHAIN_MIDDLE", NO="CHAIN_RETURN")
        self.cable(
            "safety chain: out to the e-stop, on to the door, back",
            0.34,
            1.0,
            [(jack, "1", estop, "NC1"), (jack, "2", door, "NO"), (estop, "NC2", door, "COM")],
        )
        self.resistor(CHAIN_PULL_OHM, "CHAIN_RETURN", "GND", block)
        self.resistor(1_000, "CHAIN_RETURN", "SAFETY_OK", block)
        self.add(d.C10N, "C", block, p1="SAFETY_OK", p2="GND")
        self.esd(block, "CHAIN_SOURCE", "CHAIN_RETURN", "X_HOME_J", "Z_HOME_J")
        latch = self.add(
            c.FLIP_FLOP,
            "U",
            block,
            D1="+3V3",
            CLK1="MOTOR_ARM",
            CLR1_N="ARM_CLEAR_N",
            PRE1_N="+3V3",
            Q1="ARMED",
            Q1_N="-",
            D2="GND",
            CLK2="GND",
            CLR2_N="+3V3",
            PRE2_N="+3V3",
            Q2="-",
            Q2_N="-",
            VCC="+3V3",
            GND="GND",
        )
        self.decouple(latch, "VCC", "+3V3", block)
        self.resistor(100_000, "MOTOR_ARM", "GND", block)
        # The chain clears the latch. The supervisor also clears it while 3.3 V is too low, however slowly it rises or
        # falls.
        self.resistor(10_000, "CHAIN_RETURN", "ARM_CLEAR_N", block)
        supervisor = self.add(c.SUPERVISOR, "U", block, GND="GND", RESET_N="ARM_CLEAR_N", VDD="+3V3")
        self.decouple(supervisor, "VDD", "+3V3", block)

    def motor_supply(self):
        block, rig = "12 V supply", self.circuit
        rig.power("+12V_IN", 12.0, 3.0)
        rig.power("+12V", 12.0, 3.0)
        rig.power("+12V_MOT", 12.0, 3.0)
        supply = self.add(m.SUPPLY_12V, "PS", block, place="off", PLUS="+12V_IN", MINUS="GND")
        jack = self.add(c.JACK_12V, "J", block, ref="J22", TIP="+12V_IN", SLEEVE="GND", SWITCH="-")
        self.cable(
            "12 V supply, its own lead", 0.75, 1.2, [(jack, "TIP", supply, "PLUS"), (jack, "SLEEVE", supply, "MINUS")]
        )
        self.add(c.FUSE_HOLDER_3A, "F", block, p1="+12V_IN", p2="+12V")
        self.add(c.FUSE_3A, "FX", block)
        self.add(d.CLAMP12, "D", block, K="+12V", A="GND")
        self.add(d.C100U, "C", block, p1="+12V", p2="GND")
        rig.power("+12V_SWITCHED", 12.0, 3.0)
        self.add(d.SUPPLY_SHUNT, "R", block, p1="+12V", p2="+12V_SWITCHED")
        fet = self.add(
            d.SUPPLY_FET,
            "Q",
            block,
            D1="+12V_SWITCHED",
            D2="+12V_SWITCHED",
            D3="+12V_SWITCHED",
            D4="+12V_SWITCHED",
            G="SUPPLY_GATE",
            S1="+12V_MOT",
            S2="+12V_MOT",
            S3="+12V_MOT",
        )
        self.decouple(fet, "D1", "+12V_SWITCHED", block)
        controller = self.add(
            c.HOT_SWAP,
            "U",
            block,
            ON="SUPPLY_ON",
            FB="SUPPLY_FB",
            PWRGD="-",
            GND="GND",
            TIMER="SUPPLY_TIMER",
            GATE="SUPPLY_DRIVE",
            SENSE="+12V_SWITCHED",
            VCC="+12V",
        )
        self.decouple(controller, "VCC", "+12V", block)
        # The capacitor between gate and ground holds the gate low at hot plug, and makes the output rise by 0.5 to 2
        # V/ms at turn-on. 1 kOhm in series with the capacitor lets the controller pull the gate down quickly in a short
        # circuit.
        self.resistor(10, "SUPPLY_DRIVE", "SUPPLY_GATE", block)
        self.resistor(1_000, "SUPPLY_DRIVE", "SUPPLY_SLOPE", block)
        self.add(d.C10N, "C", block, p1="SUPPLY_SLOPE", p2="GND")
        self.add(d.GATE_CLAMP, "D", block, A="+12V_MOT", K="SUPPLY_GATE")
        # Above 5.5 V at the output the full current limit applies, and below 5.5 V a smaller limit.
        self.resistor(100_000, "+12V_MOT", "SUPPLY_FB", block)
        self.resistor(10_000, "SUPPLY_FB", "GND", block)
        self.add(d.C1U, "C", block, p1="SUPPLY_TIMER", p2="GND")
        # Only this transistor makes ON high, from the logic supply. The 12 V supply cannot make ON high.
        self.add(d.ENABLE_FET, "Q", block, G="SUPPLY_PULL", S="+3V3", D="SUPPLY_ON")
        self.resistor(10_000, "SUPPLY_ON", "GND", block)
        self.add(d.C10N, "C", block, p1="SUPPLY_ON", p2="GND")
        self.resistor(47_000, "SUPPLY_PULL", "+3V3", block)
        # Two transistors in series: the pump must run and the latch must be set.
        self.add(d.POWER_FET, "Q", block, G="PUMPED", S="ARM_SWITCH", D="SUPPLY_PULL")
        self.add(d.POWER_FET, "Q", block, G="ARMED", S="GND", D="ARM_SWITCH")
        self.add(d.C100N, "C", block, p1="SAFETY_PUMP", p2="PUMP_AC")
        self.add(d.PAIR, "D", block, A="GND", COM="PUMP_AC", K="PUMPED")
        self.add(d.C47N, "C", block, p1="PUMPED", p2="GND")
        self.resistor(220_000, "PUMPED", "GND", block)
        self.resistor(100_000, "ARMED", "GND", block)
        self.add(d.BLEEDER, "R", block, p1="+12V_MOT", p2="GND")
        # No other signal shows that the switch no longer opens.
        self.resistor(4_700, "+12V_MOT", "MOTOR_LIGHT", block)
        self.add(d.LED, "D", block, A="MOTOR_LIGHT", K="GND")

    def motors(self):
        block = "Motor drivers"
        self.resistor(10_000, "MOT_EN_N", "+3V3", block)
        for axis, jack_ref, diag_ref in (("X", "J11", "J18"), ("Z", "J12", "J19")):
            driver = self.add(
                m.DRIVER,
                "U",
                block,
                EN_N="MOT_EN_N",
                MS1="GND",
                MS2="GND",
                PDN="GND",
                CLK="GND",
                STEP=f"{axis}_STEP",
                DIR=f"{axis}_DIR",
                GND="GND",
                GND2="GND",
                VIO="+3V3",
                VM="+12V_MOT",
                **{pin: f"{axis}_{pin}" for pin in ("M1A", "M1B", "M2A", "M2B")},
            )
            self.decouple(driver, "VIO", "+3V3", block)
            self.decouple(driver, "VM", "+12V_MOT", block, d.C100U)
            self.add(m.DIAG_SOCKET, "J", block, ref=diag_ref, DIAG=f"{axis}_DIAG")
            self.resistor(100_000, f"{axis}_DIAG", "GND", block)
            self.add(d.SIGNAL_FET, "Q", block, G=f"{axis}_DIAG", S="GND", D="DRIVER_FAULT")
            if axis == "X":
                self.add(d.C10N, "C", block, p1="DRIVER_FAULT", p2="GND")
            coils = ["M1A", "M1B", "M2A", "M2B"]
            for coil in coils:
                self.circuit.net(f"{axis}_{coil}").trace = 0.8
            jack = self.add(
                c.header(4), "J", block, ref=jack_ref, **{f"p{i + 1}": f"{axis}_{coil}" for i, coil in enumerate(coils)}
            )
            motor = self.add(
                m.MOTOR,
                "M",
                "Motors",
                place="off",
                **{pin: f"{axis}_{coil}" for pin, coil in zip(("A1", "A2", "B1", "B2"), coils)},
            )
            self.cable(f"motor of {axis}", 0.34, 1.2, [(jack, str(i), motor, str(i)) for i in range(1, 5)])

    def sensors(self):
        """Adds each fork on a small board with an inverter, so that a cut wire reads as "not covered"."""
        block = "Forks"
        self.esd(block, "X_COMB_J")
        for signal, jack_ref in (("X_HOME", "J13"), ("Z_HOME", "J14"), ("X_COMB", "J15")):
            supply = f"+3V3_{signal}"
            self.circuit.power(supply, 3.3, 0.3)
            self.add(c.RESETTABLE, "F", block, p1="+3V3", p2=supply)
            jack = self.add(c.header(3), "J", block, ref=jack_ref, p1=supply, p2=f"{signal}_J", p3="GND")
            # A filter of 10 us, so that a spike on the wire does not reach the input.
            self.resistor(1_000, f"{signal}_J", signal, block)
            self.add(d.C10N, "C", block, p1=signal, p2="GND")
            if signal == "X_HOME":
                self.resistor(10_000, signal, "+3V3", block)  # other forks: at the input registers
            there = self.add(
                c.header(3), "J", "Fork boards", place="sensor", p1=supply, p2=f"{signal}_J", p3="GND", ref=f"J{signal}"
            )
            self.resistor(220, supply, f"{signal}_A", "Fork boards", place="sensor")
            self.add(m.FORK, "OP", "Fork boards", place="sensor", A=f"{signal}_A", K="GND", C=f"{signal}_LIT", E="GND")
            self.resistor(47_000, f"{signal}_LIT", supply, "Fork boards", place="sensor")
            self.add(d.SIGNAL_FET, "Q", "Fork boards", place="sensor", G=f"{signal}_LIT", S="GND", D=f"{signal}_J")
            self.cable(
                f"fork {signal}",
                0.14,
                1.2,
                [(jack, str(i), there, str(i)) for i in (1, 2, 3)],
            )

    def vacuum(self):
        block = "Vacuum"
        self.circuit.power("+5V_SENSOR", 5.0, 0.3)
        self.add(d.resistor(10), "R", block, p1="+5V", p2="+5V_SENSOR")
        sensor = self.add(m.PRESSURE, "U", block, VS="+5V_SENSOR", GND="GND", VOUT="VACUUM_RAW")
        self.decouple(sensor, "VS", "+5V_SENSOR", block, d.C1U)
        self.resistor(10_000, "VACUUM_RAW", "VACUUM", block)
        self.resistor(18_000, "VACUUM", "GND", block)
        self.add(d.C100N, "C", block, p1="VACUUM", p2="GND")
        for signal, kind, jack_ref in (
            ("PUMP", m.PUMP, "J16"),
            ("VALVE", m.VALVE, "J17"),
            ("JAW_OPEN", m.JAW, "J24"),
        ):
            gate, drain = f"{signal}_GATE", f"{signal}_LOW"
            self.resistor(100, signal, gate, block)
            self.resistor(100_000, gate, "GND", block)
            self.add(d.POWER_FET, "Q", block, G=gate, S="GND", D=drain)
            self.add(d.SCHOTTKY, "D", block, A=drain, K="+12V_MOT")
            self.circuit.net(drain).trace = 0.8
            jack = self.add(c.header(2), "J", block, ref=jack_ref, p1="+12V_MOT", p2=drain)
            load = self.add(kind, "M", "Pump, valve and jaw", place="off", PLUS="+12V_MOT", MINUS=drain)
            self.cable(f"{kind.value}", 0.34, 1.2 if signal == "JAW_OPEN" else 0.8, [(jack, "1", load, "PLUS"), (jack, "2", load, "MINUS")])
