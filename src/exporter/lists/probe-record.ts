import { type EpochSeconds, isDigest, maxEpochSeconds, omitUndefined, type Validators } from "../../core/index.ts";
import type { ListedPage } from "./listed-page.ts";
import { mediaTypeForm } from "./listed-page.ts";

/** What a server said of a page. */
export interface ProbeRecord {
  readonly path: string;
  /** Whether it was there when the server was last asked; `unknown` if no answer ever said so. */
  readonly state: keyof typeof letters;
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
const maxValidatorLength = 1024;

const letters = { present: "P", absent: "A", unknown: "U" } as const;
const states = { P: "present", A: "absent", U: "unknown" } as const;
// Records are only matched with listed pages, whose paths were checked.
const recordForm =
  /^(\/[!-~]{0,7999})\t([PAU])\t(\d{1,15})\t(-|\d{1,15})\t(-|\d{1,15})\t(-|[^\t]{1,255})\t(-|[^\t]{11})\t([^\t]*)\t([^\t]*)$/;

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
  const fields = recordForm.exec(line);
  if (fields === null) return undefined;
  const [, path = "", letter, asked, size = "-", time = "-", type = "-", digest = "-", etagText = "", dateText = ""] =
    fields;
  const numberOf = (text: string): number | undefined => (text === "-" ? undefined : Number(text));
  const [askedAt, lastModified] = [Number(asked), numberOf(time)];
  if (askedAt > maxEpochSeconds || (lastModified ?? 0) > maxEpochSeconds) return undefined;
  if ((type !== "-" && !mediaTypeForm.test(type)) || (digest !== "-" && !isDigest(digest))) return undefined;
  const [etag, served] = [unescapeField(etagText), unescapeField(dateText)];
  return {
    path,
    state: states[letter as keyof typeof states],
    askedAt,
    sizeBytes: numberOf(size),
    lastModified,
    mediaType: type === "-" ? undefined : type,
    digest: digest === "-" ? undefined : digest,
    validators: { ...(etag !== "" && { etag }), ...(served !== "" && { lastModified: served }) },
  };
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

/** What a request for a page gave. */
export type ProbeAnswer =
  /** 304: it is as it was. */
  | { readonly kind: "same"; readonly validators: Validators }
  /** 200, read to its end. */
  | {
      readonly kind: "body";
      /** Undefined where the server applied a content coding that was not asked for. */
      readonly sizeBytes: number | undefined;
      readonly digest: string | undefined;
      readonly mediaType: string | undefined;
      /** What the server's Last-Modified says. */
      readonly lastModified: EpochSeconds | undefined;
      readonly validators: Validators;
    }
  /** 404 or 410. */
  | { readonly kind: "gone" }
  /** An answer that says nothing of the page, or none. */
  | { readonly kind: "trouble" }
  /** It was not requested: the budget is spent, or the server is to be left alone. */
  | { readonly kind: "deferred" };

/**
 * Says what is to be remembered of a page. Bytes that are the same keep their last-modified; a change without one
 * is dated when it was seen. An error changes nothing of what was known.
 *
 * @param before - undefined if nothing is known, or if the list says that it is true no more
 */
export function judgeProbe(
  path: string,
  before: ProbeRecord | undefined,
  answer: ProbeAnswer,
  now: EpochSeconds,
): ProbeRecord | undefined {
  switch (answer.kind) {
    case "deferred":
      return before;
    case "trouble":
      return { ...(before ?? emptyRecord(path)), askedAt: now };
    case "gone":
      return { ...emptyRecord(path), state: "absent", askedAt: now };
    case "same":
      // Only who was told validators can say so.
      if (before === undefined) return { ...emptyRecord(path), askedAt: now };
      return { ...before, state: "present", askedAt: now, validators: boundValidators(answer.validators) };
    case "body": {
      const { sizeBytes, digest, mediaType, validators } = answer;
      const isSame = before?.digest !== undefined && before.digest === digest;
      const served = Math.min(answer.lastModified ?? now, now);
      return {
        path,
        state: "present",
        askedAt: now,
        sizeBytes,
        digest,
        mediaType,
        lastModified: isSame ? (before.lastModified ?? served) : served,
        validators: boundValidators(validators),
      };
    }
  }
}

/** A listed page with what is known of it beside; undefined if it is not there. What the list says comes first. */
export function completePage(page: ListedPage, record: ProbeRecord | undefined): ListedPage | undefined {
  if (record === undefined || record.state === "unknown") return page;
  if (record.state === "absent") return undefined;
  const { path, sizeBytes, lastModified, mediaType, digest } = page;
  return {
    path,
    sizeBytes: sizeBytes ?? record.sizeBytes,
    lastModified: lastModified ?? record.lastModified,
    mediaType: mediaType ?? record.mediaType,
    digest: digest ?? record.digest,
  };
}

/** Whether a list says other than what the server said. */
export function contradicts(page: ListedPage, record: ProbeRecord): boolean {
  const { sizeBytes, digest } = page;
  return (
    (digest !== undefined && record.digest !== undefined && digest !== record.digest) ||
    (sizeBytes !== undefined && record.sizeBytes !== undefined && sizeBytes !== record.sizeBytes)
  );
}

function emptyRecord(path: string): ProbeRecord {
  const unknown = { sizeBytes: undefined, lastModified: undefined, mediaType: undefined, digest: undefined };
  return { path, state: "unknown", askedAt: 0, ...unknown, validators: {} };
}

function boundValidators({ etag, lastModified }: Validators): Validators {
  const bound = (text: string | undefined) =>
    text !== undefined && text.length > maxValidatorLength ? undefined : text;
  return omitUndefined({ etag: bound(etag), lastModified: bound(lastModified) });
}
