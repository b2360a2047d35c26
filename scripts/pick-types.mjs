// Copies the declarations that the library's own need to dist/types: the others are for nobody who installs the package.
import { cpSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";

const from = "dist/src";
const into = "dist/types";
const importPath = /(?:from|import\() ?"(\.[^"]+)"/g;

const reached = new Set(["index.d.ts"]);
rmSync(into, { recursive: true, force: true });
for (const path of reached) {
  const text = readFileSync(join(from, path), "utf8");
  for (const [, target = ""] of text.matchAll(importPath))
    reached.add(join(dirname(path), target.replace(/\.(?:ts|js)$/, ".d.ts")));
  cpSync(join(from, path), join(into, path));
}
