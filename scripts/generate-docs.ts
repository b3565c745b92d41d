// Writes the generated pages.
import { writeFileSync } from "node:fs";
import { PAGES } from "./docs.ts";

for (const [path, make] of PAGES) {
  writeFileSync(new URL(`../${path}`, import.meta.url), make());
  console.log(`wrote ${path}`);
}
