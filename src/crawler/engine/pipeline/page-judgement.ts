import {
  type CrawlEvent,
  confirmValidators,
  type DeletionReason,
  type EpochSeconds,
  type HeldBody,
  omitUndefined,
  type Page,
  type PageTrouble,
  type PageUsage,
  type Postponement,
  type Settlement,
  type TrackedUrl,
  type Validators,
} from "../../../core/index.ts";
import { patienceVisits } from "../politeness/patient-request.ts";

const daySeconds = 86_400;
/** What is gone, or only redirects, is requested again so much later. */
const goneSeconds = 30 * daySeconds;
/** Three visits decide that a page is gone, or refused, once the first of them is so long ago: a site may be broken for a day. */
const patienceSeconds = 2 * daySeconds;
/** A page that was unavailable, or whose use was disallowed, in some visits is requested again after so long, twice as long each further time, and no later. */
const firstAwaySeconds = 6 * 3600;
const longestAwaySeconds = 7 * daySeconds;
/** What was refused for so long is requested again so much later. */
const parkedSeconds = 90 * daySeconds;

/** What a visit found where a page should be. */
export type PageFinding =
  /** The announced body was there already: no request was made. */
  | { readonly kind: "adopted"; readonly page: Page & HeldBody; readonly usage?: PageUsage }
  /** 304: the held body is what the site has; `page` is its record, if it is announced. */
  | {
      readonly kind: "unmodified";
      readonly page: (Page & HeldBody) | undefined;
      readonly agrees: boolean;
      readonly validators: Validators;
      /** What is stated about its use. */
      readonly usage?: PageUsage;
    }
  /** A whole body, kept if `page` is given; otherwise none is to be held, but its links are known. */
  | {
      readonly kind: "body";
      readonly page: (Page & HeldBody) | undefined;
      readonly digest: string;
      /** Whether it is the announced one, if one is. */
      readonly agrees: boolean;
      readonly validators: Validators;
      /** Whether it differs too little from the held one to count as a change. */
      readonly isInsignificant: boolean;
      /** What is stated about its use. */
      readonly usage?: PageUsage;
    }
  /** It redirects to another page of the site, whose body was taken. */
  | { readonly kind: "alias" }
  /** A body came that may not be used in a way that is respected: it is not kept. */
  | { readonly kind: "unwanted"; readonly usage: PageUsage; readonly message: string }
  /** It is not to be held any more, without a request. */
  | { readonly kind: "withdrawn"; readonly reason: "published" | "unwanted" }
  /** 404, or 410 which is `final`. */
  | { readonly kind: "gone"; readonly final: boolean }
  | {
      readonly kind: "trouble";
      readonly trouble: Exclude<PageTrouble, "differs" | "gone" | "moved" | "usage">;
      readonly message: string;
      /** Whether it redirects to what may not be requested. */
      readonly leadsToDisallowed?: boolean;
      /** Whether its body is larger than may be: that is no outage. */
      readonly isTooLarge?: boolean;
    };

/** What is to be stored, counted and reported of a page. */
export interface Judgement {
  readonly settlement: Settlement;
  readonly outcome: Extract<CrawlEvent, { event: "page" }>["outcome"] | undefined;
  /** Whether a polled page differs from the last time; undefined where nothing can be said. */
  readonly hasChanged: boolean | undefined;
  readonly message?: string;
}

type Answer = Extract<PageFinding, { kind: "adopted" | "unmodified" | "body" }>;

/** Whether it may be over in a day, although an answer says that it lasts. */
function mayBeOutage(trouble: PageTrouble): boolean {
  return trouble === "gone" || trouble === "moved" || trouble === "refused";
}

/** Whether there were so many visits with the same trouble, and so long, that it is taken for lasting. */
function isDecided({ attempts, since = -Infinity }: Omit<Postponement, "state">, now: EpochSeconds): boolean {
  return attempts >= patienceVisits && now - since >= patienceSeconds;
}

function postpone(
  { postponed, announced }: TrackedUrl,
  trouble: PageTrouble,
  now: EpochSeconds,
  isOutage: boolean = mayBeOutage(trouble),
): Postponement {
  const earlier = postponed?.trouble === trouble ? postponed : undefined;
  const attempts = (earlier?.attempts ?? 0) + 1;
  if (trouble === "disallowed") return { trouble, attempts, state: "disallowed" };
  // Earlier versions did not save when it began, and the system clock may have been set back.
  const since = isOutage ? Math.min(earlier?.since ?? now, now) : undefined;
  const failed = { trouble, attempts, ...omitUndefined({ since }) };
  const isLasting = trouble === "refused" || trouble === "mirror" || trouble === "usage";
  return { ...failed, state: announced !== undefined && isLasting && isDecided(failed, now) ? "parked" : "due" };
}

/**
 * How long a page in trouble is left alone, in seconds: until the next visit, and after some visits longer and longer.
 * Announced work does not wait: it is due in each visit, or parked until its record changes.
 */
function waitAfter(postponed: Postponement, now: EpochSeconds): number {
  const { trouble, attempts } = postponed;
  const further = attempts - patienceVisits;
  if (further < 0) return 1;
  if (!isDecided(postponed, now)) return firstAwaySeconds;
  if (trouble === "refused" || trouble === "mirror") return parkedSeconds;
  return trouble === "unavailable" || trouble === "usage"
    ? Math.min(longestAwaySeconds, firstAwaySeconds * 2 ** Math.min(further, 20))
    : 1;
}

function postponedUntil(
  url: TrackedUrl,
  trouble: PageTrouble,
  now: EpochSeconds,
  isOutage?: boolean,
): Settlement & { kind: "postponed" } {
  const postponed = postpone(url, trouble, now, isOutage);
  return { kind: "postponed", url, postponed, dueAt: now + waitAfter(postponed, now) };
}

// Should another source name what was announced and is gone, that source's word counts.
function removed(url: TrackedUrl, reason: DeletionReason, now: EpochSeconds): Settlement {
  const dueAt = url.announced === undefined ? now + goneSeconds : 0;
  return { kind: "removed", url, reason, askedAt: now, dueAt };
}

function isSame(a: HeldBody, b: HeldBody): boolean {
  return a.digest === b.digest && a.sizeBytes === b.sizeBytes;
}

function answered(url: TrackedUrl, finding: Answer, now: EpochSeconds): Settlement & { kind: "answered" } {
  const { held, announced, history } = url;
  const isStill = finding.page === undefined || (held !== undefined && isSame(finding.page, held));
  if (finding.kind === "adopted") {
    // Validators are those of the body that came with them.
    const known = isStill ? { validators: url.validators, fullAt: url.fullAt } : { validators: {}, fullAt: undefined };
    const { page, usage } = finding;
    const stored = { ...known, askedAt: undefined, ...omitUndefined({ usage }) };
    return { kind: "answered", url, history, dueAt: 0, page, isLinkOnly: false, ...stored };
  }
  const isWhole = finding.kind === "body";
  return {
    kind: "answered",
    url,
    history,
    dueAt: 0,
    // An announced record replaces the held one, even if the bodies are the same.
    page: isStill && announced === undefined ? undefined : finding.page,
    isLinkOnly: isWhole ? finding.page === undefined : held === undefined,
    validators: isWhole ? finding.validators : confirmValidators(url.validators, finding.validators),
    fullAt: isWhole ? now : url.fullAt,
    askedAt: now,
    // What was said of a body that is not held says nothing of the held one.
    ...(finding.page === undefined && isWhole ? {} : omitUndefined({ usage: finding.usage })),
  };
}

function judgeAnswer(url: TrackedUrl, finding: Exclude<Answer, { kind: "adopted" }>, now: EpochSeconds): Judgement {
  const { held, announced } = url;
  const settlement = answered(url, finding, now);
  const { page } = finding;
  const isEqual = finding.kind === "unmodified" || (page !== undefined && held !== undefined && isSame(page, held));
  if (announced !== undefined && !finding.agrees) {
    const postponed = postpone(url, "differs", now);
    const isAgain = postponed.attempts > 1 && isEqual;
    if (!isAgain && postponed.attempts < patienceVisits)
      return { settlement: { ...settlement, postponed }, outcome: "differs", hasChanged: undefined };
    const outcome = isAgain ? "unchanged" : "differs";
    return { settlement: { ...settlement, isAccepted: true }, outcome, hasChanged: undefined };
  }
  // What is announced says nothing of how often a page changes: it is only requested when it did.
  const isEvidence = announced === undefined;
  if (isEqual) return { settlement, outcome: "unchanged", hasChanged: isEvidence ? false : undefined };
  if (page === undefined) return { settlement, outcome: undefined, hasChanged: undefined };
  return {
    settlement,
    outcome: held === undefined ? "created" : "updated",
    hasChanged: isEvidence ? held !== undefined && !(finding.kind === "body" && finding.isInsignificant) : undefined,
  };
}

/**
 * Decides what becomes of a page.
 *
 * Never deletes for an error: 410 at once, 404 and redirects after three visits and two days; a held body is only replaced
 * by a whole body. A body that is not the announced one is kept as served and requested again. It is accepted if it is the same
 * then, as where the server assembles pages, and on the third visit whatever it is.
 *
 * @param isKept - whether there is a body of it, also one that a visit kept which died before it remembered that
 */
export function judgePage(
  url: TrackedUrl,
  finding: PageFinding,
  now: EpochSeconds,
  isKept: boolean = url.held !== undefined,
): Judgement {
  const { held, announced } = url;
  const silent = { outcome: undefined, hasChanged: undefined } as const;
  switch (finding.kind) {
    case "adopted":
      return { settlement: answered(url, finding, now), ...silent };
    case "unmodified":
    case "body":
      return judgeAnswer(url, finding, now);
    case "alias": {
      // For a day, any page may redirect to one that says sorry.
      const settlement = postponedUntil(url, "moved", now);
      if (isKept && !isDecided(settlement.postponed, now)) return { settlement, ...silent };
      if (held !== undefined) return { settlement: removed(url, "moved", now), outcome: "gone", hasChanged: true };
      return { settlement: { kind: "alias", url, askedAt: now, dueAt: now + goneSeconds }, ...silent };
    }
    case "unwanted": {
      const { message } = finding;
      const settlement = postponedUntil(url, "usage", now);
      const { postponed, dueAt } = settlement;
      const judgement = { outcome: "disallowed", hasChanged: undefined, message } as const;
      if (!isKept) return { ...judgement, settlement };
      return { ...judgement, settlement: { kind: "removed", url, reason: "usage", askedAt: now, dueAt, postponed } };
    }
    case "withdrawn": {
      const outcome = held === undefined ? undefined : "deleted";
      const settlement = { kind: "removed", url, reason: finding.reason, askedAt: undefined, dueAt: 0 } as const;
      return { settlement, outcome, hasChanged: undefined };
    }
    case "gone": {
      const settlement = postponedUntil(url, "gone", now);
      // What is announced and was not there yet may be late.
      const isExpected = isKept || announced !== undefined;
      if (isExpected && !finding.final && !isDecided(settlement.postponed, now))
        return { settlement, outcome: "failed", hasChanged: undefined, message: "404 Not Found" };
      return {
        settlement: removed(url, finding.final ? "gone" : "not-found", now),
        outcome: held === undefined && announced === undefined ? undefined : "gone",
        hasChanged: held === undefined ? undefined : true,
      };
    }
    case "trouble": {
      const { trouble, message, leadsToDisallowed = trouble === "disallowed", isTooLarge } = finding;
      const settlement = postponedUntil(url, trouble, now, isTooLarge === true ? false : undefined);
      const outcome = leadsToDisallowed ? "disallowed" : "failed";
      return { settlement, outcome, hasChanged: undefined, message };
    }
  }
}

const absences: Readonly<Partial<Record<DeletionReason, string>>> = {
  "not-found": "404 Not Found",
  gone: "410 Gone",
};

/**
 * The same for a start page, or a URL that the user listed: while it is not held, it is due in the next visit.
 *
 * @param leadsOn - whether other pages are found from it: then it comes before the polls that are planned, and is requested
 *   again where it redirects, which costs a body
 */
export function dueAgain(judgement: Judgement, now: EpochSeconds, leadsOn: boolean): Judgement {
  const { settlement } = judgement;
  const dueAt = now + 1;
  switch (settlement.kind) {
    case "answered":
      return judgement;
    case "postponed":
      return settlement.url.held === undefined ? { ...judgement, settlement: { ...settlement, dueAt } } : judgement;
    case "alias":
      return leadsOn ? { ...judgement, settlement: { ...settlement, dueAt } } : judgement;
    case "removed": {
      const trouble = settlement.reason === "moved" ? "moved" : "gone";
      const { postponed = leadsOn ? postpone(settlement.url, trouble, now) : undefined } = settlement;
      // Nobody but the user said that there is such a page, and so it is told that there is none.
      const told =
        trouble === "gone" && judgement.outcome === undefined
          ? { outcome: "gone" as const, ...omitUndefined({ message: absences[settlement.reason] }) }
          : {};
      return { ...judgement, ...told, settlement: { ...settlement, dueAt, ...omitUndefined({ postponed }) } };
    }
  }
}
