// SPDX-License-Identifier: GPL-3.0-or-later
/// The image moves cards: counts pulses, measures intervals, and compares repeated scenarios.
import assert from "node:assert/strict";
import { bench, figure, ms, pin, printFigures, us } from "./bench.mjs";
import { op, u32 } from "./link.mjs";
import test from "./sample.mjs";

const x = 0;

function jog(rig, axis, position) {
  const from = rig.board.now;
  rig.link.do(op.jog, [axis, ...u32(position)]);
  return from;
}

test("the time of the first frame over UART and over USB is measured", () => {
  const usb = bench();
  const ready = usb.board.now;
  usb.link.hello();
  figure("power-up to open USB port", `${(ready / ms).toFixed(2)} ms of board time, 110 ms of them the host's own waiting`);
  const uart = bench({ carrier: "uart" });
  uart.link.hello();
  usb.clean();
  uart.clean();
});

test("a card moves from its pocket into a reader, is powered and goes into a bin", () => {
  const rig = bench().ready();
  rig.board.machine.measureLoad();
  rig.link.do(op.load, [2, 1]);
  rig.link.do(op.power, [1, 1]);
  rig.link.run(300 * ms, () => false);
  const port = rig.link.port(1);
  assert.ok(port.millivolts > 4750 && port.millivolts < 5250, `${port.millivolts} mV`);
  assert.ok(port.milliamperes > 100, `${port.milliamperes} mA`);
  rig.link.do(op.power, [1, 0]);
  rig.link.do(op.unload, [1, 1, 0]);
  const scenario = rig.board.plant.events().map(({ what, pocket, port, bin, card }) => `${what} ${pocket ?? port ?? bin} ${card}`);
  assert.deepEqual(scenario, ["card_picked 2 2", "card_inserted 1 2", "voltage_up 1 2", "voltage_down 1 2", "card_removed 1 2", "card_binned 0 2"]);
  const { pointer, paint } = rig.board.machine.stackUsed;
  assert.ok(Math.max(pointer, paint) <= 2048, `${pointer} bytes of stack`);
  figure("stack", `${pointer} bytes by the pointer, ${paint} by paint, of 8192`);
  figure("load while cards move", `${(100 * rig.board.machine.load).toFixed(1)} % awake, ${(100 * rig.board.machine.interruptLoad).toFixed(1)} % in interrupts`);
  rig.clean();
});

test("the running firmware is completely in RAM and never waits for flash", () => {
  const rig = bench().ready();
  const { machine } = rig.board;
  const before = machine.cacheMisses;
  rig.link.do(op.load, [0, 0]);
  rig.link.do(op.power, [0, 1]);
  assert.equal(machine.cacheMisses, before);
  figure("cache misses of a start, and of a load after it", `${before} and ${machine.cacheMisses - before}`);
  rig.clean();
});

test("the number of pulses is the number of requested steps, at the times of the timer", () => {
  const rig = bench().ready();
  let due;
  rig.board.machine.audit.onAlarm = (alarm, at) => { if (alarm === 1) due = at; };
  const delays = [];
  let unarmed = 0; // the first step of a move comes at once
  rig.trace.watch(pin.xStep, (time, level) => {
    if (!level) return;
    if (due === undefined) unarmed++;
    else delays.push(time - due * us);
  });
  for (const [position, pulses] of [[4000, 4000], [12_345, 8345], [12_344, 1], [0, 12_344]]) {
    due = undefined;
    const from = jog(rig, x, position);
    const times = rig.steps(pin.xStep, from);
    assert.equal(times.length, pulses, `to ${position}`);
    assert.equal(rig.link.status().x, position);
    assert.equal(rig.board.plant.state().x, position);
    const intervals = times.slice(1).map((time, i) => time - times[i]);
    if (intervals.length > 0) assert.ok(Math.min(...intervals) >= 1e9 / 6000 - 2 * us, `faster than 6000 steps/s: ${Math.min(...intervals)} ns`);
  }
  assert.equal(unarmed, 4, "first steps");
  const error = Math.max(...delays) - Math.min(...delays);
  figure("pulses", "24690 asked, 24690 made");
  figure("step after its alarm", `${Math.min(...delays).toFixed(0)}..${Math.max(...delays).toFixed(0)} ns: worst interval error ${error.toFixed(0)} ns in ${delays.length} steps`);
  assert.ok(error <= 2 * us, `${error} ns`);
  rig.clean();
});

test("acceleration stays within the configured limit", () => {
  const rig = bench().ready();
  const from = jog(rig, x, 6000);
  const times = rig.steps(pin.xStep, from);
  let worst = 0;
  const window = 32; // over so many steps the timer's rounding to microseconds has no effect
  for (let i = 2 * window; i < times.length; i += window) {
    const early = window / (times[i - window] - times[i - 2 * window]), late = window / (times[i] - times[i - window]);
    worst = Math.max(worst, (Math.abs(late - early) * 1e18) / ((times[i] - times[i - 2 * window]) / 2));
  }
  figure("steepest ramp", `${worst.toFixed(0)} steps/s^2 of 40000`);
  assert.ok(worst <= 40_000 * 1.05, `${worst} steps/s^2`);
});

test("a repeated scenario gives the same edges at the same times", () => {
  const scenario = () => {
    const rig = bench();
    rig.link.open();
    rig.link.run(200 * ms, () => false);
    rig.prove();
    rig.link.do(op.home, []);
    rig.link.do(op.load, [3, 0]);
    rig.say("the e-stop is pressed");
    rig.link.run(50 * ms, () => false);
    return { digest: rig.trace.digest(), edges: rig.trace.count, plant: rig.board.plant.state().fingerprint };
  };
  const first = scenario();
  assert.deepEqual(scenario(), first);
  figure("pin trace", `${first.edges} edges, SHA-256 ${first.digest.slice(0, 16)}..., twice`);
});

test("round-trip times are measured", () => {
  for (const carrier of ["usb", "uart"]) {
    const rig = bench({ carrier });
    rig.link.open();
    const times = Array.from({ length: 200 }, () => rig.link.request(op.status).roundTrip).sort((a, b) => a - b);
    figure(`round trip by ${carrier}`, `p50 ${(times[100] / ms).toFixed(2)} ms, p99 ${(times[198] / ms).toFixed(2)} ms of board time`);
    rig.clean();
  }
});

test("processor load without motion is measured", () => {
  const rig = bench().ready();
  rig.board.machine.measureLoad();
  rig.link.run(500 * ms, () => false);
  const { load, interruptLoad } = rig.board.machine;
  figure("load at rest", `${(100 * load).toFixed(1)} % awake, ${(100 * interruptLoad).toFixed(1)} % in interrupts`);
  assert.ok(interruptLoad < 0.04);
});

test.after(printFigures);
