// SPDX-License-Identifier: GPL-3.0-or-later
/// Gives the C++ plant and its wiring the interface that Pins expects.
import { createRequire } from "node:module";

/** `file` is the built plant.node. */
export function loadPlant(file, { pockets = 30, ports = 8, start } = {}) {
  const { Plant } = createRequire(import.meta.url)(file);
  const plant = new Plant({ pockets, ports, start });
  const { inputs } = plant;
  const idle = Array.from({ length: 30 }, (_, pin) => plant.idle(pin));
  return {
    inputs,
    idle: (pin) => idle[pin],
    drive: (at, pin, level) => plant.drive(at, pin, level),
    released: (at) => plant.released(at),
    sense: (at) => plant.sense(at),
    adc: (at, channel) => plant.adc(at, channel),
    nextChange: () => plant.nextChange(),
    /** Executes a sentence of the plant's vocabulary; returns its fault, or an empty string. */
    say: (sentence, at) => plant.say(sentence, at),
    events: () => JSON.parse(plant.events()),
    /** One line, as printed by the simulated board. */
    tellState: (running) => plant.tellState(running),
    state: () => JSON.parse(plant.state()),
    config: () => Uint8Array.from(Buffer.from(plant.config(), "hex")),
  };
}
