import type { Validators } from "./fetch-outcome.ts";
import type { Page } from "./page.ts";

/** Why a page could not be brought in line with its record. */
export type PageTrouble = "differs" | "gone" | "refused" | "unavailable" | "disallowed" | "mirror" | "moved";

/** Work that a visit did not finish. */
export interface Postponement {
  readonly trouble: PageTrouble;
  /** Failed attempts in a row for this reason, one per visit. */
  readonly attempts: number;
  /** `parked` work waits until its record changes, `disallowed` work until robots.txt changes. */
  readonly state: "due" | "parked" | "disallowed";
}

/** What is known about a held body. */
export interface HeldBody {
  readonly sizeBytes: number;
  readonly digest: string;
}

/** Why a page no longer exists. */
export type DeletionReason =
  /** The site published its deletion. */
  | "published"
  /** The server answered 410. */
  | "gone"
  /** The server answered 404 on three visits. */
  | "not-found"
  /** On three visits it redirected to another URL of the site, under which its body is kept. */
  | "moved"
  /** A complete list no longer names it. */
  | "unlisted";

/** A page to fetch. */
export interface FetchItem {
  readonly kind: "fetch";
  /** The record published by the site. */
  readonly page: Page;
  /** The body that is held, or undefined if none is. */
  readonly held: HeldBody | undefined;
  /**
   * The held page with its validators as received; absent if the record's digest shows that the body differs.
   */
  readonly known?: { readonly page: Page & HeldBody; readonly validators: Validators };
  /** How earlier attempts ended, if there were any. */
  readonly postponed: Pick<Postponement, "trouble" | "attempts"> | undefined;
}

/** A page to delete. */
export interface DeleteItem {
  readonly kind: "delete";
  readonly path: string;
  /** Whether its body was known to be held; if not, a killed crawl may have left one. */
  readonly isHeld: boolean;
}

/** A known change that is not yet carried out. */
export type WorkItem = FetchItem | DeleteItem;

/** Outcome of a work item. */
export type Settlement =
  /** The body is held as `page` says; the work is done unless it is postponed. */
  | {
      readonly kind: "kept";
      readonly page: Page & HeldBody;
      /** The published record, if the server serves something else that is kept anyway. */
      readonly acceptedFor?: Page;
      /** Validators of this response; omitted if none came. */
      readonly validators?: Validators;
      readonly postponed?: Postponement;
    }
  /** Neither the page nor its work exists any more. */
  | { readonly kind: "removed"; readonly path: string; readonly reason: DeletionReason }
  /** The held body stays. */
  | { readonly kind: "postponed"; readonly path: string; readonly postponed: Postponement };
