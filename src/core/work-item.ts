import type { Validators } from "./fetch-outcome.ts";
import type { Page } from "./page.ts";

/** Why a page could not be brought to what its record says. */
export type PageTrouble = "differs" | "gone" | "refused" | "unavailable" | "disallowed" | "mirror" | "moved";

/** Work that was not finished in a visit. */
export interface Postponement {
  readonly trouble: PageTrouble;
  /** Visits in a row that ended with this trouble. */
  readonly attempts: number;
  /** `parked` work waits until its record changes, `disallowed` work until robots.txt does. */
  readonly state: "due" | "parked" | "disallowed";
}

/** What is known of a body that is held. */
export interface HeldBody {
  readonly sizeBytes: number;
  readonly digest: string;
}

/** Why a page is no longer there. */
export type DeletionReason =
  /** The site published its deletion. */
  | "published"
  /** The server answered 410. */
  | "gone"
  /** The server answered 404 on three visits. */
  | "not-found"
  /** On three visits it led to another URL of the site, under which its body is kept. */
  | "moved"
  /** A complete list no longer names it. */
  | "unlisted";

/** A page that is to be fetched. */
export interface FetchItem {
  readonly kind: "fetch";
  /** The record that the site published. */
  readonly page: Page;
  /** The body that is held, or undefined if none is. */
  readonly held: HeldBody | undefined;
  /**
   * The held page, with the validators of its body as they were received, where the record does not say by a digest that
   * the body is another.
   */
  readonly known?: { readonly page: Page & HeldBody; readonly validators: Validators };
  /** How earlier visits ended, if this one is not the first. */
  readonly postponed: Pick<Postponement, "trouble" | "attempts"> | undefined;
}

/** A page that is to be deleted. */
export interface DeleteItem {
  readonly kind: "delete";
  readonly path: string;
  /** Whether its body was known to be held; if not, a crawl that died may have left one. */
  readonly isHeld: boolean;
}

/** A change that is known and not yet carried out. */
export type WorkItem = FetchItem | DeleteItem;

/** What became of a work item. */
export type Settlement =
  /** The body is held as `page` describes it; the work is done unless it is postponed. */
  | {
      readonly kind: "kept";
      readonly page: Page & HeldBody;
      /** The record that the server does not keep to, where what it serves is taken all the same. */
      readonly acceptedFor?: Page;
      /** That came with the body; left out if it did not come now. */
      readonly validators?: Validators;
      readonly postponed?: Postponement;
    }
  /** Neither the page nor its work exists any more. */
  | { readonly kind: "removed"; readonly path: string; readonly reason: DeletionReason }
  /** What is held stays as it is. */
  | { readonly kind: "postponed"; readonly path: string; readonly postponed: Postponement };
