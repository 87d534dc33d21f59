// SPDX-License-Identifier: GPL-3.0-or-later
/// Connects the image in the emulator with the plant, a strict USB host and a UART. The audit watches all of them.
import { readFileSync } from "node:fs";
import { Findings } from "./findings.mjs";
import { parseUf2 } from "./image.mjs";
import { Machine, Stopped } from "./machine.mjs";
import { loadPlant } from "./plant.mjs";
import { checkAfterBoot } from "./silicon/after_boot.mjs";
import { UsbHost } from "./usb/host.mjs";
import { UsbWire } from "./usb/wire.mjs";

const usbReset = 1 << 24; // bit in RESETS
const endlessLoop = 0xe7fe; // b .
const scratchAt = 0x20041f00; // former place of boot2, unused after the start

export class Board {
  usb = undefined;
  /** Called with bytes that the board sent. */
  onUsb = () => {};
  onUart = () => {};

  /** `image` and `plant` are file names. `rewrite`, `misread` and `change(flash)` insert a defect. */
  constructor({ image, plant, pockets, ports, start, trace, rewrite, misread, change }) {
    const lint = new Findings();
    const { flash } = parseUf2(readFileSync(image), (rule, detail) => lint.report(rule, detail));
    if (lint.all.length > 0) throw new Stopped(`${image}: ${lint}`);
    change?.(flash);
    this.plant = loadPlant(plant, { pockets, ports, start });
    this.machine = new Machine({ flash, wiring: this.plant, trace, rewrite, misread, attach: (mcu, machine) => this.#attach(mcu, machine) });
  }

  get now() {
    return this.machine.now;
  }
  get findings() {
    return this.machine.findings;
  }

  #attach(mcu, machine) {
    const report = (rule, detail) => machine.findings.report(rule, detail);
    const wire = new UsbWire(mcu, report);
    const waiting = this.usb?.takePending() ?? [];
    if (machine.audit) machine.audit.resets.onHold = (bits) => { if (bits & usbReset) wire.blockReset(); };
    this.wire = wire;
    this.usb = new UsbHost(wire, mcu.clock, report);
    this.usb.write(waiting);
    this.usb.onData = (bytes) => this.onUsb(bytes);
    mcu.uart[0].onByte = (byte) => this.onUart(Uint8Array.of(byte));
  }

  writeUsb(bytes) {
    this.usb.write(bytes);
  }
  writeUart(bytes) {
    this.machine.mcu.uart[0].feed(bytes);
  }

  /** Executes a sentence of the plant's vocabulary; returns its fault, or an empty string. */
  say(sentence) {
    const wrong = this.plant.say(sentence, this.now);
    this.machine.pins.refresh();
    return wrong;
  }

  /** The core loops with interrupts off: only the watchdog ends this loop. */
  hang() {
    const { mcu } = this.machine;
    mcu.sramView.setUint16(scratchAt - 0x20000000, endlessLoop, true);
    mcu.core.PM = true;
    mcu.core.waiting = false;
    mcu.core.PC = scratchAt;
  }

  powerCycle() {
    this.usb = undefined;
    this.machine.powerCycle();
  }

  /** Runs until the serial port over USB is open. Returns false if it does not open. */
  boot(limit = 2e9) {
    return this.machine.run(limit, () => this.usb.ready, 100_000);
  }

  /** Checks the rules that apply after the firmware has set up the chip. */
  audit() {
    checkAfterBoot(this.machine);
    const { too_fast, too_fast_pin } = this.plant.state();
    if (too_fast > 0) this.findings.report("pulse-too-short", `GPIO${too_fast_pin} moves faster than the part behind it can follow, ${too_fast} times`);
    return this.findings;
  }
}
