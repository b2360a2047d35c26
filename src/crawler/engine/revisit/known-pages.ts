/** What there is to be polled, in rows: a page, or many that are alike. Columns may be plain or typed arrays. */
export interface PollRows {
  /** Expected changes a second. */
  readonly ratesPerSecond: ArrayLike<number>;
  /** How much each page matters beside others: its rank, the requests it gets. */
  readonly weights: ArrayLike<number>;
  /** Pages a row stands for. Default 1 each. */
  readonly counts?: ArrayLike<number> | undefined;
  /** The number of each row's site, from 0. Needed for limits alone. */
  readonly sites?: ArrayLike<number> | undefined;
  /** Polls a second that a site allows, by its number; Infinity for one without a limit. */
  readonly siteLimitsPerSecond?: ArrayLike<number> | undefined;
}

/** What is known of signals that a page changed: from a sitemap, a feed, a ping. */
export interface PageSignals {
  /** Share of each page's changes that send one, from 0 (none) to 1. */
  readonly recalls: ArrayLike<number>;
  /** Signals a second that stand for no change. */
  readonly falsePerSecond: ArrayLike<number>;
}

/** Pages, each a row, as planners of visits see them. */
export interface KnownPages extends PollRows {
  readonly counts?: undefined;
  /** When each was last polled, in seconds since any instant; NaN if it never was. */
  readonly polledAtSeconds: Float64Array;
  readonly signals?: PageSignals | undefined;
}

/** For which time visits are planned, and how many. */
export interface VisitWindow {
  /** On the same scale as {@link KnownPages.polledAtSeconds}. */
  readonly fromSeconds: number;
  readonly seconds: number;
  /** Whole; they are spread evenly. */
  readonly visits: number;
}

/** Visits in the order of time. */
export interface VisitPlan {
  readonly pages: Uint32Array;
  readonly atSeconds: Float64Array;
}

/** What a visit saw. */
export interface SeenVisit {
  readonly page: number;
  readonly atSeconds: number;
  /** Since the visit before. */
  readonly intervalSeconds: number;
  readonly changed: boolean;
  /** When the page last changed, where it says so. */
  readonly modifiedAtSeconds?: number | undefined;
}

/** The port of all planners: what is known, and a budget for some time, to visits. */
export interface VisitPlanner {
  readonly name: string;
  /** Pages keep their places between calls; new ones come at the end. */
  plan(pages: KnownPages, window: VisitWindow): VisitPlan;
  /** Tells what a visit saw. Only rules that adapt by themselves listen: what is known of rates comes with the pages. */
  note?(seen: SeenVisit): void;
  /** Tells that a page sent a signal, before the window that is planned next. */
  signal?(page: number, atSeconds: number): void;
}
