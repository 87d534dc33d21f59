// SPDX-License-Identifier: GPL-3.0-or-later
/// Runs the emulated board in paced real time for rig_emulator. Descriptor 3 carries USB bytes, descriptor 4 UART
/// bytes, descriptor 5 events of the USB device, stdin sentences, stdout one JSON object per line.
import { appendFileSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { Socket } from "node:net";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { Board } from "./board.mjs";

const { values: options } = parseArgs({
  options: {
    image: { type: "string" }, plant: { type: "string" }, pockets: { type: "string", default: "30" }, ports: { type: "string", default: "8" },
    script: { type: "string" }, events: { type: "string" }, "until-eof": { type: "boolean", default: false },
  },
});
const say = (object) => process.stdout.write(`${JSON.stringify(object)}\n`);
const slice = 2e6; // ns of board time between two polls of the inputs
const longestStart = 5e9;
const mostLag = 100e6; // if the delay is longer, the board is no longer paced

function build() {
  try {
    const board = new Board({ image: options.image, plant: options.plant, pockets: Number(options.pockets), ports: Number(options.ports) });
    board.onUsb = (bytes) => usb.write(bytes);
    board.onUart = (bytes) => uart.write(bytes);
    return board;
  } catch (error) {
    return fail(error.message);
  }
}

const usb = new Socket({ fd: 3 });
const uart = new Socket({ fd: 4 });
const board = build();
let powered = true;
let audited = false;
let startedAt = process.hrtime.bigint();
usb.on("data", (bytes) => { if (powered) { board.writeUsb(bytes); turn(); } });
uart.on("data", (bytes) => { if (powered) { board.writeUart(bytes); turn(); } });
for (const link of [usb, uart]) link.on("end", () => process.exit(0)).on("error", () => process.exit(0));

function obey(sentence) {
  switch (sentence) {
    case "the firmware hangs": board.hang(); return "";
    case "the USB controller hangs": board.wire.goDeaf(); return "";
    case "the power fails": powered = false; board.machine.pins.release(); mindTheBus(); return "";
    case "the power returns":
      if (powered) return "the power is there";
      board.powerCycle();
      powered = true;
      startedAt = process.hrtime.bigint() - BigInt(Math.round(board.now));
      return "";
    case "quit": say({ ok: true }); finish(); return undefined;
    case "findings": say({ findings: board.audit().all, notes: board.findings.notes, stack: board.machine.stackUsed, load: board.machine.load }); return undefined;
    case "state": process.stdout.write(`${board.plant.tellState(powered)}\n`); return undefined;
    default: return board.say(sentence);
  }
}
function answer(sentence) {
  if (sentence.trim() === "") return;
  const wrong = obey(sentence.trim());
  if (wrong === undefined) return; // the answer was sent
  say(wrong ? { ok: false, error: wrong } : { ok: true });
}
function finish() {
  process.exit(0);
}
function fail(why) {
  process.stderr.write(`rig.mjs: ${why}\n`);
  process.exit(3);
}

function pass(events) {
  if (!options.events || events.length === 0) return;
  const lines = events.map((one) => `${JSON.stringify(one)}\n`).join("");
  if (options.events === "-") process.stdout.write(lines);
  else appendFileSync(options.events, lines);
}

/** True while the device is on the bus; rig_emulator opens and closes the serial port accordingly. */
function mindTheBus() {
  const present = powered && board.usb.ready;
  if (present === onBus) return;
  onBus = present;
  writeSync(5, present ? "A" : "D");
}
let onBus = false;

let next;
function turn() {
  clearTimeout(next);
  clearImmediate(next);
  if (powered) {
    const wall = Number(process.hrtime.bigint() - startedAt);
    if (wall - board.now > mostLag) startedAt += BigInt(Math.round(wall - board.now - mostLag));
    try {
      board.machine.runUntil(Math.min(wall, board.now + slice));
    } catch (error) {
      fail(`the firmware would be dead or faulting on silicon: ${error.message}`);
    }
    pass(board.plant.events());
    mindTheBus();
    if (!audited && board.usb.ready) {
      audited = true;
      board.audit();
    }
    if (!audited && board.now > longestStart) fail(`the USB device does not come up within ${longestStart / 1e9} s of board time\n${board.audit()}`);
    if (wall - board.now > slice) {
      next = setImmediate(turn);
      return;
    }
  }
  next = setTimeout(turn, 1);
}

if (options.events && options.events !== "-") writeFileSync(options.events, "");
if (options.script) for (const line of readFileSync(options.script, "utf8").split("\n")) if (line.trim() && !line.startsWith("#")) answer(line);
createInterface({ input: process.stdin }).on("line", answer).on("close", () => options["until-eof"] && finish());
turn();
