// SPDX-License-Identifier: GPL-3.0-or-later
/// Conditions that hold once the firmware runs. (RP2040 datasheet: 2.18.2 PLL, 2.15.3 clock limits, 4.10 SSI, 2.19
/// pads.)
import { readFileSync } from "node:fs";
import { unguarded } from "./audit.mjs";

const crystal = 12e6;
const standardSpeeds = [115200, 230400, 460800, 921600];
const functions = { sio: 5, uart0: 2, adc0: 31, adc1: 31, adc2: 31 };

export function checkAfterBoot(machine) {
  const { mcu, audit, findings } = machine;
  const report = (rule, detail) => findings.report(rule, detail);
  checkFlash(unguarded(mcu.peripherals[0x18000]), report);
  for (const [name, pll] of [["PLL_SYS", mcu.pllSys], ["PLL_USB", mcu.pllUsb]]) {
    const vco = (crystal / (pll.refdiv || 1)) * pll.fbdiv;
    if (vco < 750e6 || vco > 1600e6) report("pll-vco", `${name}: VCO at ${vco / 1e6} MHz is outside of 750..1600 MHz`);
    if (pll.postdiv1 < pll.postdiv2) report("pll-dividers", `${name}: the first divider has to be the larger one`);
  }
  const { sysFreq, refFreq } = mcu.clocks;
  if (sysFreq > 133e6 || sysFreq === 0) report("clk_sys", `clk_sys at ${sysFreq / 1e6} MHz, the limit is 133 MHz`);
  if (refFreq !== crystal) report("clk_ref", `clk_ref at ${refFreq / 1e6} MHz: the tick counts crystal cycles`);
  for (const name of ["usb", "adc"]) {
    const frequency = auxiliary(mcu, name);
    if (frequency !== 48e6) report(`clk_${name}`, `clk_${name} at ${frequency / 1e6} MHz, not 48 MHz`);
  }
  checkUart(mcu.uart[0], report);
  checkPins(mcu, report);
  if (mcu.core.VTOR === 0 || mcu.core.VTOR & 0xff) report("vector-table", `VTOR is 0x${mcu.core.VTOR.toString(16)}`);
  const watchdog = unguarded(mcu.peripherals[0x40058]);
  if (watchdog.pauseDbg0 || watchdog.pauseDbg1 || watchdog.pauseJtag) report("watchdog-pause", "the watchdog stands still while a debugger holds the core");
  if (!watchdog.enable) report("watchdog-off", "the watchdog does not run");
  if ((unguarded(mcu.peripherals[0x40010]).wdsel & 0x1fffc) !== 0x1fffc) report("watchdog-reach", "PSM.WDSEL does not select all blocks: the watchdog would not reset the chip");
  audit.judgeAlarms();
}

function checkFlash(ssi, report) {
  const complain = (detail) => report("ssi", detail);
  if (!(ssi.ssienr & 1)) complain("is off: no instruction comes out of flash");
  if (ssi.crtlr0 !== 0x001f0300) complain(`CTRLR0 is 0x${ssi.crtlr0.toString(16)}, not a standard 32 bit read`);
  if (ssi.crtlr1 !== 0) complain(`CTRLR1 is ${ssi.crtlr1}, one frame a read wants 0`);
  if (ssi.spictlr0 !== 0x03000218) complain(`SPI_CTRLR0 is 0x${ssi.spictlr0.toString(16)}, not command 03h with 24 address bits`);
  if (ssi.baudr < 2 || ssi.baudr % 2 !== 0) complain(`clock divisor ${ssi.baudr} is not even and at least 2`);
  else if (125 / ssi.baudr > 50) complain(`flash at ${125 / ssi.baudr} MHz: command 03h is specified up to 50 MHz`);
}

function auxiliary(mcu, name) {
  const control = mcu.clocks[`${name}Ctrl`];
  const divisor = mcu.clocks[`${name}Div`] >>> 8 || 0x10000;
  const source = [mcu.pllUsb.frequency, mcu.pllSys.frequency][(control >> 5) & 7] ?? 0;
  return control & 0x800 ? source / divisor : 0;
}

function checkUart(uart, report) {
  const { enabled, masks, fifo } = uart.settled;
  if (!enabled) return report("uart-disabled", "UART0 is off");
  const nearest = standardSpeeds.reduce((best, speed) => (Math.abs(speed - uart.baud) < Math.abs(best - uart.baud) ? speed : best));
  if (Math.abs(uart.baud / nearest - 1) > 0.02) report("uart-baud", `${Math.round(uart.baud)} baud is more than 2 % off ${nearest}`);
  if (masks & 0x10 && !(masks & 0x40) && fifo) report("uart-rxim-without-rtim", "receive interrupt without receive time-out: the last bytes of a frame stay in the FIFO");
}

/** Checks each pin against the pin map: function, direction, pull, input enable. */
function checkPins(mcu, report) {
  const map = readFileSync(new URL("../../../hw/pins.csv", import.meta.url), "utf8").trim().split("\n").slice(1).map((line) => line.split(","));
  for (const [gp, signal, direction, pull, , , wanted] of map) {
    if (!/^\d+$/.test(gp) || wanted === "-" || wanted === "reserved") continue;
    const pin = mcu.gpio[Number(gp)];
    const complain = (detail) => report("pin-setup", `GPIO${gp} (${signal}): ${detail}`);
    if (pin.functionSelect !== functions[wanted]) complain(`function ${pin.functionSelect}, not ${functions[wanted]}`);
    if (direction === "out" && wanted === "sio" && !pin.outputEnable) complain("is not driven");
    if (direction === "in" && pin.rawOutputEnable) complain("is driven, but is an input");
    if (direction === "in" && !pin.inputEnable) complain("has its input switched off");
    if (direction === "out" && pin.outputDisable) complain("has its output switched off in the pad");
    const pulls = (pin.pullupEnabled ? "up" : "") + (pin.pulldownEnabled ? "down" : "");
    if (direction === "in" && pulls !== (pull === "none" ? "" : pull)) complain(`pull ${pulls || "none"}, not ${pull}`);
  }
}
