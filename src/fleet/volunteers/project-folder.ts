import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { TidemarkError, wrapSystemError } from "../../core/index.ts";
import { createDurably, makeMissingFolder, writeDurably } from "../../fs/index.ts";

/** A project as its folder says. */
export interface ProjectFile {
  readonly userAgent: string;
  /** Pages of the project's own, on hosts that are no part of the crawl. */
  readonly knownPages: readonly string[];
  /** Hashes of the volunteers' keys, by name. */
  readonly volunteers: ReadonlyMap<string, string>;
}

/** Whose key it is, and the key. */
export interface VolunteerKey {
  readonly volunteer: string;
  readonly key: string;
}

const fileName = "volunteers.json";
const keyForm = /^([a-z0-9_-]{1,64}):([A-Za-z0-9_-]{43})$/;

function hashKey(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

/** A key as its file and the requests with it have it; undefined if it is none. */
export function parseKey(text: string): VolunteerKey | undefined {
  const [, volunteer, key] = keyForm.exec(text.trim()) ?? [];
  return volunteer === undefined || key === undefined ? undefined : { volunteer, key };
}

const nobody = hashKey(randomBytes(32).toString("hex"));

/** Whether a key is that of its volunteer; takes the same time whatever is wrong. */
export function isKeyOf({ volunteers }: ProjectFile, { volunteer, key }: VolunteerKey): boolean {
  const [given, known] = [hashKey(key), volunteers.get(volunteer) ?? nobody];
  return timingSafeEqual(Buffer.from(given), Buffer.from(known));
}

const isText = (value: unknown): value is string => typeof value === "string";

/**
 * Reads what `volunteers init` wrote.
 *
 * @throws TidemarkError `not-found`, `no-permission`; `bad-option` if it is no such file
 */
export function readProjectFile(folder: string): ProjectFile {
  const file = join(folder, fileName);
  const wrong = (what: string): never => {
    throw new TidemarkError("bad-option", `${file}: ${what}.`, {
      hint: "tidemark volunteers init writes this file.",
      details: { file },
    });
  };
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw wrapSystemError(error, `read ${file}`, { file });
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return wrong("it is no JSON");
  }
  const { userAgent, knownPages = [], volunteers } = (parsed ?? {}) as Readonly<Record<string, unknown>>;
  if (!isText(userAgent) || userAgent === "") return wrong("userAgent is no text");
  if (!Array.isArray(knownPages) || !knownPages.every((url) => isText(url) && /^https?:\/\//.test(url)))
    return wrong("knownPages is no list of URLs");
  const entries = Object.entries((volunteers ?? {}) as object);
  if (entries.some(([name, hash]) => !/^[a-z0-9_-]{1,64}$/.test(name) || !/^[0-9a-f]{64}$/.test(String(hash))))
    return wrong("volunteers is no list of names and hashes");
  return { userAgent, knownPages, volunteers: new Map(entries) };
}

/** What `volunteers init` made. */
export interface MadeKeys {
  readonly file: string;
  /** The file of each new key, by volunteer. */
  readonly keys: Readonly<Record<string, string>>;
}

/**
 * Makes the folder of a project, or adds volunteers to one: each gets a key, whose hash stays here.
 *
 * @param userAgent - of a new project; undefined keeps what is there
 * @throws TidemarkError `bad-option` for a name that is none or is there already
 */
export async function makeProject(
  folder: string,
  { userAgent, volunteers }: { readonly userAgent: string | undefined; readonly volunteers: readonly string[] },
): Promise<MadeKeys> {
  makeMissingFolder(folder);
  const file = join(folder, fileName);
  if (userAgent !== undefined) {
    const text = `${JSON.stringify({ userAgent, knownPages: [], volunteers: {} }, undefined, 2)}\n`;
    if (!(await createDurably(file, text, { mode: 0o600 })))
      throw new TidemarkError("bad-option", `There is a project already: ${file}`, {
        hint: "Leave --user-agent out to add volunteers to it.",
      });
  }
  const known = readProjectFile(folder);
  const hashes = new Map(known.volunteers);
  const keys: Record<string, string> = {};
  for (const volunteer of volunteers) {
    if (!/^[a-z0-9_-]{1,64}$/.test(volunteer) || hashes.has(volunteer))
      throw new TidemarkError("bad-option", `${volunteer}: not a new name of 1 to 64 of a-z, 0-9, _ and -.`);
    const key = randomBytes(32).toString("base64url");
    const keyFile = join(folder, "keys", `${volunteer}.key`);
    makeMissingFolder(join(folder, "keys"));
    // Of an earlier run that was killed before the hash was written: that key opens nothing.
    await writeDurably(keyFile, `${volunteer}:${key}\n`, { mode: 0o600 });
    hashes.set(volunteer, hashKey(key));
    keys[volunteer] = keyFile;
  }
  const text = JSON.stringify({ ...known, volunteers: Object.fromEntries(hashes) }, undefined, 2);
  await writeDurably(file, `${text}\n`, { mode: 0o600 });
  return { file, keys };
}
