// SPDX-License-Identifier: GPL-3.0-or-later
/// The image reads the card on the identity nest. Checks every edge of the card's lines, and the read values.
import assert from "node:assert/strict";
import { bench, figure, ms, printFigures } from "./bench.mjs";
import { op } from "./link.mjs";
import test from "./sample.mjs";

const lines = { data: 16, clock: 18, command: 19 };
const end = { finished: 2, noCard: 3, noAnswer: 4, damaged: 5, notSd: 6, neverReady: 8 };
const stateOf = { notAsked: 0, read: 1, noAnswer: 2, noData: 3, damaged: 4 };
const hex = (bytes) => Buffer.from(bytes).toString("hex");

/** A rig that was not homed, and an oscilloscope at its nest. */
function onNest(...sentences) {
  const rig = bench();
  const rises = [];
  rig.trace.watch(lines.clock, (time, level) => { if (level) rises.push(time); });
  rig.link.open();
  rig.link.run(200 * ms, () => false);
  for (const sentence of sentences) rig.say(sentence);
  rig.link.run(30 * ms, () => false);
  return { ...rig, rises };
}

function report(rig) {
  const { reject, payload } = rig.link.request(op.nest);
  assert.equal(reject, 0);
  const view = new DataView(payload.buffer);
  return { job: view.getUint32(0, true), end: payload[4], command: payload[5], registers: [...payload.slice(6, 10)], card: payload[10], ocr: view.getUint32(11, true), supply: payload[15], rest: view.getUint32(16, true), most: view.getUint32(20, true) };
}

test("the image reads all registers of a card correctly", () => {
  const rig = onNest("card 3 is on the nest");
  rig.board.machine.measureLoad();
  const from = rig.board.now;
  const job = rig.link.do(op.nestRead, []);
  figure("a card read on the nest", `${((rig.board.now - from) / ms).toFixed(0)} ms of board time, ${rig.rises.length} clocks`);
  figure("load while it is read", `${(100 * rig.board.machine.load).toFixed(1)} % awake, ${(100 * rig.board.machine.interruptLoad).toFixed(1)} % in interrupts`);
  const told = report(rig);
  // The model draws 2 and 40 mA. The measured values may be lower by one step of the converter, 0.8 mV, at 10 mV per
  // milliampere.
  assert.deepEqual(told, { job, end: end.finished, command: 13, registers: Array(4).fill(stateOf.read), card: 1, ocr: 0xc0ff8000, supply: 1, rest: 1900, most: 39_900 });
  figure("supply current of a card on the nest", `${told.rest / 1000} mA at rest, at most ${told.most / 1000} mA`);
  const { payload } = rig.link.request(op.nestRegisters);
  assert.equal(new DataView(payload.buffer).getUint32(0, true), job);
  assert.match(hex(payload.slice(4, 20)), /^ee4d5252494730331051d00002..a1..$/);
  assert.equal(hex(payload.slice(20, 36)), "400e00325b59000073a77f800a4000eb");
  assert.equal(hex(payload.slice(36, 44)), "0235800300000000");
  assert.equal(hex(payload.slice(44)), "0000000000000000040090000000190a0000000000010000".padEnd(128, "0"));
  const periods = rig.rises.slice(1).map((time, i) => time - rig.rises[i]);
  const fastest = Math.min(...periods);
  figure("clock of the nest", `at most ${(1e6 / fastest).toFixed(0)} kHz`);
  assert.ok(fastest >= 2500 && fastest <= 10_000, `${fastest} ns: identification wants 100 to 400 kHz`);
  assert.equal(rig.board.machine.pins.driven[lines.command], false, "CMD is left alone afterwards");
  assert.equal(rig.board.machine.pins.levels[lines.clock], false);
  rig.clean();
});

test("no tick is missed while a card is read", () => {
  const rig = onNest("card 1 is on the nest");
  let busiest = 0, count = 0, begun = 0;
  rig.trace.watch(lines.clock, (time, level) => {
    if (!level) return;
    if (time - begun > 250e3) { begun = time; count = 0; }
    busiest = Math.max(busiest, ++count);
  });
  const pump = [];
  rig.trace.watch(13, (time) => pump.push(time));
  rig.link.do(op.nestRead, []);
  assert.ok(busiest <= 32, `${busiest} clocks in one tick`);
  const longest = Math.max(...pump.slice(1).map((time, i) => time - pump[i]));
  figure("longest pause of the safety pump while a card is read", `${(longest / 1000).toFixed(0)} us, a tick is 500 us`);
  assert.ok(longest < 1000e3, `${longest} ns`);
  rig.clean();
});

test("image and core report the same faults of a card", () => {
  for (const [sentence, how, command] of [["is silent on the nest", end.noAnswer, 55], ["garbles its answers", end.damaged, 8], ["never gets ready", end.neverReady, 41], ["is a multimedia card", end.notSd, 1]]) {
    const rig = onNest(`card 1 ${sentence}`, "card 1 is on the nest");
    rig.link.do(op.nestRead, []);
    const told = report(rig);
    assert.deepEqual([told.end, told.command, told.registers], [how, command, Array(4).fill(stateOf.notAsked)], sentence);
    rig.clean();
  }
  const old = onNest("card 1 is from before version 2", "card 1 is on the nest");
  old.link.do(op.nestRead, []);
  assert.notEqual(report(old).end, end.finished, "the card is not addressed by blocks, but its CSD says so");
  const garbled = onNest("card 1 garbles its registers", "card 1 is on the nest");
  garbled.link.do(op.nestRead, []);
  assert.deepEqual(report(garbled).registers, Array(4).fill(stateOf.damaged));
  const none = onNest();
  none.link.do(op.nestRead, []);
  assert.equal(report(none).end, end.noCard);
  assert.equal(none.rises.length, 0, "an empty nest gets no clock");
});

test("a card of the magazine is brought to the nest, read and returned", () => {
  const rig = bench().ready();
  rig.link.do(op.identify, [4]);
  const told = report(rig);
  assert.equal(told.end, end.finished);
  assert.deepEqual(told.registers, Array(4).fill(stateOf.read));
  const scenario = rig.board.plant.events().map(({ what, pocket, card }) => `${what} ${pocket} ${card}`);
  assert.deepEqual(scenario, ["card_picked 4 4", "card_stored 4 4"]);
  rig.clean();
});

test("a switch stuck on the pressure sensor is reported, and its value is not used as a card current", () => {
  const rig = onNest("the vacuum sensor is stuck high", "the nest's switch is stuck on the vacuum", "card 1 is on the nest");
  rig.link.do(op.nestRead, []);
  const { end: how, supply, rest, most } = report(rig);
  assert.deepEqual({ how, supply, rest, most }, { how: end.finished, supply: 2, rest: 0, most: 0 });
  rig.clean();
});

test("the e-stop cuts the nest's supply while a card is read", () => {
  const rig = onNest("card 1 is on the nest");
  const { job, reject } = rig.link.begin(op.nestRead);
  assert.equal(reject, 0);
  rig.board.machine.run(500 * ms, () => rig.rises.length > 300, 10_000);
  assert.ok(rig.board.plant.state().nest_power, "in the middle of it");
  rig.say("the e-stop is pressed");
  rig.link.run(2 * ms, () => false);
  assert.equal(rig.board.plant.state().nest_power, false);
  assert.equal(rig.link.finish(job)?.fault, 1);
  const clocks = rig.rises.length;
  rig.link.run(50 * ms, () => false);
  assert.equal(rig.rises.length, clocks, "no clock afterwards");
  rig.clean();
});

test.after(printFigures);
