// SPDX-License-Identifier: GPL-3.0-or-later
/// A PL011 with behaviour that the stock emulator omits: baud timing, FIFOs with levels, receive time-out, and a
/// transmit interrupt only when the FIFO falls below its level. (ARM DDI 0183, chapters 2 and 3.)
import { BasePeripheral, FIFO } from "rp2040js";

const UARTEN = 1, TXE = 1 << 8, RXE = 1 << 9, FEN = 1 << 4;
const RXI = 1 << 4, TXI = 1 << 5, RTI = 1 << 6, OEI = 1 << 10;
const levels = [4, 8, 16, 24, 28];
const pinFunctionUart = 2;

export class Uart extends BasePeripheral {
  #ibrd = 0; #fbrd = 0; #lcr = 0; #cr = TXE | RXE; #ifls = 0x12; #imsc = 0; #ris = 0; #dmacr = 0;
  #divisor = 0; // applied when LCR_H is written
  #tx = new FIFO(32); #rx = new FIFO(32); #line = []; #shifting = -1;
  /** Called with each byte at the end of its stop bit. */
  onByte = () => {};

  constructor(rp2040, audit, { irq, txPin, rxPin }) {
    super(rp2040, "UART0");
    this.audit = audit;
    this.irq = irq;
    this.txPin = txPin;
    this.rxPin = rxPin;
    this.txAlarm = rp2040.clock.createAlarm(() => this.#shifted());
    this.rxAlarm = rp2040.clock.createAlarm(() => this.#received());
    this.timeoutAlarm = rp2040.clock.createAlarm(() => this.#timedOut());
  }

  /** Bit rate of the registers; 0 without clock or divisor. */
  get baud() {
    return this.#divisor ? this.audit.periFrequency() / (16 * this.#divisor) : 0;
  }
  get settled() {
    return { enabled: !!(this.#cr & UARTEN), masks: this.#imsc, fifo: !!(this.#lcr & FEN) };
  }
  get receiving() {
    return this.#line.length;
  }
  clkPeriChanged() {}

  /** Bytes that another device sends, one after the other. */
  feed(bytes) {
    const idle = this.#line.length === 0;
    for (const byte of bytes) this.#line.push(byte);
    if (idle && this.#line.length > 0) this.rxAlarm.schedule(this.#byteTime());
  }

  #byteTime() {
    const bits = 1 + 5 + ((this.#lcr >> 5) & 3) + (this.#lcr & 8 ? 2 : 1) + (this.#lcr & 2 ? 1 : 0);
    return (bits * 1e9) / (this.baud || 115200);
  }
  #depth() {
    return this.#lcr & FEN ? 32 : 1;
  }
  #update() {
    this.rp2040.setInterrupt(this.irq, !!(this.#ris & this.#imsc));
  }

  #received() {
    const byte = this.#line.shift();
    const pad = this.rp2040.gpio[this.rxPin];
    if (this.#cr & UARTEN && this.#cr & RXE) {
      if (pad.functionSelect !== pinFunctionUart || !pad.inputEnable) this.audit.report("uart-rx-pin", `GPIO${this.rxPin} is not the receiver's: function ${pad.functionSelect}`);
      if (this.#imsc & RXI && !(this.#imsc & RTI) && this.#lcr & FEN) this.audit.report("uart-rxim-without-rtim", "receive interrupt without receive time-out: the last bytes of a frame stay in the FIFO");
      if (this.#rx.itemCount >= this.#depth()) this.#ris |= OEI;
      else this.#rx.push(byte);
      const level = this.#lcr & FEN ? levels[(this.#ifls >> 3) & 7] : 1;
      if (this.#rx.itemCount >= level) this.#ris |= RXI;
      this.timeoutAlarm.schedule((32 * 1e9) / (this.baud || 115200));
      this.#update();
    }
    if (this.#line.length > 0) this.rxAlarm.schedule(this.#byteTime());
  }
  #timedOut() {
    if (this.#rx.empty) return;
    this.#ris |= RTI;
    this.#update();
  }

  #send(byte) {
    const pad = this.rp2040.gpio[this.txPin];
    if (pad.functionSelect !== pinFunctionUart) this.audit.report("uart-tx-pin", `GPIO${this.txPin} is not the transmitter's: function ${pad.functionSelect}`);
    if (!(this.#cr & UARTEN) || !(this.#cr & TXE)) return this.audit.report("uart-disabled", "byte written to a transmitter that is switched off");
    if (this.#tx.itemCount >= this.#depth()) return this.audit.report("uart-tx-overrun", "byte written to a full FIFO is lost");
    if (this.#shifting < 0) this.#shift(byte);
    else this.#tx.push(byte);
    if (this.#tx.itemCount > this.#txLevel()) this.#ris &= ~TXI;
  }
  #txLevel() {
    return this.#lcr & FEN ? levels[this.#ifls & 7] : 0;
  }
  #shift(byte) {
    this.#shifting = byte;
    this.txAlarm.schedule(this.#byteTime());
  }
  #shifted() {
    this.onByte(this.#shifting);
    this.#shifting = -1;
    if (!this.#tx.empty) {
      const before = this.#tx.itemCount;
      this.#shift(this.#tx.pull());
      if (before > this.#txLevel() && this.#tx.itemCount <= this.#txLevel()) this.#ris |= TXI;
    } else if (this.#txLevel() === 0) this.#ris |= TXI;
    this.#update();
  }

  readUint32(offset) {
    switch (offset) {
      case 0x00: {
        const byte = this.#rx.pull();
        if (this.#rx.itemCount < (this.#lcr & FEN ? levels[(this.#ifls >> 3) & 7] : 1)) this.#ris &= ~RXI;
        if (this.#rx.empty) this.#ris &= ~RTI;
        this.#update();
        return byte;
      }
      case 0x04: return 0;
      case 0x18:
        return (this.#tx.empty && this.#shifting < 0 ? 1 << 7 : 8) | (this.#rx.itemCount >= this.#depth() ? 1 << 6 : 0) |
          (this.#tx.itemCount >= this.#depth() ? 1 << 5 : 0) | (this.#rx.empty ? 1 << 4 : 0);
      case 0x24: return this.#ibrd;
      case 0x28: return this.#fbrd;
      case 0x2c: return this.#lcr;
      case 0x30: return this.#cr;
      case 0x34: return this.#ifls;
      case 0x38: return this.#imsc;
      case 0x3c: return this.#ris;
      case 0x40: return this.#ris & this.#imsc;
      case 0x44: return 0;
      case 0x48: return this.#dmacr;
    }
    return super.readUint32(offset);
  }

  writeUint32(offset, value) {
    switch (offset) {
      case 0x00: this.#send(value & 0xff); break;
      case 0x04: break;
      case 0x24: this.#ibrd = value & 0xffff; break;
      case 0x28: this.#fbrd = value & 0x3f; break;
      case 0x2c: this.#lcr = value & 0xff; this.#divisor = this.#ibrd + this.#fbrd / 64; break;
      case 0x30: this.#cr = value & 0xffff; break;
      case 0x34: this.#ifls = value & 0x3f; break;
      case 0x38: this.#imsc = value & 0x7ff; break;
      case 0x44: this.#ris &= ~this.rawWriteValue; break;
      case 0x48: this.#dmacr = value & 7; break;
      default: super.writeUint32(offset, value);
    }
    this.#update();
  }
}
