import { chmodSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder of a test's own that vanishes with it. */
export interface TempFolder extends Disposable {
  readonly path: string;
}

/** Makes a temporary folder that other users may read: the workers of a server are not always root. */
export function makeTempFolder(purpose = "test"): TempFolder {
  const path = realpathSync(mkdtempSync(join(tmpdir(), `tidemark-${purpose}-`)));
  chmodSync(path, 0o755);
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true, maxRetries: 3 }) };
}
