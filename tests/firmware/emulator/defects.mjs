// SPDX-License-Identifier: GPL-3.0-or-later
/// Possible mistakes of firmware for the RP2040. Changes of the image's writes and reads simulate firmware with a
/// mistake, so the product contains no test code.

/** The address without the bits that select plain, xor, set or clear. DPRAM and SSI have no such aliases. */
const hasAliases = (address) => (address >= 0x40000000 && address < 0x50100000) || address >>> 14 === 0x50110000 >>> 14;
const canonical = (address) => (hasAliases(address) ? address & ~0x3000 : address) >>> 0;
const alias = (address) => (address >>> 12) & 3;

/** Changes a write of the register: `f(value)` for a plain write; undefined drops it. */
const writes = (register, f) => ({ rewrite: (address, value) => (canonical(address) === register ? f(value, alias(address)) : value) });
/** Removes bits from all writes of the register, by any alias. */
const without = (register, bits) => writes(register, (value) => (value & ~bits) >>> 0);
const swallowed = (register) => writes(register, () => undefined);
const reads = (register, f) => ({ misread: (address, value) => (canonical(address) === register ? f(value) >>> 0 : value) });
/** Firmware that continues without waiting for the flag. */
const notWaiting = (register, bits) => reads(register, (value) => value | bits);
const both = (...parts) => Object.assign({}, ...parts);

const RESET = 0x4000c000, DONE = 0x4000c008;
/** A block is never released. Releases use the clear alias or a plain value. */
const held = (bit) => writes(RESET, (value, how) => (how === 0 ? (value | (1 << bit)) >>> 0 : how === 3 ? (value & ~(1 << bit)) >>> 0 : value));
const heldAndNotWaited = (bit) => both(held(bit), notWaiting(DONE, 0x1ffffff));

/** Only the n-th write is wrong; each run counts from zero. */
const nthWrite = (register, n, f) => ({
  fresh() {
    let count = 0;
    return writes(register, (value) => (++count === n ? f(value) : value));
  },
});

/** Replaces bytes of the image at `find`, which must occur at least once. */
const patched = (find, put) => ({
  change(flash) {
    const at = Buffer.from(flash.buffer, flash.byteOffset, 0x20000).indexOf(Buffer.from(find));
    if (at < 0) throw new Error(`the image does not hold ${Buffer.from(find).toString("hex")}`);
    flash.set(put, at);
  },
});

const CLOCKS = 0x40008000, UART = 0x40034000, USB_IN = 0x50100090, USB_CTRL_IN = 0x50100080, ADC = 0x4004c000, TIMER = 0x40054000, WATCHDOG = 0x40058000;
const AVAILABLE = 0x400, PID = 0x2000, FULL = 0x8000;

export const defects = [
  { name: "UART0 is left in reset", rule: "waits-for-ever", ...held(22) },
  { name: "UART0 is left in reset, and the firmware does not wait", rule: "touched-in-reset", ...heldAndNotWaited(22) },
  { name: "USB is left in reset, and the firmware does not wait", rule: "touched-in-reset", ...heldAndNotWaited(24) },
  { name: "IO_BANK0 is left in reset, and the firmware does not wait", rule: "touched-in-reset", ...heldAndNotWaited(5) },
  { name: "ADC is left in reset, and the firmware does not wait", rule: "touched-in-reset", ...heldAndNotWaited(0) },
  { name: "the firmware does not wait for RESET_DONE", rule: "touched-in-reset", ...notWaiting(DONE, 0x1ffffff) },
  { name: "the firmware does not wait for the crystal", rule: "clock-source", ...notWaiting(0x40024004, 0x80000000) },
  { name: "the firmware does not wait for PLL locks", rule: "clock-source", misread: (a, v) => (canonical(a) === 0x40028000 || canonical(a) === 0x4002c000 ? (v | 0x80000000) >>> 0 : v) },
  { name: "the crystal gets 21 us to start", rule: "xosc-startup", ...writes(0x4002400c, () => 1) },
  { name: "the watchdog tick is off", rule: "timer-without-tick", ...swallowed(WATCHDOG + 0x2c) },
  { name: "the tick divides by 1", rule: "tick-cycles", ...writes(WATCHDOG + 0x2c, () => 0x201) },
  { name: "clk_peri is off", rule: "clk_peri-off", ...without(CLOCKS + 0x48, 0x800) },
  { name: "clk_usb is off", rule: "clk_usb-off", ...without(CLOCKS + 0x54, 0x800) },
  { name: "clk_adc is off", rule: "clk_adc-off", ...without(CLOCKS + 0x60, 0x800) },
  { name: "the VCO of PLL_SYS runs at 1800 MHz", rule: "pll-vco", ...writes(0x40028008, () => 150) },
  { name: "the post dividers are exchanged", rule: "pll-dividers", ...writes(0x4002800c, () => 0x26000) },
  { name: "clk_sys runs at 150 MHz", rule: "clk_sys", ...writes(0x40028008, () => 150) },
  { name: "clk_usb runs at 57.6 MHz", rule: "clk_usb", ...writes(0x4002c008, () => 120) },
  { name: "clk_adc runs at 57.6 MHz", rule: "clk_adc", ...writes(0x4002c008, () => 120) },
  { name: "clk_ref stays on the ring oscillator", rule: "clk_ref", ...both(writes(CLOCKS + 0x30, (value) => value & ~3), reads(CLOCKS + 0x38, () => 0xf)) },
  { name: "boot2 leaves SSI off", rule: "ssi", ...without(0x18000008, 1) },
  { name: "boot2 divides by an odd number", rule: "ssi", ...writes(0x18000014, () => 3) },
  { name: "boot2 uses another command", rule: "ssi", ...writes(0x180000f4, () => 0x03000219) },
  { name: "the vector table is misaligned", rule: "vector-table", ...writes(0xe000ed08, (value) => value + 0x40) },
  { name: "one bit of boot2 is wrong", rule: "boot2-crc", change: (flash) => (flash[17] ^= 4) },
  { name: "the watchdog is loaded with more than 24 bits", rule: "watchdog-load", ...writes(WATCHDOG + 4, (value) => value | 0x1000000) },
  { name: "the watchdog is loaded with 0", rule: "watchdog-load", ...nthWrite(WATCHDOG + 4, 5, () => 0) },
  { name: "the watchdog is never started", rule: "watchdog-off", ...without(WATCHDOG, 0x40000000) },
  { name: "the watchdog pauses under a debugger", rule: "watchdog-pause", ...writes(WATCHDOG, (value) => (value | 0x7000000) >>> 0) },
  { name: "the watchdog resets only the core", rule: "watchdog-reach", ...swallowed(0x40010008) },
  { name: "an alarm is armed 1 ms too late", rule: "alarm-in-the-past", ...nthWrite(TIMER + 0x10, 20, (value) => (value - 1000) >>> 0) },
  { name: "the receive interrupt has no time-out", rule: "uart-rxim-without-rtim", ...without(UART + 0x38, 0x40) },
  { name: "the TX pin has another function", rule: "uart-tx-pin", ...writes(0x40014004, () => 0x1f) },
  { name: "the RX pin has another function", rule: "uart-rx-pin", ...writes(0x4001400c, () => 0x1f) },
  { name: "the transmitter is not enabled", rule: "uart-disabled", ...without(UART + 0x30, 0x100) },
  { name: "the baud rate is wrong by 9 %", rule: "uart-baud", ...writes(UART + 0x24, (value) => Math.ceil(value * 1.09)) },
  { name: "the firmware ignores a full transmit FIFO", rule: "uart-tx-overrun", ...reads(UART + 0x18, (value) => value & ~0x20) },
  { name: "input and pull of an ADC pad stay on", rule: "adc-pad", ...writes(0x4001c06c, () => 0x56) },
  { name: "the ADC converts in round-robin mode", rule: "adc-round-robin", ...writes(ADC, (value) => value | 0x70000) },
  { name: "the home flag has no pull-up", rule: "pin-setup", ...without(0x4001c03c, 8) },
  { name: "the data toggle does not change", rule: "usb-toggle", ...without(USB_IN, PID) },
  { name: "the data toggle is wrong after SET_CONFIGURATION", rule: "usb-toggle", ...writes(USB_IN, (value) => (value & FULL ? value ^ PID : value)) },
  { name: "the status stage uses DATA0", rule: "usb-toggle", ...writes(USB_CTRL_IN, (value) => (value & 0x3ff ? value : value & ~PID)) },
  { name: "AVAILABLE is set by the first write", rule: "usb-available", ...writes(USB_IN, (value) => (value & FULL && !(value & AVAILABLE) ? undefined : value)) },
  { name: "an IN buffer is handed over without FULL", rule: "usb-not-full", ...without(USB_IN, FULL) },
  { name: "a packet has 65 bytes", rule: "usb-length", ...writes(USB_IN, (value) => (value & ~0x3ff) | 65) },
  { name: "endpoint 2 is double buffered", rule: "usb-double-buffer", ...writes(0x50100010, (value) => value | (1 << 30)) },
  { name: "the status stage contains a byte", rule: "usb-status", ...writes(USB_CTRL_IN, (value) => (value & 0x3ff ? value : value | 1)) },
  { name: "the line coding is not stored", rule: "usb-line-coding", ...reads(0x50100100, (value) => value ^ 0x100) },
  { name: "endpoint 0 sends too few bytes", rule: "usb-silent", ...swallowed(USB_CTRL_IN) },
  { name: "the device never uses its address", rule: "usb-enumeration", ...swallowed(0x50110000) },
  { name: "the request for a device qualifier is not stalled", rule: "usb-qualifier", ...swallowed(0x50110068) },
  { name: "the device class is 00 despite an association", rule: "usb-descriptor", ...patched([18, 1, 0, 2, 0xef, 2, 1], [18, 1, 0, 2, 0, 0, 0]) },
  { name: "the configuration is shorter than its wTotalLength", rule: "usb-descriptor", ...patched([9, 2, 75, 0], [9, 2, 80, 0]) },
];
