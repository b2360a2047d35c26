import type { PageCourse } from "../../../lab/hosts/page-course.ts";
import type { Random } from "../../../src/core/random.ts";
import { dayOf, formatWebEvent } from "../../../src/formats/web-events/day-file.ts";
import type { WebEvent } from "../../../src/formats/web-events/web-event.ts";

/** What a liar does; `everything` is all of it in turn. */
export const deceits = [
  "false updates",
  "false deletions",
  "false creations",
  "false promises",
  "a flood",
  "replays",
  "future dates",
  "sites of others",
  "everything",
  "treason",
] as const;
/** One of {@link deceits}. */
export type Deceit = (typeof deceits)[number];

/** A page, as whoever made the site knows it. */
export interface SitePage {
  readonly origin: string;
  readonly course: PageCourse;
  /** Bytes of a version. */
  readonly sizeOf: (version: number) => number;
}

/** A peer that knows all there is to know, and tells something else. */
export class Liar {
  readonly #pages: readonly SitePage[];
  readonly #deceit: Deceit;
  readonly #random: Random;
  readonly #crawler: string;
  /** Until then a traitor tells the truth. */
  readonly #treasonAt: number;

  constructor(
    pages: readonly SitePage[],
    deceit: Deceit,
    { random, crawler, treasonAt }: { readonly random: Random; readonly crawler: string; readonly treasonAt: number },
  ) {
    this.#pages = pages;
    this.#deceit = deceit;
    this.#random = random;
    this.#crawler = crawler;
    this.#treasonAt = treasonAt;
  }

  /** The file of a day, as it is made up now. */
  write(now: number): string {
    const events =
      this.#deceit === "treason" && now / 1000 < this.#treasonAt
        ? this.#pages.map((page) => this.#tell(page, now, 0))
        : this.#pages.flatMap((page) => this.#lie(page, now));
    return events
      .filter(({ polledAt }) => dayOf(polledAt) === dayOf(Math.floor(now / 1000)))
      .map(formatWebEvent)
      .join("");
  }

  /** The version that is served, or one before it. */
  #tell({ origin, course, sizeOf }: SitePage, now: number, versionsBack: number): WebEvent {
    const version = Math.max(0, course.versionAt(now) - versionsBack);
    return {
      url: origin + course.path,
      kind: "updated",
      sizeBytes: sizeOf(version),
      modifiedAt: course.beginOf(version),
      polledAt: Math.floor(now / 1000),
      crawler: this.#crawler,
    };
  }

  #lie(page: SitePage, now: number): readonly WebEvent[] {
    const seconds = Math.floor(now / 1000);
    const truth = this.#tell(page, now, 0);
    const update: WebEvent = { ...truth, modifiedAt: seconds - 1, sizeBytes: 1 };
    const kinds = deceits.filter((deceit) => deceit !== "everything" && deceit !== "treason" && deceit !== "a flood");
    const deceit =
      this.#deceit === "everything" || this.#deceit === "treason"
        ? kinds[Math.floor(this.#random() * kinds.length)]
        : this.#deceit;
    switch (deceit) {
      case "false updates":
        return [update];
      case "false deletions":
        return [{ ...update, kind: "deleted", sizeBytes: 0 }];
      case "false creations":
        return [{ ...update, kind: "created", url: `${page.origin}/none-${Math.floor(this.#random() * 1e9)}` }];
      case "false promises":
        return [{ ...this.#tell(page, now, 1), lifetimeSeconds: 7 * 86_400 }];
      case "a flood":
        return Array.from({ length: 30 }, (_, at) => ({
          ...update,
          kind: "created" as const,
          url: `${page.origin}/flood-${at}-${Math.floor(this.#random() * 1e9)}`,
        }));
      case "replays":
        return [{ ...this.#tell(page, now, 2), modifiedAt: seconds - 60 }];
      case "future dates":
        return [
          { ...update, polledAt: seconds + 250, modifiedAt: seconds + 250 },
          { ...update, polledAt: seconds + 7200, modifiedAt: seconds + 7200 },
        ];
      default:
        return ["http://10.0.0.1", "http://169.254.169.254", "http://other.example"].map((origin) => ({
          ...update,
          url: `${origin}/`,
        }));
    }
  }
}
