import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder of a test's own that vanishes with it. */
export interface TempFolder extends Disposable {
  readonly path: string;
}

/** Makes a temporary folder. */
export function makeTempFolder(): TempFolder {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "tidemark-test-")));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
