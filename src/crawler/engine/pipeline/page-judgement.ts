import type {
  CrawlEvent,
  FetchItem,
  HeldBody,
  Page,
  PageTrouble,
  Postponement,
  Settlement,
  Validators,
} from "../../../core/index.ts";
import { patienceVisits } from "../politeness/patient-request.ts";

/** What a visit found where a page should be. */
export type PageFinding =
  /** A body is kept; `agrees` if it is the one recorded. */
  | ({ readonly kind: "body"; readonly agrees: boolean; readonly validators?: Validators } & HeldBody)
  /** The body was there already: no request was made, or it was not modified. */
  | ({ readonly kind: "adopted" } & HeldBody)
  /** 404, or 410 which is `final`. */
  | { readonly kind: "gone"; readonly final: boolean }
  | { readonly kind: "trouble"; readonly trouble: Exclude<PageTrouble, "differs" | "gone">; readonly message: string };

/** What is to be remembered, counted and told of a page. */
export interface Judgement {
  readonly settlement: Settlement;
  readonly outcome: Extract<CrawlEvent, { event: "page" }>["outcome"] | undefined;
  readonly message?: string;
}

function postpone(item: FetchItem, trouble: PageTrouble): Postponement {
  const attempts = item.postponed?.trouble === trouble ? item.postponed.attempts + 1 : 1;
  const lasting = trouble === "refused" || trouble === "mirror";
  if (trouble === "disallowed") return { trouble, attempts, state: "disallowed" };
  return { trouble, attempts, state: lasting && attempts >= patienceVisits ? "parked" : "due" };
}

function withBody(page: Page, { sizeBytes, digest }: HeldBody): Page & HeldBody {
  return { ...page, sizeBytes, digest };
}

/**
 * Decides what becomes of a page's work.
 *
 * Never deletes for an error: 410 at once, 404 after three visits. A body that is not the recorded one is kept as
 * served and asked for again. It is accepted if it is the same then, as where the server puts pages together, and on
 * the third visit whatever it is. A page that is refused three times waits until its record changes.
 */
export function judgePage(item: FetchItem, finding: PageFinding): Judgement {
  const { path } = item.page;
  switch (finding.kind) {
    case "adopted":
      return { settlement: { kind: "kept", page: withBody(item.page, finding) }, outcome: undefined };
    case "body": {
      const page = withBody(item.page, finding);
      const { validators } = finding;
      const kept = { kind: "kept", page, ...(validators === undefined ? {} : { validators }) } as const;
      if (finding.agrees) return { settlement: kept, outcome: item.held === undefined ? "created" : "updated" };
      const postponed = postpone(item, "differs");
      const { held } = item;
      const isAgain = postponed.attempts > 1 && held?.digest === finding.digest && held.sizeBytes === finding.sizeBytes;
      if (!isAgain && postponed.attempts < patienceVisits)
        return { settlement: { ...kept, postponed }, outcome: "differs" };
      const settlement = { ...kept, acceptedFor: item.page } as const;
      return { settlement, outcome: isAgain ? "unchanged" : "differs" };
    }
    case "gone": {
      const postponed = postpone(item, "gone");
      if (finding.final || postponed.attempts >= patienceVisits) {
        const reason = finding.final ? "gone" : "not-found";
        return { settlement: { kind: "removed", path, reason }, outcome: "gone" };
      }
      return { settlement: { kind: "postponed", path, postponed }, outcome: "failed", message: "404 Not Found" };
    }
    case "trouble": {
      const { trouble, message } = finding;
      const outcome = trouble === "disallowed" ? "disallowed" : "failed";
      return { settlement: { kind: "postponed", path, postponed: postpone(item, trouble) }, outcome, message };
    }
  }
}
