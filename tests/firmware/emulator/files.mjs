// SPDX-License-Identifier: GPL-3.0-or-later
/// Inputs of the tests: the image and the plant, as passed by ctest.
import { existsSync } from "node:fs";

export const files = { image: process.env.MEDIARIG_RIG_IMAGE, plant: process.env.MEDIARIG_PLANT_NODE };

for (const [what, file] of Object.entries(files)) {
  if (file && existsSync(file)) continue;
  console.log(`SKIPPED: the ${what} is not built (${file ?? "not named"})`);
  process.exit(0);
}
