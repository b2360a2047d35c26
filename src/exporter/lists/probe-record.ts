import { type EpochSeconds, isDigest, maxEpochSeconds, type Validators } from "../../core/index.ts";

/** Whether a page was there when the server was last asked; `unknown` if it never gave an answer that says so. */
export type ProbeState = "present" | "absent" | "unknown";

/** What a server said of a page. */
export interface ProbeRecord {
  readonly path: string;
  readonly state: ProbeState;
  /** When it was last asked. */
  readonly askedAt: EpochSeconds;
  readonly sizeBytes: number | undefined;
  readonly lastModified: EpochSeconds | undefined;
  readonly mediaType: string | undefined;
  readonly digest: string | undefined;
  /** As they were received, one character a byte. */
  readonly validators: Validators;
}

/** Where the next run goes on. */
export interface ProbeRotation {
  /** The last page of those asked before that was asked again; empty at the beginning. */
  readonly cursor: string;
  /** Pages asked before that come after it. */
  readonly after: number;
  /** Pages that were asked for before, all of them. */
  readonly known: number;
  /** Pages that nobody asked for yet. */
  readonly unasked: number;
}

/** Longest validator that is kept, in characters. */
export const maxValidatorLength = 1024;

const letters = { present: "P", absent: "A", unknown: "U" } as const;
const statesByLetter: ReadonlyMap<string, ProbeState> = new Map([
  ["P", "present"],
  ["A", "absent"],
  ["U", "unknown"],
]);
// Records are only matched with listed pages, whose paths were checked.
const pathForm = /^\/[!-~]{0,7999}$/;
const mediaTypeForm = /^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*$/;

/** Writes a record as a line, without its LF: `path state asked size last-modified type digest etag last-modified-field`, TAB between. */
export function formatProbeRecord(record: ProbeRecord): string {
  const { path, state, askedAt, sizeBytes, lastModified, mediaType, digest, validators } = record;
  return [
    path,
    letters[state],
    askedAt,
    sizeBytes ?? "-",
    lastModified ?? "-",
    mediaType ?? "-",
    digest ?? "-",
    escapeField(validators.etag),
    escapeField(validators.lastModified),
  ].join("\t");
}

/** Reads what {@link formatProbeRecord} wrote; undefined if it is anything else. */
export function parseProbeRecord(line: string): ProbeRecord | undefined {
  const fields = line.split("\t", 10);
  const [path = "", letter = "", askedText = "", sizeText = "", timeText = "", type = "", digest = "", ...rest] =
    fields;
  const state = statesByLetter.get(letter);
  const askedAt = parseSeconds(askedText);
  const lastModified = timeText === "-" ? undefined : parseSeconds(timeText);
  const sizeBytes = sizeText === "-" ? undefined : parseWhole(sizeText);
  const [etag = "", lastModifiedField = ""] = rest.map(unescapeField);
  const isWhole =
    fields.length === 9 &&
    pathForm.test(path) &&
    askedAt !== undefined &&
    (sizeBytes !== undefined || sizeText === "-") &&
    (lastModified !== undefined || timeText === "-") &&
    (type === "-" || (type.length <= 255 && mediaTypeForm.test(type))) &&
    (digest === "-" || isDigest(digest));
  if (!isWhole || state === undefined) return undefined;
  return {
    path,
    state,
    askedAt,
    sizeBytes,
    lastModified,
    mediaType: type === "-" ? undefined : type,
    digest: digest === "-" ? undefined : digest,
    validators: {
      ...(etag === "" ? {} : { etag }),
      ...(lastModifiedField === "" ? {} : { lastModified: lastModifiedField }),
    },
  };
}

function parseSeconds(text: string): EpochSeconds | undefined {
  const seconds = parseWhole(text);
  return seconds === undefined || seconds > maxEpochSeconds ? undefined : seconds;
}

function parseWhole(text: string): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

function escapeField(value: string | undefined): string {
  if (value === undefined || value === "") return "-";
  if (value === "-") return "%2D";
  return value.replace(/[^!-$&-~]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`);
}

function unescapeField(text: string): string {
  if (text === "-") return "";
  if (!text.includes("%")) return text;
  return text.replace(/%([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
