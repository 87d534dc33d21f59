// SPDX-License-Identifier: GPL-3.0-or-later
/// If the USB controller no longer serves the bus (erratum RP2040-E15), the image detects this, resets the controller,
/// and enumerates again.
import assert from "node:assert/strict";
import { bench, figure, ms, pin, printFigures } from "./bench.mjs";
import { encode, event, kind, op, u32 } from "./link.mjs";
import test from "./sample.mjs";

const x = 0, usbRestarts = 40;

function restarts(rig) {
  const { payload } = rig.link.request(op.counters);
  return new DataView(payload.buffer, payload.byteOffset).getUint32(usbRestarts, true);
}

/** Runs without heartbeats until the port is gone and then open again; returns both times. */
function awayAndBack(rig, limit) {
  const { machine } = rig.board;
  const from = rig.board.now;
  assert.ok(machine.run(limit, () => !rig.board.usb.ready, 100_000), "the board never leaves the bus");
  const away = rig.board.now - from;
  assert.ok(rig.board.boot(), "the board does not come back");
  return { away, back: rig.board.now - from };
}

test("a controller that stops receiving is reset, and the board enumerates again within the lease", () => {
  const rig = bench().ready();
  rig.link.request(op.heartbeat, [3000 & 255, 3000 >> 8]);
  const { job } = rig.link.begin(op.jog, [x, ...u32(12_000)]);
  rig.board.machine.run(100 * ms);
  const from = rig.board.now;
  rig.board.wire.goDeaf();
  const { away, back } = awayAndBack(rig, 1000 * ms);
  figure("deaf USB controller to its reset", `${(away / ms).toFixed(0)} ms; to the open port ${(back / ms).toFixed(0)} ms`);
  assert.ok(away < 30 * ms);
  assert.ok(back < 1000 * ms);
  assert.ok(rig.steps(pin.xStep, from).length > 100, "the move did not go on");
  rig.link.session = 0x4444;
  rig.link.hello();
  rig.link.request(op.heartbeat, [3000 & 255, 3000 >> 8]);
  rig.link.keepLease();
  assert.equal(rig.link.finish(job)?.event, event.done);
  assert.equal(restarts(rig), 1);
  rig.clean();
});

test("the controller is also reset if a packet never reaches a host that writes", () => {
  const rig = bench().ready();
  rig.board.wire.loseBuffer();
  // Write the request without waiting, since no answer can arrive.
  const heartbeat = () => rig.board.writeUsb(encode({ kind: kind.request, session: rig.link.session, seq: 200, op: op.heartbeat, payload: [3000 & 255, 3000 >> 8] }));
  const from = rig.board.now;
  while (rig.board.usb.ready && rig.board.now - from < 5000 * ms) {
    heartbeat();
    rig.board.machine.run(250 * ms, () => !rig.board.usb.ready);
  }
  const away = rig.board.now - from;
  figure("packet that is never fetched to the reset", `${(away / ms).toFixed(0)} ms`);
  assert.ok(away > 1900 * ms && away < 2600 * ms, `after ${away / ms} ms`);
  assert.ok(rig.board.boot());
  rig.link.session = 0x5555;
  rig.link.hello();
  assert.equal(restarts(rig), 1);
  rig.clean();
});

test("a suspended bus causes no reset", () => {
  const rig = bench().ready();
  rig.board.wire.suspend();
  rig.board.machine.run(1000 * ms);
  assert.ok(rig.board.usb.ready, "the board has left a bus that was only asleep");
  rig.board.wire.resume();
  rig.board.machine.run(10 * ms);
  assert.equal(restarts(rig), 0);
  rig.clean();
});

test("the UART continues while the controller is reset", () => {
  const rig = bench({ carrier: "uart" });
  rig.link.open();
  rig.board.wire.goDeaf();
  rig.link.run(500 * ms, () => false);
  assert.equal(restarts(rig), 1);
  rig.clean();
});

test.after(printFigures);
