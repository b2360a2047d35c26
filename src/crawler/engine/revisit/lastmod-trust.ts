import type { EpochMs, EpochSeconds } from "../../../core/index.ts";
import { boundSilent, planSample } from "./sample-bounds.ts";

/**
 * What is remembered of how reliable a site's `lastmod` is. A *look* is one reading of the sitemap, in which each `lastmod`
 * is compared as a string with the last one, and the polls after it.
 */
export interface LastmodRecord {
  /** Looks that proved it since it was last refuted; no more than are needed. */
  readonly provedLooks: number;
  /** How often it was refuted. Each time doubles the looks that are needed, up to eight times. */
  readonly falls: number;
  /** Silent changes of the last look: lies, unless lastmod has moved by the next. */
  readonly silent: number;
  /** Polls of pages whose lastmod moved; earlier looks count half as much each. */
  readonly movedPolled: number;
  /** Those of them that found the page as it was. */
  readonly movedEqual: number;
  /** Announced changes per look: a mean in which earlier looks count less. */
  readonly announced: number;
  /** Whether the last look had too many future dates: 0 or 1. */
  readonly future: number;
}

/** One look, as counts of pages. */
export interface LastmodLook {
  /** Pages with a `lastmod` that was compared, or is in the future ({@link isFutureLastmod}). */
  readonly listed: number;
  /** Pages whose lastmod is in the future. They are polled like pages without one, and not counted elsewhere. */
  readonly future: number;
  /** Pages whose lastmod is the same string as before. */
  readonly unmoved: number;
  /** Polls of pages whose lastmod moved, and those that found a change. */
  readonly movedPolled: number;
  readonly movedChanged: number;
  /** Polls of pages whose lastmod did not move, drawn at random if not all, and those that found a change: silent ones. */
  readonly unmovedPolled: number;
  readonly unmovedChanged: number;
  /** Pages that changed silently in the look before and whose lastmod has moved by now: the sitemap was late. Default 0. */
  readonly late?: number;
}

/**
 * What a site's `lastmod` is worth.
 * - `unproven`: all pages are polled as if there was none, and each look is evidence.
 * - `trusted`: pages whose lastmod moved are fetched; of the others only a sample is polled.
 * - `false-alarms`: it moves while pages stay equal (build stamps). A page whose lastmod moved is polled by its value, no
 *   sooner; once silence is proved reliable, the others are not.
 * - `distrusted`: pages changed silently, or dates are in the future. As `unproven`, and harder to prove again.
 */
export type LastmodTrust = "unproven" | "trusted" | "false-alarms" | "distrusted";

/** What to poll after a sitemap was read. */
export interface LastmodAdvice {
  readonly trust: LastmodTrust;
  /** Pages whose lastmod moved: all of them at once, or as the plan of polls says. */
  readonly moved: "all" | "planned";
  /** How many pages whose lastmod did not move to poll in this look, drawn at random. */
  readonly unmovedSample: number;
}

/** A sitemap that was never read. */
export const noLastmodRecord: LastmodRecord = {
  provedLooks: 0,
  falls: 0,
  silent: 0,
  movedPolled: 0,
  movedEqual: 0,
  announced: 0,
  future: 0,
};

/** Proofs that are needed. */
const neededLooks = 3;
const maxFalls = 3;
/** Upper bound of the share of silent changes for a look to be a proof. */
const maxSilentShare = 0.1;
/** From this share of future dates on the whole sitemap is wrong. */
const maxFutureShare = 0.1;
/** From this share of moved pages that stayed equal on they are false alarms. */
const falseAlarmShare = 0.5;
const minMovedPolled = 10;
/** Least sample of unmoved pages in a look, and its largest share of them. */
const minSample = 20;
const maxSampleShare = 0.05;
const maxCount = 1e9;

const sane = (value: number | undefined): number => (value !== undefined && value > 0 ? Math.min(value, maxCount) : 0);

/** Whether a `lastmod` is more than a day ahead, which clocks and time zones do not explain. NaN is not. */
export function isFutureLastmod(lastmod: EpochSeconds, now: EpochMs): boolean {
  return lastmod * 1000 - now > 86_400_000;
}

const looksNeeded = (falls: number): number => neededLooks * 2 ** Math.min(maxFalls, falls);

const isProved = (record: LastmodRecord): boolean => sane(record.provedLooks) >= looksNeeded(sane(record.falls));

function raisesFalseAlarms(record: LastmodRecord): boolean {
  const polled = sane(record.movedPolled);
  return polled >= minMovedPolled && sane(record.movedEqual) >= falseAlarmShare * polled;
}

export function trustOf(record: LastmodRecord): LastmodTrust {
  if (sane(record.silent) > 0 || sane(record.future) > 0) return "distrusted";
  if (raisesFalseAlarms(record)) return "false-alarms";
  if (isProved(record)) return "trusted";
  return sane(record.falls) > 0 ? "distrusted" : "unproven";
}

/** Whether a look proves that silent changes are few compared with announced ones. */
function isProof(look: LastmodLook): boolean {
  const announced = sane(look.movedChanged);
  if (announced < 1 || sane(look.unmovedChanged) > 0) return false;
  const silentAtMost = boundSilent(sane(look.unmoved), sane(look.unmovedPolled));
  return silentAtMost <= maxSilentShare * (announced + silentAtMost);
}

/**
 * Adds a look. It is a proof if announced changes were found, no silent ones, and the sample of unmoved pages bounds silent
 * changes to a tenth of all with 95 % confidence. A silent change, or future dates on a tenth of the pages, suspends trust
 * at once. Unless the next look shows that the sitemap was only late, it counts as a lie, which voids the proofs.
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
 * What to poll after a sitemap was read. The sample of a trusted one is large enough, up to 5 % of the pages, to detect
 * within three looks, with 95 % confidence, that a site no longer announces its changes. A page in no sample is still
 * polled at its longest interval.
 *
 * @param unmoved - pages whose lastmod is the same string as before
 */
export function adviseLook(record: LastmodRecord, unmoved: number): LastmodAdvice {
  const trust = trustOf(record);
  const pages = Math.floor(sane(unmoved));
  if (trust === "distrusted" || !isProved(record)) return { trust, moved: "planned", unmovedSample: pages };
  // In three looks of k silent changes each, samples meet k, 2k and 3k of them: as one sample would meet 6k.
  const wanted = planSample(pages, Math.max(1, 6 * sane(record.announced)));
  const most = Math.max(minSample, Math.ceil(pages * maxSampleShare));
  const unmovedSample = Math.min(pages, Math.max(minSample, Math.min(wanted, most)));
  return { trust, moved: trust === "trusted" ? "all" : "planned", unmovedSample };
}
