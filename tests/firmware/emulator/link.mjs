// SPDX-License-Identifier: GPL-3.0-or-later
/// A host in lock-step with the board, for tests: an independent implementation of docs/reference/rig-protocol.md.
import assert from "node:assert/strict";

export const kind = { request: 0, response: 1, event: 2, eventAck: 3, log: 4, stop: 5 };
export const op = { hello: 1, heartbeat: 2, config: 3, status: 4, jobStatus: 5, clock: 6, portStatus: 7, counters: 8, nest: 9, nestRegisters: 10, bye: 11, home: 0x10, load: 0x11, unload: 0x12, power: 0x13, clear: 0x14, jog: 0x15, park: 0x16, guard: 0x17, nestRead: 0x19, identify: 0x1a, empty: 0x1b };
export const state = { boot: 0, unhomed: 1, homing: 2, ready: 3, moving: 4, parked: 5, latched: 6 };
export const fault = { none: 0, estop: 1, stopped: 2, lease: 3, watchdog: 4, portShort: 16, portOverload: 17, portWelded: 18 };
export const event = { reset: 1, accepted: 2, progress: 3, done: 4, failed: 5, card: 6, port: 7, fault: 8, cleared: 9, leaseLost: 10 };

function crc32(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

function stuff(bytes) {
  const out = [];
  for (let at = 0; at <= bytes.length; ) {
    let end = at;
    while (end < bytes.length && bytes[end] !== 0 && end - at < 254) end++;
    out.push(end - at + 1, ...bytes.slice(at, end));
    at = end - at === 254 ? end : end + 1;
    if (end - at === 0 && end === bytes.length) break;
  }
  return [...out, 0];
}

function unstuff(bytes) {
  const out = [];
  for (let at = 0; at < bytes.length; ) {
    const code = bytes[at];
    if (at + code > bytes.length) return undefined;
    out.push(...bytes.slice(at + 1, at + code));
    at += code;
    if (code < 255 && at < bytes.length) out.push(0);
  }
  return out;
}

export function encode({ kind: k, session, seq, op: o, payload = [] }) {
  const plain = [0x10 | k, session & 255, session >> 8, seq, o, ...payload];
  const crc = crc32(plain);
  return Uint8Array.from(stuff([...plain, crc & 255, (crc >> 8) & 255, (crc >> 16) & 255, crc >>> 24]));
}

export function decode(bytes) {
  const plain = unstuff(bytes);
  if (!plain || plain.length < 9) return undefined;
  const body = plain.slice(0, -4);
  const [a, b, c, d] = plain.slice(-4);
  if (crc32(body) !== (a | (b << 8) | (c << 16) | (d << 24)) >>> 0 || body[0] >> 4 !== 1) return undefined;
  return { kind: body[0] & 15, session: body[1] | (body[2] << 8), seq: body[3], op: body[4], payload: Uint8Array.from(body.slice(5)) };
}

const u16 = (value) => [value & 255, (value >> 8) & 255];
export const u32 = (value) => [...u16(value), ...u16(value >>> 16)];
const ms = 1e6;

export class Link {
  #received = [];
  #seq = 0;
  #job = 0;
  #heartbeatAt = Infinity;
  bad = 0;
  previous = 0;
  events = [];
  #seen = 0;
  #responses = [];

  constructor(board, { carrier = "usb", session = 0x1234 } = {}) {
    this.board = board;
    this.session = session;
    this.send = carrier === "usb" ? (bytes) => board.writeUsb(bytes) : (bytes) => board.writeUart(bytes);
    const take = (bytes) => this.#take(bytes);
    if (carrier === "usb") board.onUsb = take;
    else board.onUart = take;
  }

  #take(bytes) {
    for (const byte of bytes) {
      if (byte !== 0) {
        this.#received.push(byte);
        continue;
      }
      if (this.#received.length === 0) continue;
      const frame = decode(this.#received.splice(0));
      if (!frame) this.bad++;
      else if (frame.kind === kind.response) this.#responses.push(frame);
      else if (frame.kind === kind.event) this.#event(frame);
    }
  }

  #event(frame) {
    const view = new DataView(frame.payload.buffer);
    const id = view.getUint32(0, true);
    if (id !== 0 && id <= this.#seen) return; // a repetition
    if (id !== 0) this.#seen = id;
    const one = { event: frame.op, id, at: Number(view.getBigUint64(4, true)), payload: frame.payload.slice(12) };
    if (frame.op >= event.accepted && frame.op <= event.failed) {
      one.job = view.getUint32(12, true);
      one.stage = frame.payload[16];
      one.fault = frame.payload[17];
    }
    if (frame.op === event.fault || frame.op === event.cleared) one.fault = frame.payload[12];
    this.events.push(one);
    if (id !== 0) this.send(encode({ kind: kind.eventAck, session: this.session, seq: 0, op: 0, payload: u32(id) }));
  }

  /** Runs the board, with heartbeats while the lease is kept. Ends early at `done()`. */
  run(nanoseconds, done, every = 100_000) {
    const end = this.board.now + nanoseconds;
    for (;;) {
      const stop = Math.min(end, this.#heartbeatAt);
      if (this.board.machine.runUntil(stop, done, every)) return true;
      if (this.board.machine.reached(end)) return false;
      this.#heartbeatAt = this.board.now + 250 * ms;
      this.request(op.heartbeat, u16(3000));
    }
  }
  keepLease() {
    this.#heartbeatAt = this.board.now;
  }
  dropLease() {
    this.#heartbeatAt = Infinity;
  }

  /** Sends a request, runs until the answer arrives, and returns { reject, payload, roundTrip (ns) }. */
  request(code, payload = [], limit = 150 * ms) {
    const frame = { kind: kind.request, session: this.session, seq: (this.#seq = (this.#seq + 1) & 255), op: code, payload };
    const sent = this.board.now;
    const mine = () => this.#responses.find((one) => one.seq === frame.seq && one.op === code && one.session === this.session);
    this.send(encode(frame));
    this.board.machine.run(limit, mine, 20_000);
    const answer = mine();
    assert.ok(answer, `no answer to operation 0x${code.toString(16)} within ${limit / ms} ms`);
    this.#responses = [];
    return { reject: answer.payload[0], detail: answer.payload[1], payload: answer.payload.slice(1), roundTrip: this.board.now - sent };
  }

  hello() {
    this.send(Uint8Array.of(0, 0));
    this.#seq = 0;
    const { reject, payload } = this.request(op.hello, [1, 0, ...u16(this.previous), 0]);
    assert.equal(reject, 0, "HELLO is refused");
    this.previous = this.session;
    const view = new DataView(payload.buffer);
    return { major: payload[0], bootId: view.getUint32(5 + 12 + 8 + 8 + 4 + 4, true), coldStart: payload[45], reset: payload[46], status: parseStatus(payload.slice(51)) };
  }
  configure() {
    assert.equal(this.request(op.config, [...this.board.plant.config()]).reject, 0, "the configuration is refused");
  }
  /** All preparations of a job. */
  open() {
    const hello = this.hello();
    this.configure();
    this.request(op.heartbeat, u16(3000));
    this.keepLease();
    return hello;
  }
  status() {
    return parseStatus(this.request(op.status).payload);
  }
  port(number) {
    const { payload } = this.request(op.portStatus, [number]);
    const view = new DataView(payload.buffer);
    return { state: payload[1], card: payload[2], fault: payload[3], millivolts: view.getUint16(4, true), milliamperes: view.getUint16(6, true) };
  }

  /** Begins a job; returns its number and the answer. */
  begin(code, payload = []) {
    const job = ++this.#job;
    return { job, ...this.request(code, [...u32(job), ...payload]) };
  }
  /** Runs until the job ends; returns its last event. */
  finish(job, limit = 30e9) {
    const ended = () => this.events.find((one) => one.job === job && (one.event === event.done || one.event === event.failed));
    this.run(limit, ended);
    return ended();
  }
  /** A complete job, which must succeed. */
  do(code, payload, limit) {
    const { job, reject, detail } = this.begin(code, payload);
    assert.equal(reject, 0, `operation 0x${code.toString(16)} is refused: ${reject}, ${detail}`);
    const end = this.finish(job, limit);
    assert.equal(end?.event, event.done, `operation 0x${code.toString(16)} ends with ${JSON.stringify(end)}`);
    return job;
  }
  stop() {
    this.send(encode({ kind: kind.stop, session: this.session, seq: 0, op: 0 }));
  }
  useJobsAbove(job) {
    this.#job = job;
  }
}

function parseStatus(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return { state: bytes[0], fault: bytes[1], detail: bytes[2], runningJob: view.getUint32(3, true), lastJob: view.getUint32(7, true), stage: bytes[11], cards: bytes[12], powered: bytes[13], unacked: bytes[14], flags: bytes[15], x: view.getInt32(16, true), z: view.getInt32(20, true) };
}
