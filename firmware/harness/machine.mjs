// SPDX-License-Identifier: GPL-3.0-or-later
/// Runs one board through all its starts: powers it up, replaces the boot ROM, executes in virtual time, and restarts
/// after a watchdog reset.
import { Audit, unguarded } from "./silicon/audit.mjs";
import { HardFault, StrictRp2040 } from "./silicon/bus.mjs";
import { checkBoot2 } from "./image.mjs";
import { Findings } from "./findings.mjs";
import { Pins } from "./pins.mjs";

const ramStart = 0x20000000;
const boot2At = 0x20041f00;
const ringOscillator = 6.5e6; // Hz, until firmware selects another clock
const paint = 0xa5;
const grain = 1e-3; // ns
/** Permitted places of the stack: SRAM4 and SRAM5, both private to the core (datasheet, section 2.6.2). */
export const stackBottom = 0x20040000, stackTop = 0x20042000;

/** Reason for the early end of a run. */
export class Stopped extends Error {}

export class Machine {
  /** Time before the present start; the chip's own clock begins again with each start. */
  #origin = 0;
  #reset = undefined;
  #busy = 0;
  #handling = 0;
  #measuredFrom = 0;
  findings;
  starts = [];
  lowestStack = stackTop;

  /**
   * `flash` as returned by parseUf2. `wiring`: the plant at the pins (see Pins). `audited: false`: the stock emulator,
   * for comparison. Seeded defects: `rewrite(address, value)` changes or drops a write of the firmware, `misread`
   * changes a read. `attach(mcu, machine)` is called at each start, to connect a USB host and a UART.
   */
  constructor({ flash, wiring, audited = true, rewrite, misread, attach = () => {}, trace }) {
    Object.assign(this, { flash, wiring, audited, rewrite, misread, attach, trace });
    this.findings = new Findings(() => this.now);
    this.events = [];
    this.pins = new Pins(this);
    if (audited && !checkBoot2(flash, (rule, detail) => this.findings.report(rule, detail))) throw new Stopped(this.findings.toString());
    this.#start(undefined);
  }

  /** Nanoseconds of board time since power-up, over all starts. */
  get now() {
    return this.mcu ? this.#origin + this.mcu.clock.nanos : this.#origin;
  }
  /** True from `time` on. Sums of fractions of a nanosecond are not exact and must not stop the board. */
  reached(time) {
    return time - this.now < grain;
  }
  /** Shares of the time since `measureLoad()` in which the core did not sleep, and in which it handled interrupts. */
  get load() {
    return this.#busy / (this.now - this.#measuredFrom);
  }
  get interruptLoad() {
    return this.#handling / (this.now - this.#measuredFrom);
  }
  measureLoad() {
    this.#busy = 0;
    this.#handling = 0;
    this.#measuredFrom = this.now;
  }
  /** Number of cache lines that the core has waited for since the last start. */
  get cacheMisses() {
    return this.mcu.xip.misses;
  }
  get watchdog() {
    return unguarded(this.mcu.peripherals[0x40058]);
  }

  /**
   * Calls `action` at that board time, between two instructions. Actions of equal time run in order of registration.
   */
  at(time, action) {
    let index = this.events.length;
    while (index > 0 && this.events[index - 1].time > time) index--;
    this.events.splice(index, 0, { time, action });
  }

  /** At this time the wiring changes an input without an access; a run in progress stops in time. */
  wake(time) {
    this.#wakeAt = time;
    this.#stopAt = Math.min(this.#stopAt, time - this.#origin);
  }
  #wakeAt = Infinity;
  #stopAt = 0;

  /** Power cycle: no state of the chip survives. */
  powerCycle() {
    this.pins.release();
    this.#origin = this.now;
    this.#reset = undefined;
    this.mcu = undefined;
    this.#start(undefined);
  }

  #start(previous) {
    const mcu = new StrictRp2040();
    this.mcu = mcu;
    mcu.logger = this.#logger();
    if (this.audited) mcu.onBreak = (code) => this.#stop("breakpoint", `BKPT ${code} at 0x${mcu.core.PC.toString(16)}`);
    mcu.flash.set(this.flash);
    if (previous) mcu.sram.set(previous.sram);
    else mcu.sram.fill(paint);
    this.audit = this.audited ? new Audit(mcu, this.findings) : undefined;
    const watchdog = this.watchdog;
    watchdog.onWatchdogTrigger = () => {
      // The emulator would call this handler for ever. The chip is rebuilt outside of the emulator's clock.
      watchdog.alarm.enable = false;
      watchdog.timer.enable = false;
      this.#reset = watchdog.reason;
    };
    if (previous) {
      watchdog.scratchData.set(previous.scratch);
      watchdog.reason = previous.reason;
    }
    this.#watchHandlers(mcu);
    this.pins.connect(mcu);
    this.attach(mcu, this);
    mcu.audit = this.audit;
    mcu.rewrite = this.rewrite;
    mcu.misread = this.misread;
    mcu.clkSys = ringOscillator;
    this.#bootRom(mcu);
    this.starts.push({ at: this.now, reason: previous?.reason ?? 0 });
  }

  /** Action of the boot ROM for valid flash: copies boot2 to the top of SRAM and enters it with LR 0. */
  #bootRom(mcu) {
    mcu.sram.set(this.flash.subarray(0, 256), boot2At - ramStart);
    mcu.core.registers.fill(0);
    mcu.core.SP = boot2At;
    mcu.core.LR = 0;
    mcu.core.PC = boot2At;
  }

  #watchHandlers(mcu) {
    const { core } = mcu;
    const inRam = () => core.IPSR !== 0 && mcu.readUint32(core.VTOR + 4 * core.IPSR) >>> 28 === 2;
    for (const name of ["exceptionEntry", "exceptionReturn"]) {
      const original = core[name].bind(core);
      core[name] = (argument) => {
        mcu.inRamHandler = false; // the core fetches vectors and stack frames without this check
        original(argument);
        mcu.inRamHandler = inRam();
      };
    }
  }

  #logger() {
    const machine = this;
    return {
      debug() {},
      info() {},
      warn(component, message) {
        if (machine.audited && message.includes("not implemented yet")) machine.#stop("undefined-instruction", message);
        machine.findings.note(`${component}: ${message.replace(/: 0x[0-9a-f]+$/, "")}`);
      },
      error(component, message) {
        throw new HardFault(`${component}: ${message}`);
      },
    };
  }

  #stop(rule, detail) {
    this.findings.report(rule, detail);
    throw new Stopped(`${rule}: ${detail}`);
  }

  /**
   * Runs until board time `end`, or until `done()` returns true; checks this every `every` ns. Returns the last result
   * of `done()`.
   */
  runUntil(end, done = undefined, every = 10_000) {
    for (;;) {
      const next = done ? Math.min(end, this.now + every) : end;
      try {
        this.#run(next);
      } catch (error) {
        if (!(error instanceof HardFault)) throw error;
        this.#stop("hard-fault", error.message);
      }
      if (done?.()) return true;
      if (this.reached(end)) return false;
    }
  }
  run(nanoseconds, done, every) {
    return this.runUntil(this.now + nanoseconds, done, every);
  }

  #run(end) {
    while (!this.reached(end)) {
      while (this.events.length > 0 && this.reached(this.events[0].time)) this.events.shift().action();
      if (this.reached(this.#wakeAt)) {
        this.#wakeAt = Infinity;
        this.pins.refresh();
      }
      this.#stopAt = Math.min(end, this.#wakeAt, this.events.length > 0 ? this.events[0].time : Infinity) - this.#origin;
      if (this.#reset === undefined) this.#runChip();
      if (this.#reset !== undefined) this.#restart();
    }
  }

  #runChip() {
    const { mcu } = this;
    const { core, clock } = mcu;
    let nanosPerCycle = 1e9 / mcu.clkSys;
    let frequency = mcu.clkSys;
    let lowest = this.lowestStack;
    let busy = 0;
    let handling = 0;
    while (clock.nanosCounter < this.#stopAt && this.#reset === undefined) {
      if (core.waiting) {
        // The emulator sleeps through an interrupt that was already pending; silicon does not.
        if (core.pendingInterrupts & core.enabledInterrupts) core.waiting = false;
        else {
          const alarm = clock.nextAlarm;
          const until = alarm && alarm.nanos < this.#stopAt ? Math.max(alarm.nanos, clock.nanosCounter) : this.#stopAt;
          clock.tick(until - clock.nanosCounter);
          continue;
        }
      }
      if (mcu.clkSys !== frequency) {
        frequency = mcu.clkSys;
        nanosPerCycle = 1e9 / frequency;
      }
      const cycles = core.executeInstruction();
      const elapsed = (mcu.xip.stall === 0 ? cycles : cycles + mcu.xip.takeStall()) * nanosPerCycle;
      busy += elapsed;
      if (core.IPSR !== 0) handling += elapsed;
      const after = clock.nanosCounter + elapsed;
      const alarm = clock.nextAlarm;
      if (alarm && alarm.nanos <= after) clock.tick(elapsed);
      else clock.nanosCounter = after;
      const sp = core.registers[13];
      if (sp < lowest && sp >= ramStart && core.VTOR !== 0) {
        lowest = sp;
        if (sp < stackBottom && this.audited) this.#stop("stack-overflow", `SP 0x${sp.toString(16)} at 0x${core.PC.toString(16)}`);
      }
    }
    this.lowestStack = lowest;
    this.#busy += busy;
    this.#handling += handling;
  }

  /** Survives a watchdog reset: SRAM, scratch registers, the reason, and everything outside of the chip. */
  #restart() {
    const { watchdog } = this;
    const previous = { sram: this.mcu.sram, scratch: watchdog.scratchData, reason: this.#reset };
    if (this.audit && (unguarded(this.mcu.peripherals[0x40010]).wdsel & 0x1fffc) !== 0x1fffc) this.findings.report("watchdog-reach", "PSM.WDSEL does not select all blocks: the watchdog would not reset the chip");
    this.pins.release();
    this.#origin = this.now;
    this.#reset = undefined;
    this.mcu = undefined;
    this.#start(previous);
  }

  /** Bytes of stack used so far: from the lowest SP, and from the overwritten fill pattern. */
  get stackUsed() {
    const bottom = stackBottom - ramStart;
    const colour = this.mcu.sram[bottom]; // pattern of the firmware, or of this class
    let painted = 0;
    while (painted < stackTop - stackBottom && this.mcu.sram[bottom + painted] === colour) painted++;
    return { pointer: stackTop - this.lowestStack, paint: stackTop - stackBottom - painted };
  }
}
