// SPDX-License-Identifier: GPL-3.0-or-later
/// What the tests run: the image and the plant, as ctest names them.
import { existsSync } from "node:fs";

export const files = { image: process.env.MEDIARIG_RIG_IMAGE, plant: process.env.MEDIARIG_PLANT_NODE };

for (const [what, file] of Object.entries(files)) {
  if (file && existsSync(file)) continue;
  console.log(`SKIPPED: the ${what} is not built (${file ?? "not named"})`);
  process.exit(0);
}
