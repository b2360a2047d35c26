import type { EpochSeconds, PageFilter, PassedOver, Problem, SourceName } from "../../../core/index.ts";
import type { Robots } from "../../../formats/robots/index.ts";
import { throwIfAborted, warn } from "../visit/reading-visit.ts";
import type { SourceVisit } from "./crawl-visit.ts";
import type { ChangeSource, FoundSource } from "./source.ts";
import { linkedTypes } from "./url-scope.ts";

/** Result of the search for a source. */
interface SourceSearch {
  readonly found: FoundSource | undefined;
  readonly passedOver: readonly PassedOver[];
  /** Whether the source that the site was followed by is missing, and the site is not visited for now. */
  readonly isLeftAlone: boolean;
}

/**
 * Tries sources in their order until one works. If the site is in trouble, or the source it was followed by is missing, some
 * visits and days pass before a worse source is used. A source that was absent recently is not requested, unless it is the
 * last one. Nothing is concluded from a source that the site's delay did not let the visit ask for.
 */
export async function findSource(
  visit: SourceVisit,
  sources: readonly ChangeSource[],
  memory: SourceMemory,
): Promise<SourceSearch> {
  const passedOver: PassedOver[] = [];
  let isLeftAlone = false;
  for (const source of sources) {
    const absence = source === sources.at(-1) ? undefined : memory.recall(source, visit.robots);
    if (absence !== undefined) {
      passedOver.push(absence);
      continue;
    }
    const { unasked } = visit.tally;
    const look = await source.look(visit);
    // What was not asked for is not missing.
    throwIfAborted(visit);
    const outcome = look.ok ? look.value : ({ kind: "trouble", problem: look.error } as const);
    if (outcome.kind !== "trouble")
      return { found: { name: source.name, look: outcome }, passedOver, isLeftAlone: false };
    const { code, message } = outcome.problem;
    passedOver.push({ source: source.name, code, why: message });
    if (visit.tally.unasked > unasked) break;
    memory.noteMissing(source.name, outcome.problem);
    const grace = memory.graceOf(source.name);
    // A site in trouble must not be asked for all of its pages instead.
    if (look.ok && grace !== undefined) break;
    isLeftAlone = !look.ok && grace !== undefined && source !== sources.at(-1) && memory.isFollowedBy(source.name);
    if (!isLeftAlone) continue;
    warn(
      visit,
      "source-missing",
      `The site was followed by ${source.name}, which is missing today. The site is not visited and no worse source is used until ${grace}.`,
    );
    break;
  }
  memory.save();
  return { found: undefined, passedOver, isLeftAlone };
}

/** Sources that a site may lack; the others always work. */
const soughtSources: ReadonlySet<SourceName> = new Set<SourceName>(["archives", "resourcesync", "sitemap"]);
/** How long a missing source is waited for: deployments remove files for a while. */
const graceVisits = 3;
const graceSeconds = 2 * 86_400;
const maxWhyCharacters = 300;

interface Absence {
  readonly at: EpochSeconds;
  /** Visits in a row. */
  readonly times: number;
  /** When the first of them was; earlier versions did not save it. */
  readonly since?: EpochSeconds;
  readonly code: string;
  readonly why: string;
}

/** What is remembered of a site, whatever its source is. */
interface VisitState {
  /** Digest of the robots.txt at that time. */
  readonly robots: string;
  readonly absent: Readonly<Partial<Record<SourceName, Absence>>>;
  /** The source that was found last; before any was looked for, that pages were requested one by one. */
  readonly followed?: {
    readonly kind: FoundSource["look"]["kind"] | "turns";
    readonly links: string;
    /** Which pages were wanted. */
    readonly filter?: string;
  };
}

/** Stands for the links that are wanted; if it changes, pages are to be read for links again. */
export function linksKeyOf({ key }: PageFilter, maxDepth: number | undefined): string {
  return `${key} ${maxDepth ?? ""}`;
}

/**
 * Notes that pages of a site were requested one by one, and read for links. If that is all that was done, the site itself answered what
 * is held of it: a source that is found later has nothing to confirm.
 *
 * @param links - key of the wanted links; with several of them, all links are read again in the next visit
 */
export function noteTurn({ memory }: Pick<SourceVisit["ports"], "memory">, links: string): void {
  const known = memory.readSource("visit") as VisitState | undefined;
  const { followed } = known ?? {};
  // Nothing stands for several already, and for sources that lead to no links.
  if (followed?.links === links || followed?.links === "") return;
  if (followed === undefined && memory.read().writer !== undefined) return;
  const next = followed === undefined ? ({ kind: "turns", links } as const) : { ...followed, links: "" };
  memory.rememberSource("visit", { robots: "", absent: {}, ...known, followed: next } satisfies VisitState);
}

/** Remembers which sources a site lacks, and how it was followed. */
export class SourceMemory {
  readonly #visit: SourceVisit;
  readonly #lookAgainSeconds: number;
  readonly #now: EpochSeconds;
  #state: VisitState;

  /** @param lookAgainSeconds - after which an absent source is looked for again */
  constructor(visit: SourceVisit, lookAgainSeconds: number) {
    this.#visit = visit;
    // A site that grants a request a visit is asked for pages first.
    this.#lookAgainSeconds = Math.max(lookAgainSeconds, visit.progress.indexAgeMs / 1000);
    this.#now = Math.floor(visit.ports.timing.now() / 1000);
    const robots = visit.ports.codec.digestOf(visit.ports.memory.read().robots?.body ?? new Uint8Array(0));
    const known = visit.ports.memory.readSource("visit") as VisitState | undefined;
    this.#state = known?.robots === robots ? known : { ...known, robots, absent: this.#absentAnyway(known) };
  }

  // If robots.txt changed, more may have changed; but for how long a known source is missing is kept.
  #absentAnyway(known: VisitState | undefined): VisitState["absent"] {
    const entries = Object.entries(known?.absent ?? {}) as [SourceName, Absence][];
    return Object.fromEntries(entries.filter(([name]) => this.#isKnown(name)));
  }

  /**
   * Why a source need not be looked for, as found in an earlier visit; undefined if it must be. A source that the site had is
   * looked for in each visit.
   */
  recall(source: ChangeSource, robots: Robots): PassedOver | undefined {
    const absence = this.#state.absent[source.name];
    if (absence === undefined || !isAbsence(absence.code) || this.#isKnown(source.name)) return undefined;
    if (source.isAnnounced?.(robots) === true) return undefined;
    const { at, code, why } = absence;
    // The system clock may have been set back.
    const isRecent = this.#now >= at && this.#now - at < this.#lookAgainSeconds;
    if (!isRecent) return undefined;
    return { source: source.name, code, why: `${why} (asked ${new Date(at * 1000).toISOString().slice(0, 10)})` };
  }

  /** Notes that a source was looked for and could not be used. */
  noteMissing(source: SourceName, { code, message }: Problem): void {
    if (!soughtSources.has(source)) return;
    const earlier = this.#state.absent[source];
    // The system clock may have been set back.
    const since = Math.min(earlier?.since ?? this.#now, this.#now);
    const times = earlier?.since === undefined ? 1 : earlier.times + 1;
    const absence = { at: this.#now, since, times, code, why: message.slice(0, maxWhyCharacters) };
    this.#state = { ...this.#state, absent: { ...this.#state.absent, [source]: absence } };
    this.save();
  }

  /** Whether a source is the one that the held pages follow; for older states, whether it is known. */
  isFollowedBy(source: SourceName): boolean {
    const { writer } = this.#visit.ports.memory.read();
    return soughtSources.has(source) && (writer === undefined ? this.#isKnown(source) : writer === source);
  }

  /**
   * Until when a missing source is waited for, in words; undefined once that is over, or if it is not missing.
   */
  graceOf(source: SourceName): string | undefined {
    const { since, times } = this.#state.absent[source] ?? {};
    if (since === undefined || times === undefined) return undefined;
    const until = since + graceSeconds;
    if (times > graceVisits && this.#now >= until) return undefined;
    return `${new Date(until * 1000).toISOString()} and ${graceVisits} visits; this is visit ${times}`;
  }

  /**
   * Notes the source that the site follows from now on. If the held pages came from another one, all of them are to be
   * requested, and the state of the other is void; a source whose changes are work has done so with the work. Pages of turns
   * come from no source.
   *
   * @param links - key of the wanted links
   */
  noteFound(found: FoundSource, links: string): void {
    const { memory, urls } = this.#visit.ports;
    const filter = this.#visit.filter.key;
    const { followed } = this.#state;
    const isPolled = found.look.kind === "polls";
    const isFollowing = found.look.kind === "polls" && found.look.plan.followsLinks;
    const key = isFollowing ? links : "";
    const { writer } = memory.read();
    const isNew = isPolled && writer !== found.name;
    const isOther = isNew && (writer !== undefined || followed?.kind !== "turns");
    // The writer is saved last, so that after a kill all of this is repeated.
    if (isOther) urls.unconfirmHeld();
    if (isFollowing && (isOther || followed?.links !== key)) urls.rereadLinks(linkedTypes);
    // What a list named, was requested and was not kept may be wanted now.
    else if (isPolled && followed?.filter !== filter) urls.rereadLinks([]);
    const { [found.name]: _, ...absent } = this.#state.absent;
    this.#state = { ...this.#state, absent, followed: { kind: found.look.kind, links: key, filter } };
    this.save();
    if (isNew) memory.rememberWriter(found.name);
  }

  save(): void {
    this.#visit.ports.memory.rememberSource("visit", this.#state);
  }

  #isKnown(source: SourceName): boolean {
    const { memory } = this.#visit.ports;
    return source === "archives" ? memory.read().position !== undefined : memory.readSource(source) !== undefined;
  }
}

/** Whether a problem means that a source is absent, rather than in trouble or disallowed. */
function isAbsence(code: string): boolean {
  return code !== "site-unavailable" && code !== "disallowed";
}
