import type { LeasedSite } from "../../crawler/index.ts";
import type { HandedUrl } from "../leases/site-leases.ts";

type LinkLine = Parameters<LeasedSite["takeLinks"]>;

/** What a visit found up to an instant. */
export interface CollectedFindings {
  readonly found: readonly HandedUrl[];
  readonly links: readonly LinkLine[];
  /** Marks it as stored elsewhere. */
  readonly settle: () => void;
}

/** What a visit found and that is not stored elsewhere yet: URLs of other sites, and links. */
export class VisitFindings implements Pick<LeasedSite, "takeFound" | "takeLinks"> {
  readonly #found: HandedUrl[] = [];
  readonly #links: LinkLine[] = [];

  readonly takeFound: LeasedSite["takeFound"] = (url) => void this.#found.push(url);

  readonly takeLinks: LeasedSite["takeLinks"] = (...line) => void this.#links.push(line);

  /** What is there now. What comes later, before it is settled, stays. */
  collect(): CollectedFindings {
    const found = [...this.#found];
    const links = [...this.#links];
    const settle = (): void => {
      this.#found.splice(0, found.length);
      this.#links.splice(0, links.length);
    };
    return { found, links, settle };
  }
}
