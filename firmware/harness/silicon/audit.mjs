// SPDX-License-Identifier: GPL-3.0-or-later
/// Wraps the rules of each block around the emulator's peripherals. Sources: RP2040 datasheet, sections 2.15 (clocks),
/// 2.18 (PLL), 4.6 (timer), 4.7 (watchdog), 4.9 (ADC), errata E1.
import { blocks, blockNames } from "./blocks.mjs";
import { Guard } from "./guard.mjs";
import { Resets } from "./resets.mjs";
import { Uart } from "./uart.mjs";

const clockEnable = 0x800;
const pllLockTime = 1_000_000; // ns; longer than silicon takes, for the same reason as in resets.mjs
const pollLimit = 20_000; // reads of one register in a row
const padAfterReset = 0x56; // input enabled, 4 mA, pull-down, Schmitt trigger
const padPulls = 0xc, padInput = 0x40;

export class Audit {
  /** `mcu` is new; from this call on its blocks are guarded. */
  constructor(mcu, findings) {
    this.mcu = mcu;
    this.findings = findings;
    this.tickRunning = false;
    this.alarms = [0, 1, 2, 3].map(() => ({ late: false, at: 0, value: 0 }));
    this.#poll = { block: undefined, register: 0, count: 0 };
    this.resets = new Resets(mcu, "RESETS");
    this.#guardAll();
    for (const pin of mcu.gpio) pin.padValue = padAfterReset;
    // silicon starts without a reload value; so does the watchdog's counter
    mcu.peripherals[0x40058].tickEnable = false;
  }
  #poll;
  /** Called with the number of each armed alarm and its due time in microseconds. */
  onAlarm = () => {};

  report(rule, detail) {
    this.findings.report(rule, detail);
  }
  get now() {
    return this.mcu.clock.nanos;
  }

  touch(block, register) {
    if (block.reset !== undefined && this.resets.unusable & (1 << block.reset)) this.report("touched-in-reset", `${block.name}+0x${register.toString(16)} while RESETS holds it`);
  }

  /** Repeated reads of one register without any other access: the firmware waits for a change that never comes. */
  polled(block, register, value) {
    const poll = this.#poll;
    if (poll.block === block && poll.register === register) {
      if (++poll.count !== pollLimit || !block) return;
      const held = block.name === "RESETS" ? `; held: ${blockNames(this.resets.unusable).join(" ")}` : "";
      this.report("waits-for-ever", `${block.name}+0x${register.toString(16)} stays 0x${value.toString(16)}${held}`);
    } else this.#poll = { block, register, count: 0 };
  }

  enabled(clock) {
    return !!(this.mcu.clocks[`${clock}Ctrl`] & clockEnable);
  }
  periFrequency() {
    return this.mcu.clocks.periFreq;
  }
  #needs(clock, what) {
    if (!this.enabled(clock)) this.report(`clk_${clock}-off`, `${what} used without clk_${clock}`);
  }

  #guardAll() {
    const { mcu } = this;
    const uart = new Uart(mcu, this, { irq: 20, txPin: 0, rxPin: 1 });
    mcu.uart[0] = uart;
    mcu.peripherals[0x40034] = uart;
    mcu.peripherals[0x4000c] = this.resets;
    const rules = {
      0x40008: this.#clockRules(), 0x40024: this.#oscillatorRules(), 0x40028: this.#pllRules("sys"), 0x4002c: this.#pllRules("usb"),
      0x40034: { write: () => this.#needs("peri", "UART0"), read: (offset, value) => (this.#needs("peri", "UART0"), value) },
      0x4004c: this.#adcRules(), 0x40054: this.#timerRules(), 0x40058: this.#watchdogRules(),
      0x50110: { write: () => this.#needs("usb", "USB"), read: (offset, value) => (this.#needs("usb", "USB"), value) },
    };
    for (const [page, block] of Object.entries(blocks)) if (mcu.peripherals[page]) mcu.peripherals[page] = new Guard(mcu.peripherals[page], block, this, rules[page]);
    mcu.peripherals[0x4000c] = new Guard(this.resets, { name: "RESETS" }, this);
  }

  // ---- clocks ----

  #xoscStableAt = Infinity;
  #locks = { sys: Infinity, usb: Infinity };

  #oscillatorRules() {
    return {
      read: (offset, value) => (offset === 4 && this.now < this.#xoscStableAt ? value & 0x7fffffff : value),
      write: (offset, value) => {
        if (offset !== 0 || ((value >> 12) & 0xfff) !== 0xfab) return;
        const cycles = (this.mcu.peripherals[0x40024].inner.startup & 0x3fff) * 256;
        if (cycles < 12_000) this.report("xosc-startup", `start-up delay of ${cycles} cycles is below the 1 ms that the crystal needs`);
        this.#xoscStableAt = this.now + (cycles / 12) * 1000;
      },
    };
  }

  #pllRules(which) {
    return {
      read: (offset, value) => (offset === 0 && this.now < this.#locks[which] ? value & 0x7fffffff : value),
      write: (offset, value) => {
        if (offset === 4) this.#locks[which] = value & 0x21 ? Infinity : Math.min(this.#locks[which], this.now + pllLockTime);
      },
    };
  }

  #clockRules() {
    return {
      write: (offset, value) => {
        if (offset === 0x30 && (value & 3) === 2 && this.now < this.#xoscStableAt) this.report("clock-source", "clk_ref runs from a crystal that is not stable");
        const auxiliary = (value >> 5) & 7;
        const pll = offset === 0x3c && value & 1 ? ["sys", "usb"][auxiliary] : (offset === 0x54 || offset === 0x60) && value & clockEnable ? ["usb", "sys"][auxiliary] : undefined;
        if (pll && this.now < this.#locks[pll]) this.report("clock-source", `CLOCKS+0x${offset.toString(16)} takes PLL_${pll.toUpperCase()} before it is locked`);
      },
    };
  }

  // ---- time ----

  #watchdogRules() {
    return {
      write: (offset, value, raw) => {
        if (offset === 0x04 && (raw > 0xffffff || raw === 0)) this.report("watchdog-load", `LOAD 0x${raw.toString(16)} is outside of 1..0xFFFFFF`);
        if (offset !== 0x2c) return;
        this.tickRunning = !!(value & 0x200);
        if (this.tickRunning && (value & 0x1ff) !== 12) this.report("tick-cycles", `TICK divides by ${value & 0x1ff}, not 12: no microseconds from a 12 MHz crystal`);
      },
    };
  }

  #timerRules() {
    const ticking = (offset) => {
      if (!this.tickRunning) this.report("timer-without-tick", `TIMER+0x${offset.toString(16)} before WATCHDOG.TICK runs: the timer stands still`);
    };
    return {
      read: (offset, value) => (ticking(offset), value),
      write: (offset, value, raw) => {
        if (offset < 0x34) ticking(offset);
        if (offset >= 0x10 && offset <= 0x1c) {
          const alarm = this.alarms[(offset - 0x10) / 4];
          const ahead = (value - Math.floor(this.now / 1000)) | 0;
          this.#judgeAlarm(alarm, offset);
          this.onAlarm((offset - 0x10) / 4, value);
          Object.assign(alarm, { late: ahead <= 0, at: this.now, value: ahead });
        }
        // A late alarm does no harm if the firmware forces or disarms it at once.
        if (offset === 0x3c || offset === 0x20) this.alarms.forEach((alarm, n) => { if (raw & (1 << n)) alarm.late = false; });
      },
    };
  }
  #judgeAlarm(alarm, offset) {
    // The firmware has a moment to detect that the time has passed and to arm the alarm again.
    if (alarm.late && this.now - alarm.at > 20_000) this.report("alarm-in-the-past", `TIMER+0x${offset.toString(16)} armed ${-alarm.value} us late: silicon waits 71 minutes`);
  }
  judgeAlarms() {
    this.alarms.forEach((alarm, n) => this.#judgeAlarm(alarm, 0x10 + 4 * n));
  }

  // ---- ADC ----

  #adcRules() {
    return {
      read: (offset, value) => (this.#needs("adc", "ADC"), value),
      write: (offset, value) => {
        this.#needs("adc", "ADC");
        if (offset !== 0 || !(value & 0xc)) return;
        const channel = (value >> 12) & 7;
        if ((value >> 16) & 0x1f) this.report("adc-round-robin", "round robin is not modelled: one conversion a start");
        if (channel > 3) return;
        const pad = this.mcu.gpio[26 + channel].padValue;
        if (pad & (padInput | padPulls)) this.report("adc-pad", `GPIO${26 + channel} is converted with pad 0x${pad.toString(16)}: input or pulls are on`);
      },
    };
  }
}

/** The peripheral behind a guard. */
export const unguarded = (peripheral) => (peripheral instanceof Guard ? peripheral.inner : peripheral);
