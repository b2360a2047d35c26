import type { EpochMs, EpochSeconds } from "../../../core/index.ts";
import { boundSilent, planSample } from "./silent-share.ts";

/**
 * What is remembered of how true a site's `lastmod` proved: seven numbers. A *look* is one reading of the sitemap, each
 * `lastmod` compared as a string with the one seen last, and the polls made after it.
 */
export interface LastmodRecord {
  /** Looks that proved it true since it last proved false; no more than are needed. */
  readonly provedLooks: number;
  /** How often it proved false. Each time doubles the looks that are needed, up to eight times. */
  readonly falls: number;
  /** Silent changes of the last look: lies, unless lastmod owns up to them by the next. */
  readonly silent: number;
  /** Polls of pages whose lastmod moved; earlier looks count half as much each. */
  readonly movedPolled: number;
  /** Those of them that found the page as it was. */
  readonly movedEqual: number;
  /** Pages that changed and whose lastmod said so, a look: a mean in which earlier looks count less. */
  readonly announced: number;
  /** Whether the last look had more future dates than a true sitemap has: 0 or 1. */
  readonly future: number;
}

/** What was seen in one look, as counts of pages. */
export interface LastmodLook {
  /** Pages with a `lastmod` that was compared, or lies in the future ({@link isFutureLastmod}). */
  readonly listed: number;
  /** Pages whose lastmod lies in the future. They are polled as pages without one, and are in no other count. */
  readonly future: number;
  /** Pages whose lastmod is the string it was. */
  readonly unmoved: number;
  /** Polls of pages whose lastmod moved, and those that found a change. */
  readonly movedPolled: number;
  readonly movedChanged: number;
  /** Polls of pages whose lastmod did not move, drawn at random if not all, and those that found a change: silent ones. */
  readonly unmovedPolled: number;
  readonly unmovedChanged: number;
  /**
   * Pages that changed silently in the look before and whose lastmod has moved by now: the sitemap was only late, as one
   * that is made at night is. Default 0.
   */
  readonly late?: number;
}

/**
 * What a site's `lastmod` is worth.
 * - `unproven`: it says nothing yet. All pages are polled as if there was none, and each look is evidence.
 * - `trusted`: pages whose lastmod moved are fetched; of the others only a sample is polled.
 * - `false-alarms`: it moves over pages that stay equal (build stamps, drift). Where it moves the page is polled by its
 *   value, no sooner; where it stays the page does, once that is proved.
 * - `distrusted`: pages changed in silence, or dates lie in the future. As `unproven`, and harder to prove again.
 */
export type LastmodTrust = "unproven" | "trusted" | "false-alarms" | "distrusted";

/** What to poll after a sitemap was read. */
export interface LastmodAdvice {
  readonly trust: LastmodTrust;
  /** Pages whose lastmod moved: all of them at once, or as the plan of polls says. */
  readonly moved: "all" | "planned";
  /**
   * How many pages whose lastmod did not move to poll in this look, drawn at random; all of them if it is their count.
   * Where trust is to be proved a smaller sample is evidence too, as far as its bound goes.
   */
  readonly unmovedSample: number;
}

/** A sitemap that nobody has looked at. */
export const noLastmodRecord: LastmodRecord = {
  provedLooks: 0,
  falls: 0,
  silent: 0,
  movedPolled: 0,
  movedEqual: 0,
  announced: 0,
  future: 0,
};

/** Looks that must prove it. */
const neededLooks = 3;
const maxFalls = 3;
/** Of the changes of a look, the share that may have been silent at worst, for the look to be a proof. */
const maxSilentShare = 0.1;
/** From this share of future dates on a sitemap is wrong, and not only some of its pages. */
const maxFutureShare = 0.1;
/** Moved pages that stayed equal: from this share on they are false alarms, until there are fewer than half of it. */
const falseAlarmShare = 0.5;
const minMovedPolled = 10;
/** A sample of trusted pages, in each look: no less, and no more than this share of them. */
const minSample = 20;
const maxSampleShare = 0.05;
const maxCount = 1e9;

const sane = (value: number | undefined): number => (value !== undefined && value > 0 ? Math.min(value, maxCount) : 0);

/** Whether a `lastmod` lies further ahead than clocks and time zones explain: more than a day. Not a number is not. */
export function isFutureLastmod(lastmod: EpochSeconds, now: EpochMs): boolean {
  return lastmod * 1000 - now > 86_400_000;
}

/** How many proofs in a row are needed. */
const looksNeeded = (falls: number): number => neededLooks * 2 ** Math.min(maxFalls, falls);

const isProved = (record: LastmodRecord): boolean => sane(record.provedLooks) >= looksNeeded(sane(record.falls));

function raisesFalseAlarms(record: LastmodRecord): boolean {
  const polled = sane(record.movedPolled);
  return polled >= minMovedPolled && sane(record.movedEqual) >= falseAlarmShare * polled;
}

/** What a site's `lastmod` is worth, by the looks at it so far. */
export function trustOf(record: LastmodRecord): LastmodTrust {
  if (sane(record.silent) > 0 || sane(record.future) > 0) return "distrusted";
  if (raisesFalseAlarms(record)) return "false-alarms";
  if (isProved(record)) return "trusted";
  return sane(record.falls) > 0 ? "distrusted" : "unproven";
}

/** Whether a look without a silent change proves that silent ones are few beside those that lastmod announced. */
function isProof(look: LastmodLook): boolean {
  const announced = sane(look.movedChanged);
  if (announced < 1 || sane(look.unmovedChanged) > 0) return false;
  const silentAtMost = boundSilent(sane(look.unmoved), sane(look.unmovedPolled));
  return silentAtMost <= maxSilentShare * (announced + silentAtMost);
}

/**
 * Adds a look. A look is a proof if pages changed whose lastmod said so, if none changed in silence, and if the sample of
 * the unmoved ones bounds the silent changes to a tenth of all, with 95 % confidence (a poll of all bounds them to none).
 * A silent change, or future dates on a tenth of the pages, suspends trust at once. It counts as a lie, which voids the
 * proofs, when the next look does not show that the sitemap was only late.
 */
export function noteLook(record: LastmodRecord, look: LastmodLook): LastmodRecord {
  const silent = sane(look.unmovedChanged);
  const isFuture = sane(look.future) > 0 && sane(look.future) >= maxFutureShare * sane(look.listed);
  const lied = sane(record.silent) > sane(look.late) || (isFuture && !(sane(record.future) > 0));
  const falls = Math.min(maxFalls, sane(record.falls) + (lied ? 1 : 0));
  const proofs = sane(record.provedLooks) + (isProof(look) ? 1 : 0);
  const movedPolled = sane(look.movedPolled);
  const movedChanged = Math.min(sane(look.movedChanged), movedPolled);
  return {
    provedLooks: lied || isFuture ? 0 : Math.min(proofs, looksNeeded(falls)),
    falls,
    silent,
    movedPolled: sane(record.movedPolled) / 2 + movedPolled,
    movedEqual: sane(record.movedEqual) / 2 + movedPolled - movedChanged,
    announced: 0.75 * sane(record.announced) + 0.25 * movedChanged,
    future: isFuture ? 1 : 0,
  };
}

/**
 * Says what to poll after a sitemap was read. The sample of a trusted one is large enough that a site which stops to
 * announce its changes is found out within three looks, as sure as 95 %, as long as 5 % of the pages are enough for that
 * (its changes stay in silence, and so add up); a page that is sampled by none is still polled at its longest interval.
 *
 * @param unmoved - pages whose lastmod is the string it was
 */
export function adviseLook(record: LastmodRecord, unmoved: number): LastmodAdvice {
  const trust = trustOf(record);
  const pages = Math.floor(sane(unmoved));
  if (trust === "distrusted" || !isProved(record)) return { trust, moved: "planned", unmovedSample: pages };
  // After three looks of k silent changes each, samples of m have met k, 2k and 3k of them: as one sample met 6k.
  const wanted = planSample(pages, Math.max(1, 6 * sane(record.announced)));
  const most = Math.max(minSample, Math.ceil(pages * maxSampleShare));
  const unmovedSample = Math.min(pages, Math.max(minSample, Math.min(wanted, most)));
  return { trust, moved: trust === "trusted" ? "all" : "planned", unmovedSample };
}
