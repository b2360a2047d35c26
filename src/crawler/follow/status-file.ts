import { rmSync } from "node:fs";
import { hostname } from "node:os";
import { resolve } from "node:path";
import { type Clock, type EpochMs, omitUndefined, TidemarkError } from "../../core/index.ts";
import { readSideFile, sideFileIn, writeSideFile } from "../../fs/index.ts";
import { isStoreHeld } from "../../storage/index.ts";

/** Most sites in each list of a status. */
export const maxStatusRows = 100;
/** Longest text in a status, in characters. */
export const maxStatusText = 200;

/** The latest time that a date can represent. */
export const mostNumber = 8.64e15;

class Malformed extends Error {}

/** Checks a value. @throws Malformed */
export type Reader = (value: unknown) => unknown;

export const numberFrom =
  (least: number): Reader =>
  (value) => {
    if (typeof value !== "number" || !(value >= least && value <= mostNumber)) throw new Malformed();
    return value;
  };
export const count: Reader = numberFrom(0);

export const oneOf =
  (...values: readonly unknown[]): Reader =>
  (value) => {
    if (!values.includes(value)) throw new Malformed();
    return value;
  };

export const optional =
  (read: Reader): Reader =>
  (value) =>
    value === undefined ? undefined : read(value);

export const text: Reader = (value) => {
  if (typeof value !== "string" || value.length > maxStatusText) throw new Malformed();
  return plainText(value);
};

/** A canonical origin, which contains nothing special to a terminal or a metrics label; its host may be one that no site has, such as `a,b`. */
export const originForm: RegExp = /^https?:\/\/[\w.:[\]!$&'()*+,;=`{}~-]{1,290}$/;

export const site: Reader = (value) => {
  if (typeof value !== "string" || !originForm.test(value)) throw new Malformed();
  return value;
};

/** An object's properties that a form names, each as its reader gives it. */
export const fields =
  (form: Readonly<Record<string, Reader>>): Reader =>
  (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Malformed();
    const given = value as Readonly<Record<string, unknown>>;
    return omitUndefined(Object.fromEntries(Object.entries(form).map(([name, read]) => [name, read(given[name])])));
  };

export const rows =
  (read: Reader): Reader =>
  (value) => {
    if (!Array.isArray(value) || value.length > maxStatusRows) throw new Malformed();
    return value.map(read);
  };

/** Parses a status; any process may have written it. @returns undefined if it has not this form */
export function parseStatus(json: string, form: Reader): unknown {
  try {
    return form(JSON.parse(json));
  } catch (error) {
    if (error instanceof Malformed || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** A text on one line without control characters of terminals. */
export function plainText(given: string): string {
  return given.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, " ").trim();
}

/** Far more than {@link maxStatusRows} rows of each list need. */
const maxStatusBytes = 1024 * 1024;
/** A running crawler writes its status every second. */
const freshMs = 5000;

/** What the status of each crawler says. */
interface WrittenStatus {
  readonly pid: number;
  readonly host: string;
  readonly writtenMs: EpochMs;
}

/** The last status of a crawler that runs. */
export interface StatusLook<S> {
  readonly status: S;
  /** Age of the status in milliseconds. */
  readonly ageMs: number;
  /** Whether it wrote no status for some seconds although its process is alive. */
  readonly isBusy: boolean;
}

/** @param into - absolute folder of the mirrors */
export function writeStatus(into: string, name: string, status: WrittenStatus): void {
  writeSideFile(sideFileIn(resolve(into), name), `${JSON.stringify(status)}\n`);
}

export function removeStatus(into: string, name: string): void {
  rmSync(sideFileIn(resolve(into), name), { force: true });
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: unknown }).code === "EPERM";
  }
}

/**
 * Reads the status of a crawler. A dead one is distinguished from a busy one by its process and by the lock it holds.
 *
 * @param into - absolute folder of the mirrors
 * @returns without `look` if none runs; `died` is the last status of one that ended without removing it
 * @throws TidemarkError `state-corrupt` if the file is no such status; `no-permission`, `io`
 */
export function lookAtStatus<S extends WrittenStatus>(
  into: string,
  name: string,
  parse: (json: string) => S | undefined,
  now: Clock,
): { readonly look?: StatusLook<S>; readonly died?: S } {
  const file = sideFileIn(into, name);
  const read = readSideFile(file, maxStatusBytes);
  if (read === "missing") return {};
  const status = typeof read === "string" ? undefined : parse(read.text);
  if (status === undefined)
    throw new TidemarkError("state-corrupt", `${file} is not what a follower of this version writes.`, {
      hint: "Remove it: a follower that is at work writes it anew within a second, and nothing else is lost.",
      details: { file },
    });
  const ageMs = now() - status.writtenMs;
  const isFresh = Math.abs(ageMs) < freshMs;
  const isHere = status.host === hostname();
  // Another process may have reused the number of a dead one, and the folder may be read from another machine.
  if (isFresh && (!isHere || isRunning(status.pid))) return { look: { status, ageMs, isBusy: false } };
  const isHeld = isStoreHeld(into) ?? (isHere ? isRunning(status.pid) : isFresh);
  return isHeld ? { look: { status, ageMs, isBusy: !isFresh } } : { died: status };
}

/** The error of a status that nobody keeps; its details say since when, if known. */
export function noStatus(
  message: string,
  died: WrittenStatus | undefined,
  { into, hint }: { readonly into: string; readonly hint: string },
): TidemarkError {
  if (died === undefined) return new TidemarkError("not-found", message, { hint, details: { into } });
  const { pid, host, writtenMs } = died;
  const until = new Date(writtenMs).toISOString();
  return new TidemarkError(
    "not-found",
    `${message} Process ${pid} on ${host} did so until ${until} and ended without saying so.`,
    { hint, details: { into, pid, host, diedMs: writtenMs } },
  );
}
