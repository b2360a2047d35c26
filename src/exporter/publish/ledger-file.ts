import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { TidemarkError, wrapSystemError } from "../../core/index.ts";
import { writeDurably } from "../../fs/index.ts";
import type { Ledger } from "./ledger.ts";

/** File name of the ledger in the state folder. Its rename is the moment at which a publication is decided. */
export const ledgerFileName = "ledger.json.gz";
/** Version of the state's format; an older program refuses a newer state. */
const stateVersion = 2;
/** Since version 2, lists of pages may say what a page includes. */
const oldestVersion = 1;

/** Reads the ledger; undefined if there is none. @throws TidemarkError `state-corrupt`, `state-version` */
export async function readLedger(folder: string): Promise<Ledger | undefined> {
  const path = join(folder, ledgerFileName);
  let packed: Buffer;
  try {
    packed = await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw wrapSystemError(error, `read ${path}`, { path });
  }
  let document: { version?: unknown; ledger?: Ledger };
  try {
    document = JSON.parse(gunzipSync(packed).toString("utf8")) ?? {};
  } catch (error) {
    throw corrupt(path, error);
  }
  if (typeof document.version === "number" && document.version > stateVersion) {
    throw new TidemarkError(
      "state-version",
      `${path} was written by a newer Tidemark (state version ${document.version}).`,
      {
        hint: "Use that version, or move the state folder away to begin a new epoch.",
        details: { path, version: document.version },
      },
    );
  }
  const { ledger } = document;
  if (typeof document.version !== "number" || document.version < oldestVersion)
    throw corrupt(path, new TypeError(`it is of version ${document.version}, not ${stateVersion}`));
  if (!isLedger(ledger)) throw corrupt(path, new TypeError("fields are missing"));
  return ledger;
}

/** Writes the ledger: what it says is decided from here on. The folder is still to be synced. */
export async function writeLedger(folder: string, ledger: Ledger): Promise<void> {
  const text = JSON.stringify({ version: stateVersion, ledger });
  await writeDurably(join(folder, ledgerFileName), gzipSync(text, { level: 6 }), { mode: 0o600 });
}

// It is our own file, guarded by gzip's checksum: this tells a foreign file from ours, no more.
function isLedger(value: unknown): value is Ledger {
  if (typeof value !== "object" || value === null) return false;
  const ledger = value as Partial<Ledger>;
  return (
    typeof ledger.epoch === "string" &&
    typeof ledger.site === "string" &&
    Array.isArray(ledger.pageFiles) &&
    Number.isSafeInteger(ledger.publication) &&
    Number.isSafeInteger(ledger.pages) &&
    Number.isSafeInteger(ledger.changesSinceBase) &&
    Array.isArray(ledger.intervals) &&
    Array.isArray(ledger.retired) &&
    typeof ledger.base === "object" &&
    ledger.base !== null
  );
}

function corrupt(path: string, cause: unknown): TidemarkError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new TidemarkError("state-corrupt", `The exporter's state ${path} cannot be read: ${why}.`, {
    hint: "Move the state folder away; the next export begins a new epoch.",
    details: { path },
    cause,
  });
}
