// SPDX-License-Identifier: GPL-3.0-or-later
/// Measures at the pins that the image enters a safe state after each fault.
import assert from "node:assert/strict";
import { bench, figure, ms, pin, powered, printFigures, us } from "./bench.mjs";
import { event, fault, op, state, u32 } from "./link.mjs";
import test from "./sample.mjs";

const x = 0;

/** A long move, in progress. */
function moving() {
  const rig = bench().ready();
  const { job, reject } = rig.link.begin(op.jog, [x, ...u32(12_000)]);
  assert.equal(reject, 0);
  rig.link.run(600 * ms, () => false);
  assert.ok(rig.steps(pin.xStep, rig.board.now - 2 * ms).length > 5, "it does not move");
  return { rig, job };
}

/** Time until the switch of the port is off, to 10 us. */
function timeToOff(rig, port, limit) {
  const from = rig.board.now;
  assert.ok(rig.board.machine.run(limit, () => !(rig.board.plant.state().ports_on & (1 << port)), 10 * us), "the port stays on");
  return rig.board.now - from;
}

test("e-stop: outputs are off within a microsecond, and nothing moves without a request", () => {
  const { rig, job } = moving();
  rig.say("the e-stop is pressed for 300 ms");
  const pressed = rig.board.now;
  rig.link.run(1000 * ms, () => false);
  const opened = rig.firstEdge(pin.safetyOk, false, pressed);
  const motors = rig.firstEdge(pin.motorsOff, true, opened) - opened, outputs = rig.firstEdge(pin.outputsOff, true, opened) - opened;
  figure("e-stop edge to motors off", `${motors.toFixed(0)} ns; to outputs off ${outputs.toFixed(0)} ns`);
  assert.ok(motors < 1000);
  assert.equal(rig.steps(pin.xStep, opened + 1000).length, 0, "steps after the e-stop");
  assert.equal(rig.link.events.find((one) => one.job === job && one.event === event.failed)?.fault, fault.estop);
  const status = rig.link.status();
  assert.deepEqual([status.state, status.fault], [state.latched, fault.estop]);
  assert.notEqual(rig.link.begin(op.home).reject, 0, "HOME is accepted while the rig is latched");
  rig.link.do(op.clear, []);
  assert.equal(rig.link.status().state, state.unhomed);
  rig.clean();
});

test("a port that is switched on does not disturb its neighbours on the shared converter", () => {
  const rig = powered();
  for (const port of [1, 2, 3]) {
    const { state, fault, millivolts } = rig.link.port(port);
    assert.deepEqual([state, fault], [0, 0], `port ${port}`);
    assert.ok(millivolts < 30, `port ${port} reads ${millivolts} mV`);
  }
  rig.clean();
});

test("STOP acts during a move and during a flood of random bytes", () => {
  const { rig, job } = moving();
  const junk = Uint8Array.from({ length: 3000 }, (_, i) => (i * 37) & 255);
  rig.board.writeUart(junk);
  rig.board.writeUsb(junk.subarray(0, 500));
  rig.board.writeUsb(Uint8Array.of(0));
  rig.link.stop();
  const sent = rig.board.now;
  rig.link.run(500 * ms, () => false);
  const last = Math.max(...rig.steps(pin.xStep));
  figure("STOP to the last step, link flooded", `${((last - sent) / ms).toFixed(2)} ms`);
  assert.ok(last - sent < 300 * ms);
  assert.equal(rig.link.events.find((one) => one.job === job && one.event === event.failed)?.fault, fault.stopped);
  assert.equal(rig.link.status().state, state.latched);
  rig.clean();
});

test("a shorted port is switched off within 3 ms", () => {
  const rig = powered();
  rig.say("port 1 is shorted");
  const time = timeToOff(rig, 0, 20 * ms);
  figure("short to switch off", `${(time / ms).toFixed(2)} ms`);
  assert.ok(time <= 3 * ms, `${time} ns`);
  rig.link.run(100 * ms, () => false);
  assert.equal(rig.link.port(0).fault, fault.portShort);
  rig.clean();
});

test("a long overcurrent switches its port off, and the inrush of no port does", () => {
  const rig = bench().ready();
  for (const port of [0, 1, 2, 3]) {
    rig.link.do(op.load, [port, port]);
    rig.link.do(op.power, [port, 1]);
    rig.link.run(200 * ms, () => false);
    assert.equal(rig.link.port(port).fault, fault.none, `port ${port}`);
  }
  assert.equal(rig.board.plant.state().ports_on, 15);
  rig.say("port 2 draws 1200 mA more");
  const time = timeToOff(rig, 1, 2000 * ms);
  figure("overload (1.2 A more) to switch off", `${(time / ms).toFixed(1)} ms`);
  rig.link.run(100 * ms, () => false);
  assert.equal(rig.link.port(1).fault, fault.portOverload);
  assert.equal(rig.board.plant.state().ports_on, 13, "the other ports stay on");
  rig.clean();
});

test("a welded switch is detected when the port is switched off", () => {
  const rig = powered();
  rig.say("port 1 is welded");
  const { job } = rig.link.begin(op.power, [0, 0]);
  const end = rig.link.finish(job);
  assert.equal(end.event, event.failed);
  assert.equal(end.fault, fault.portWelded);
  const refused = rig.link.begin(op.unload, [0, 0, 0]);
  assert.notEqual(refused.reject, 0, "UNLOAD from a port with voltage");
  rig.clean();
});

test("a firmware hang makes the outputs safe within 600 ms and resumes no job", () => {
  const rig = powered(1);
  const { job } = rig.link.begin(op.jog, [x, ...u32(100)]);
  rig.link.run(200 * ms, () => false);
  const hung = rig.board.now;
  rig.board.hang();
  rig.board.machine.run(700 * ms);
  assert.equal(rig.board.machine.starts.length, 2, "the watchdog does not reset the board");
  const outputs = rig.firstEdge(pin.outputsOff, true, hung) - hung, motors = rig.firstEdge(pin.motorsOff, true, hung) - hung;
  figure("hang to outputs off", `${(outputs / ms).toFixed(1)} ms, motors ${(motors / ms).toFixed(1)} ms`);
  assert.ok(outputs <= 600 * ms && motors <= 600 * ms);
  assert.equal(rig.board.plant.state().ports_on, 0);
  assert.ok(rig.board.boot(), "the board does not come back");
  const restarted = rig.board.machine.starts[1].at;
  const hello = rig.link.hello();
  assert.equal(hello.reset, 1, "the reason is not the watchdog");
  assert.equal(hello.coldStart, 0, "the kept memory is lost");
  rig.link.run(1000 * ms, () => false);
  assert.equal(rig.steps(pin.xStep, restarted).length + rig.steps(pin.zStep, restarted).length, 0, "something moved by itself");
  assert.equal(rig.link.events.find((one) => one.job === job && one.event === event.failed)?.fault, fault.watchdog);
  assert.equal(rig.link.status().state, state.unhomed);
  rig.clean();
});

test("after a power failure all outputs are off and the memory is lost", () => {
  const rig = powered();
  rig.board.powerCycle();
  assert.equal(rig.board.plant.state().ports_on, 0);
  assert.ok(rig.board.boot());
  rig.link.session = 0x2222;
  const hello = rig.link.hello();
  assert.deepEqual([hello.coldStart, hello.reset, hello.status.state], [1, 0, state.unhomed]);
  rig.clean();
});

test("after a bus reset the device enumerates again and the link continues", () => {
  const rig = bench().ready();
  rig.board.usb.reenumerate();
  assert.ok(rig.board.boot());
  rig.link.session = 0x3333;
  rig.link.hello();
  rig.link.do(op.jog, [x, ...u32(500)]);
  let answer;
  rig.board.usb.request([0x80, 0x55, 0, 0, 0, 0, 4, 0], undefined, (result) => (answer = result));
  rig.board.machine.run(10 * ms);
  assert.equal(answer, "stall", "a request that does not exist");
  rig.link.status();
  rig.clean();
});

test.after(printFigures);
