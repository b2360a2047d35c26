import { randomBytes } from "node:crypto";
import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { excerpt, TidemarkError } from "../core/index.ts";
import { createDurably, readSideFile, writeDurably } from "../fs/index.ts";

const keyForm = /^[A-Za-z0-9-]{8,128}$/;
const keysFileName = "keys";
const maxKeys = 16;
const maxKeysBytes = maxKeys * 129;
const maxKeyFileBytes = 1024;

/** Path of a key file on the site. */
export function keyPath(key: string): string {
  return `/${key}.txt`;
}

/** @throws TidemarkError `bad-option` if the text is not a valid key */
export function checkKey(key: string): string {
  if (keyForm.test(key)) return key;
  throw new TidemarkError("bad-option", `Not a key of IndexNow: ${excerpt(key)}.`, {
    hint: "A key has 8 to 128 of a-z, A-Z, 0-9 and the hyphen; without one, Tidemark makes its own.",
  });
}

/**
 * The keys used so far, newest first, at most 16. Invalid entries of the file are ignored.
 *
 * @param folder - IndexNow's folder in the state; may be missing
 */
export function readKeys(folder: string): string[] {
  const read = readSideFile(join(folder, keysFileName), maxKeysBytes);
  const lines = typeof read === "string" ? [] : read.text.split("\n");
  return lines.filter((line) => keyForm.test(line)).slice(0, maxKeys);
}

/**
 * The paths of key files: of all keys used so far, and of a given one.
 *
 * @throws TidemarkError `bad-option` if the given key is invalid
 */
export function readKeyPaths(folder: string, given: string | undefined): string[] {
  const keys = new Set(readKeys(folder));
  if (given !== undefined) keys.add(checkKey(given));
  return [...keys].map(keyPath);
}

/**
 * Chooses the key and stores it: the given one, else the last one, else a new one.
 *
 * @param given - already validated
 */
export async function chooseKey(folder: string, given: string | undefined): Promise<string> {
  const known = readKeys(folder);
  const key = given ?? known[0] ?? randomBytes(16).toString("hex");
  if (key === known[0]) return key;
  const keys = [key, ...known.filter((other) => other !== key)].slice(0, maxKeys);
  await writeDurably(join(folder, keysFileName), Buffer.from(`${keys.join("\n")}\n`), { mode: 0o600 });
  return key;
}

/** A dangling link resolves to itself. */
async function readKeyFile(path: string): Promise<ReturnType<typeof readSideFile>> {
  return readSideFile(await realpath(path).catch(() => path), maxKeyFileBytes);
}

/**
 * Writes the key file into the document root, unless it exists: who put it there by hand need not let us write there.
 *
 * @throws TidemarkError `bad-option` if another file has that name; `no-permission`, `read-only`, `disk-full`
 */
export async function placeKeyFile(docroot: string, key: string): Promise<void> {
  const path = join(docroot, `${key}.txt`);
  try {
    let found = await readKeyFile(path);
    if (found === "missing") {
      if (await createDurably(path, Buffer.from(key))) return;
      found = await readKeyFile(path);
    }
    if (typeof found !== "string" && found.text.trim() === key) return;
  } catch (error) {
    if (!(error instanceof TidemarkError)) throw error;
    throw new TidemarkError(error.code, `${error.message}: it proves to search engines that the site is yours.`, {
      hint: `Put a file there once by hand that holds ${key} and nothing else, and may be read by the web server.`,
      details: error.details,
      cause: error,
    });
  }
  throw new TidemarkError("bad-option", `${path} exists, but is not the IndexNow key file.`, {
    hint: `Move it away, or choose another key with --index-now-key. The file holds ${key} and nothing else.`,
    details: { path },
  });
}
