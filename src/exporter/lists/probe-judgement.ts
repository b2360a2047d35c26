import type { EpochSeconds, Validators } from "../../core/index.ts";
import type { ListedPage } from "./listed-page.ts";
import { maxValidatorLength, type ProbeRecord } from "./probe-record.ts";

/** What became of asking for a page. */
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
  /** It was not asked for: the budget is spent, or the server is to be left alone. */
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
  return {
    path: page.path,
    sizeBytes: page.sizeBytes ?? record.sizeBytes,
    lastModified: page.lastModified ?? record.lastModified,
    mediaType: page.mediaType ?? record.mediaType,
    digest: page.digest ?? record.digest,
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
  return {
    path,
    state: "unknown",
    askedAt: 0,
    sizeBytes: undefined,
    lastModified: undefined,
    mediaType: undefined,
    digest: undefined,
    validators: {},
  };
}

function boundValidators({ etag, lastModified }: Validators): Validators {
  return {
    ...(etag === undefined || etag.length > maxValidatorLength ? {} : { etag }),
    ...(lastModified === undefined || lastModified.length > maxValidatorLength ? {} : { lastModified }),
  };
}
