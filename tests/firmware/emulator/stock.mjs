// SPDX-License-Identifier: GPL-3.0-or-later
/// Runs an image in the stock emulator with its own USB host, for comparison with the audited emulator.
import { readFileSync } from "node:fs";
import { parseUf2 } from "../../../firmware/harness/image.mjs";
import { Machine } from "../../../firmware/harness/machine.mjs";
import { USBCDC } from "../../../firmware/harness/stock_usb.mjs";

const noWiring = { drive: () => 0, released: () => 0, sense: () => 0, idle: () => false, inputs: 0, adc: () => 0, nextChange: () => Infinity };
const bootTime = 60e6, answerTime = 30e6;

/** Returns a short description of the image in the stock emulator. */
export function tryStock({ image, hello, rewrite, misread, change }) {
  const { flash } = parseUf2(readFileSync(image), () => {});
  change?.(flash);
  const heard = { usb: 0, uart: 0 };
  let cdc;
  const attach = (mcu) => {
    cdc = new USBCDC(mcu.usbCtrl);
    // This host sends no start-of-frame packets, and the image restarts if they are missing. So their number is
    // computed.
    Object.defineProperty(mcu.usbCtrl, "sofFrameNumber", { get: () => Math.floor(mcu.clock.nanos / 1e6), set() {} });
    cdc.onSerialData = (bytes) => (heard.usb += bytes.length);
    mcu.uart[0].onByte = () => heard.uart++;
  };
  try {
    const machine = new Machine({ flash, wiring: noWiring, audited: false, rewrite, misread, attach });
    machine.run(bootTime);
    for (const send of [(byte) => machine.mcu.uart[0].feedByte(byte), (byte) => cdc.sendSerialByte(byte)]) {
      for (const byte of hello()) {
        send(byte);
        machine.run(90_000); // one byte at 115200 baud
      }
      machine.run(answerTime);
    }
    if (machine.starts.length > 1) return `resets ${machine.starts.length - 1} times`;
  } catch (error) {
    return `throws: ${error.message.slice(0, 40)}`;
  }
  const answers = [heard.usb ? "USB" : "", heard.uart ? "UART" : ""].filter(Boolean);
  return answers.length > 0 ? `answers by ${answers.join(" and ")}` : "silence";
}
