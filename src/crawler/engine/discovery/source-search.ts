import type { EpochSeconds, PassedOver, Problem, SourceName } from "../../../core/index.ts";
import type { Robots } from "../../../formats/robots/index.ts";
import { warn } from "../visit/reading-visit.ts";
import type { SourceVisit } from "../visit/source-visit.ts";
import type { ChangeSource, FoundSource } from "./source.ts";
import { linkedTypes } from "./target-scope.ts";

/** What looking for a source came to. */
interface SourceSearch {
  readonly found: FoundSource | undefined;
  readonly passedOver: readonly PassedOver[];
  /** Whether the site lacks what it was followed by and is left alone for now, its pages too. */
  readonly isLeftAlone: boolean;
}

/**
 * Asks sources in their order until one works. A site that is in trouble, or that lacks the source it was followed by, is
 * left alone for some visits and days before a worse source is used. What was absent a short while ago is not asked for,
 * unless nothing else is left.
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
    const look = await source.look(visit);
    const outcome = look.ok ? look.value : ({ kind: "trouble", problem: look.error } as const);
    if (outcome.kind !== "trouble")
      return { found: { name: source.name, look: outcome }, passedOver, isLeftAlone: false };
    const { code, message } = outcome.problem;
    passedOver.push({ source: source.name, code, why: message });
    memory.noteMissing(source.name, outcome.problem);
    const grace = memory.graceOf(source.name);
    // A site in trouble is not asked for all of its pages instead.
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

/** Sources that a site has or has not; the others are always there. */
const soughtSources: ReadonlySet<SourceName> = new Set<SourceName>(["archives", "resourcesync", "sitemap"]);
/** A site that lacks the source it was followed by is left alone for so many visits and so long: deployments remove files. */
const graceVisits = 3;
const graceSeconds = 2 * 86_400;
const maxWhyCharacters = 300;

interface Absence {
  readonly at: EpochSeconds;
  /** Visits in a row. */
  readonly times: number;
  /** When the first of them was; earlier versions did not note it. */
  readonly since?: EpochSeconds;
  readonly code: string;
  readonly why: string;
}

/** What is remembered of a site whatever its source is. */
interface VisitState {
  /** Digest of the robots.txt under which sources were looked for. */
  readonly robots: string;
  readonly absent: Readonly<Partial<Record<SourceName, Absence>>>;
  /** What the last visit that found a source found. */
  readonly followed?: { readonly kind: FoundSource["look"]["kind"]; readonly links: string };
}

/** Remembers which sources a site has not, and how it was followed. */
export class SourceMemory {
  readonly #visit: SourceVisit;
  readonly #lookAgainSeconds: number;
  readonly #now: EpochSeconds;
  #state: VisitState;

  /** @param lookAgainSeconds - what was absent is looked for again after so long */
  constructor(visit: SourceVisit, lookAgainSeconds: number) {
    this.#visit = visit;
    this.#lookAgainSeconds = lookAgainSeconds;
    this.#now = Math.floor(visit.ports.timing.now() / 1000);
    const robots = visit.ports.codec.digestOf(visit.ports.memory.read().robots?.body ?? new Uint8Array(0));
    const known = visit.ports.memory.readSource("visit") as VisitState | undefined;
    this.#state = known?.robots === robots ? known : { ...known, robots, absent: this.#absentAnyway(known) };
  }

  // Whoever changed robots.txt may have changed more; but how long a source is missing that was there is still known.
  #absentAnyway(known: VisitState | undefined): VisitState["absent"] {
    const entries = Object.entries(known?.absent ?? {}) as [SourceName, Absence][];
    return Object.fromEntries(entries.filter(([name]) => this.#isKnown(name)));
  }

  /**
   * Why a source need not be looked for, as found in an earlier visit; undefined if it must be. One that the site had is
   * looked for in each visit.
   */
  recall(source: ChangeSource, robots: Robots): PassedOver | undefined {
    const absence = this.#state.absent[source.name];
    if (absence === undefined || !isAbsence(absence.code) || this.#isKnown(source.name)) return undefined;
    if (source.isAnnounced?.(robots) === true) return undefined;
    const { at, code, why } = absence;
    // A clock that was set back must not make it absent for ever.
    const isRecent = this.#now >= at && this.#now - at < this.#lookAgainSeconds;
    if (!isRecent) return undefined;
    return { source: source.name, code, why: `${why} (asked ${new Date(at * 1000).toISOString().slice(0, 10)})` };
  }

  /** Notes that a source was looked for and could not be used. */
  noteMissing(source: SourceName, { code, message }: Problem): void {
    if (!soughtSources.has(source)) return;
    const earlier = this.#state.absent[source];
    // A clock that was set back must not make its grace longer.
    const since = Math.min(earlier?.since ?? this.#now, this.#now);
    const times = earlier?.since === undefined ? 1 : earlier.times + 1;
    const absence = { at: this.#now, since, times, code, why: message.slice(0, maxWhyCharacters) };
    this.#state = { ...this.#state, absent: { ...this.#state.absent, [source]: absence } };
    this.save();
  }

  /** Whether the pages that are held are followed by a source; of states that do not say, whether they were. */
  isFollowedBy(source: SourceName): boolean {
    const { writer } = this.#visit.ports.memory.read();
    return soughtSources.has(source) && (writer === undefined ? this.#isKnown(source) : writer === source);
  }

  /**
   * The end of the time for which a site is left alone that lacks a source, in words; undefined once it is over, or if
   * the source is not missing.
   */
  graceOf(source: SourceName): string | undefined {
    const { since, times } = this.#state.absent[source] ?? {};
    if (since === undefined || times === undefined) return undefined;
    const until = since + graceSeconds;
    if (times > graceVisits && this.#now >= until) return undefined;
    return `${new Date(until * 1000).toISOString()} and ${graceVisits} visits; this is visit ${times}`;
  }

  /**
   * Notes which source the site is followed by from now on. If another brought what is held, all of that is to be asked
   * for, and what the other remembers is void; a source whose changes are work has seen to that with the work.
   *
   * @param links - which links are wanted, as a key
   */
  noteFound(found: FoundSource, links: string): void {
    const { memory, targets } = this.#visit.ports;
    const { followed } = this.#state;
    const isPolled = found.look.kind === "targets";
    const isFollowing = found.look.kind === "targets" && found.look.plan.followsLinks;
    const key = isFollowing ? links : "";
    const isOther = isPolled && memory.read().writer !== found.name;
    // What a kill leaves undone is done again: the writer comes last.
    if (isOther) targets.unconfirmHeld();
    if (isFollowing && (isOther || followed?.links !== key)) targets.rereadLinks(linkedTypes);
    const { [found.name]: _, ...absent } = this.#state.absent;
    this.#state = { ...this.#state, absent, followed: { kind: found.look.kind, links: key } };
    this.save();
    if (isOther) memory.rememberWriter(found.name);
  }

  /** Keeps what was noted. */
  save(): void {
    this.#visit.ports.memory.rememberSource("visit", this.#state);
  }

  #isKnown(source: SourceName): boolean {
    const { memory } = this.#visit.ports;
    return source === "archives" ? memory.read().position !== undefined : memory.readSource(source) !== undefined;
  }
}

/** Whether a problem says that a site has not what was looked for: not that it is in trouble, or does not want to be asked. */
function isAbsence(code: string): boolean {
  return code !== "site-unavailable" && code !== "disallowed";
}
