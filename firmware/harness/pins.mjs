// SPDX-License-Identifier: GPL-3.0-or-later
/// Transfers the levels of pins between the chip and its wiring, and records every edge.
import { GPIOPinState } from "rp2040js";

const wired = 30;
const chainLatch = 10; // has two edges per tick: often enough to poll inputs that change without an access
const leastPause = 1000; // ns

export class Pins {
  /**
   * `machine.wiring` has drive(ns, pin, level) and released(ns), which return the levels of the chip's inputs as bits;
   * idle(pin): level of an undriven pin by its pulls; inputs: mask of the pins that it drives; adc(ns, channel);
   * nextChange(): time of the next change of an input without an access.
   */
  constructor(machine) {
    this.machine = machine;
    this.levels = new Array(wired).fill(false);
    this.driven = new Array(wired).fill(false);
  }

  connect(mcu) {
    this.mcu = mcu;
    const { wiring } = this.machine;
    for (let pin = 0; pin < wired; pin++) {
      this.levels[pin] = wiring.idle(pin);
      this.driven[pin] = false;
      if (this.levels[pin]) mcu.gpio[pin].setInputValue(true);
      mcu.gpio[pin].addListener((state) => this.#changed(pin, state));
    }
    this.#see(wiring.released(this.machine.now));
    mcu.adc.onADCRead = (channel) => {
      mcu.adc.channelValues[channel] = wiring.adc(this.machine.now, channel);
      mcu.adc.currentChannel = channel;
      mcu.adc.sampleAlarm.schedule(mcu.adc.sampleTime * 1000);
    };
  }

  /** Reset of the chip: it drives no pin, and the pulls define the levels. */
  release() {
    for (let pin = 0; pin < wired; pin++) this.#changed(pin, GPIOPinState.Input);
  }

  #changed(pin, state) {
    const driven = state === GPIOPinState.High || state === GPIOPinState.Low;
    const level = driven ? state === GPIOPinState.High : this.machine.wiring.idle(pin);
    this.driven[pin] = driven;
    if (level === this.levels[pin]) return;
    this.levels[pin] = level;
    const { now } = this.machine;
    this.machine.trace?.edge(now, pin, level);
    // A driven pin reads back its own level, which the emulator does not do.
    this.mcu.gpio[pin].setInputValue(level);
    this.#see(this.machine.wiring.drive(now, pin, level));
    if (pin === chainLatch && level) this.#plan();
  }

  /** Reads the levels of the wiring; also called after a change outside. */
  refresh() {
    this.#see(this.machine.wiring.sense(this.machine.now));
    this.#plan();
  }

  #plan() {
    this.machine.wake(Math.max(this.machine.wiring.nextChange(), this.machine.now + leastPause));
  }

  #see(bits) {
    let { inputs } = this.machine.wiring;
    for (let pin = 0; inputs !== 0; pin++, inputs >>>= 1) {
      if (!(inputs & 1)) continue;
      const level = !!(bits & (1 << pin));
      // Only real changes: each call latches an edge in the emulator.
      if (level === this.levels[pin] || this.driven[pin]) continue;
      this.levels[pin] = level;
      this.machine.trace?.edge(this.machine.now, pin, level);
      this.mcu.gpio[pin].setInputValue(level);
    }
  }
}
