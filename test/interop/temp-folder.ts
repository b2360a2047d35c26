import { chmodSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder that vanishes with its scope. */
export interface TempFolder {
  readonly path: string;
  readonly [Symbol.dispose]: () => void;
}

/** Makes a temporary folder that other users may read: a server's workers are not always root. */
export function makeTempFolder(purpose: string): TempFolder {
  const path = mkdtempSync(join(realpathSync(tmpdir()), `tidemark-${purpose}-`));
  chmodSync(path, 0o755);
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true, maxRetries: 3 }) };
}
