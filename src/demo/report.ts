/** What a server answered. */
export interface Traffic {
  readonly requests: number;
  readonly notModified: number;
  /** Requests below `/.well-known/tidemark/` and for `/robots.txt`. */
  readonly metadataRequests: number;
  readonly bytes: number;
}

/** The ways of keeping a copy of a site that the demonstration compares. */
export const demoMethods = ["tidemark", "polling", "everything"] as const;

/** One of {@link demoMethods}. */
export type DemoMethod = (typeof demoMethods)[number];

/** What one visit cost each method, by the server's own log. */
export interface DemoVisit {
  readonly visit: 1 | 2 | 3;
  /** Pages of the site at the time of the visit. */
  readonly pages: number;
  /** Pages that were created or updated since the visit before. */
  readonly changedPages: number;
  readonly deletedPages: number;
  /** Pages that a deployment rewrote with equal bytes. */
  readonly touchedPages: number;
  readonly traffic: Readonly<Record<DemoMethod, Traffic>>;
}

/** Something that the demonstration promised, and whether it held. */
export interface DemoCheck {
  readonly visit: 1 | 2 | 3;
  readonly promise: string;
  readonly held: boolean;
  /** What was found instead, or the number that shows it. */
  readonly found: string;
}

/** What the demonstration reports while it works. Plain JSON. */
export type DemoEvent =
  | { readonly event: "step"; readonly message: string }
  | ({ readonly event: "visit" } & DemoVisit)
  | ({ readonly event: "check" } & DemoCheck);

/** What the demonstration came to. */
export interface DemoReport {
  readonly visits: readonly DemoVisit[];
  readonly checks: readonly DemoCheck[];
  readonly elapsedMs: number;
}

/** What a visit promises of the requests of Tidemark. */
export function checkVisit(visit: DemoVisit): DemoCheck[] {
  const { requests, metadataRequests, notModified } = visit.traffic.tidemark;
  const pageRequests = requests - metadataRequests;
  const check = (promise: string, held: boolean, found: string): DemoCheck => ({
    visit: visit.visit,
    promise,
    held,
    found,
  });
  const pages = check("one request a created or updated page", pageRequests === visit.changedPages, `${pageRequests}`);
  if (visit.visit === 1) return [pages];
  const others = check("at most 4 other requests", metadataRequests <= 4, `${metadataRequests}`);
  if (visit.visit === 2) return [pages, others];
  const few = check("at most 2 requests", requests <= 2, `${requests}`);
  return [few, check("all of them answered 304", notModified === requests, `${notModified} of ${requests}`)];
}
