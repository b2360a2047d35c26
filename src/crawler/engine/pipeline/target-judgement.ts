import {
  type CrawlEvent,
  confirmValidators,
  type EpochSeconds,
  type HeldBody,
  type Page,
  type PageTrouble,
  type Postponement,
  type TargetSettlement,
  type TrackedUrl,
  type Validators,
} from "../../../core/index.ts";
import { patienceVisits } from "../politeness/patient-request.ts";

const daySeconds = 86_400;
/** What is gone, or only leads elsewhere, is looked at again so much later. */
const lookAgainSeconds = 30 * daySeconds;
/** A page that could not be had in some visits is asked for again after so long, twice as long each further time, and no later. */
const firstAwaySeconds = 6 * 3600;
const longestAwaySeconds = 7 * daySeconds;
/** What is refused three times is looked at again so much later. */
const parkedSeconds = 90 * daySeconds;

/** What a request for a target came to. */
export type TargetFinding =
  /** 304: what is held is what the site has. */
  | { readonly kind: "unmodified"; readonly validators: Validators }
  /** A whole body, kept if `page` is given; `isLinkOnly` if none is to be held but its links are known. */
  | {
      readonly kind: "body";
      readonly page: (Page & HeldBody) | undefined;
      readonly isLinkOnly: boolean;
      readonly validators: Validators;
      readonly isFull: boolean;
      /** Whether what changed is too little to count. */
      readonly isInsignificant: boolean;
    }
  | { readonly kind: "alias" }
  /** 404, or 410 which is `final`. */
  | { readonly kind: "gone"; readonly final: boolean }
  | {
      readonly kind: "trouble";
      readonly trouble: Exclude<PageTrouble, "differs" | "gone" | "moved">;
      readonly message: string;
    };

/** What is to be remembered, counted and told of a target. */
export interface TargetJudgement {
  readonly settlement: TargetSettlement;
  readonly outcome: Extract<CrawlEvent, { event: "page" }>["outcome"] | undefined;
  /** Whether the page was other than when it was asked for before; undefined where nothing can be said. */
  readonly hasChanged: boolean | undefined;
  readonly message?: string;
}

function postpone(target: TrackedUrl, trouble: PageTrouble): Postponement {
  const attempts = target.postponed?.trouble === trouble ? target.postponed.attempts + 1 : 1;
  return { trouble, attempts, state: trouble === "disallowed" ? "disallowed" : "due" };
}

/** When a page in trouble may be asked for again, in seconds: in the next visit, and after some visits later and later. */
function waitAfter({ trouble, attempts }: Postponement): number {
  const over = attempts - patienceVisits;
  if (over < 0) return 1;
  if (trouble === "refused" || trouble === "mirror") return parkedSeconds;
  return trouble === "unavailable" ? Math.min(longestAwaySeconds, firstAwaySeconds * 2 ** Math.min(over, 20)) : 1;
}

/**
 * Decides what becomes of a target. Never deletes for an error: 410 at once, 404 on the third visit; what is held is
 * only replaced by a whole body.
 *
 * @param history - how it changed, this answer included
 * @param isKept - whether there is a body of it, also one that a visit kept which died before it remembered that
 */
export function judgeTarget(
  target: TrackedUrl,
  finding: TargetFinding,
  now: EpochSeconds,
  history: readonly number[],
  isKept: boolean = target.held !== undefined,
): TargetJudgement {
  const { held } = target;
  // In the next visit, not again in this one.
  const soon = now + 1;
  const answered = { kind: "answered", target, history, askedAt: now, dueAt: 0 } as const;
  switch (finding.kind) {
    case "unmodified": {
      const validators = confirmValidators(target.validators, finding.validators);
      const isLinkOnly = held === undefined;
      const settlement = { ...answered, page: undefined, isLinkOnly, validators, isFull: false } as const;
      return { settlement, outcome: "unchanged", hasChanged: false };
    }
    case "body": {
      const { page, isLinkOnly, validators, isFull, isInsignificant } = finding;
      const isEqual = page !== undefined && page.digest === held?.digest && page.sizeBytes === held.sizeBytes;
      const settlement = { ...answered, page: isEqual ? undefined : page, isLinkOnly, validators, isFull } as const;
      if (page === undefined) return { settlement, outcome: undefined, hasChanged: undefined };
      if (isEqual) return { settlement, outcome: "unchanged", hasChanged: false };
      return {
        settlement,
        outcome: held === undefined ? "created" : "updated",
        hasChanged: held !== undefined && !isInsignificant,
      };
    }
    case "alias": {
      // What was there has gone where it leads; for a day, any page may lead to one that says sorry.
      const postponed = postpone(target, "moved");
      if (isKept && postponed.attempts < patienceVisits)
        return {
          settlement: { kind: "postponed", target, postponed, dueAt: soon },
          outcome: undefined,
          hasChanged: undefined,
        };
      if (held !== undefined)
        return {
          settlement: { kind: "removed", target, reason: "moved", askedAt: now, dueAt: now + lookAgainSeconds },
          outcome: "gone",
          hasChanged: true,
        };
      return {
        settlement: { kind: "alias", target, askedAt: now, dueAt: now + lookAgainSeconds },
        outcome: undefined,
        hasChanged: undefined,
      };
    }
    case "gone": {
      const postponed = postpone(target, "gone");
      if (!isKept || finding.final || postponed.attempts >= patienceVisits) {
        const reason = finding.final ? "gone" : "not-found";
        const dueAt = now + lookAgainSeconds;
        return {
          settlement: { kind: "removed", target, reason, askedAt: now, dueAt },
          outcome: held === undefined ? undefined : "gone",
          hasChanged: held === undefined ? undefined : true,
        };
      }
      return {
        settlement: { kind: "postponed", target, postponed, dueAt: soon },
        outcome: "failed",
        hasChanged: undefined,
        message: "404 Not Found",
      };
    }
    case "trouble": {
      const { trouble, message } = finding;
      const postponed = postpone(target, trouble);
      return {
        settlement: { kind: "postponed", target, postponed, dueAt: now + waitAfter(postponed) },
        outcome: trouble === "disallowed" ? "disallowed" : "failed",
        hasChanged: undefined,
        message,
      };
    }
  }
}
