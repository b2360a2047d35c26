import type { Robots } from "../format/index.ts";
import type { EpochSeconds, PassedOver, Problem, SourceName } from "../model/index.ts";
import type { ChangeSource, FoundSource, SourceVisit } from "./source.ts";
import { linkedTypes } from "./target-scope.ts";

/** Sources that a site has or has not; the others are always there. */
const soughtSources: ReadonlySet<SourceName> = new Set<SourceName>(["archives", "resourcesync", "sitemap"]);
/** One that was used before may be away for a day: only after so many visits in a row it is believed to be absent. */
const patienceVisits = 3;
const maxWhyCharacters = 300;

interface Absence {
  readonly at: EpochSeconds;
  /** Visits in a row. */
  readonly times: number;
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
    // Whoever changed robots.txt may have changed more.
    this.#state = known?.robots === robots ? known : { ...known, robots, absent: {} };
  }

  /** Why a source need not be looked for, as found in an earlier visit; undefined if it must be. */
  recall(source: ChangeSource, robots: Robots): PassedOver | undefined {
    const absence = this.#state.absent[source.name];
    if (absence === undefined || source.isAnnounced?.(robots) === true) return undefined;
    const { at, times, code, why } = absence;
    // A clock that was set back must not make it absent for ever.
    const isRecent = this.#now >= at && this.#now - at < this.#lookAgainSeconds;
    if (!isRecent || times < (this.#isKnown(source.name) ? patienceVisits : 1)) return undefined;
    return { source: source.name, code, why: `${why} (asked ${new Date(at * 1000).toISOString().slice(0, 10)})` };
  }

  /** Notes that a source was looked for and is not there. */
  noteAbsent(source: SourceName, { code, message }: Problem): void {
    if (!soughtSources.has(source) || code === "disallowed") return;
    const times = (this.#state.absent[source]?.times ?? 0) + 1;
    const absence = { at: this.#now, times, code, why: message.slice(0, maxWhyCharacters) };
    this.#state = { ...this.#state, absent: { ...this.#state.absent, [source]: absence } };
  }

  /**
   * Notes which source the site is followed by from now on. What an earlier source left is made fit for it: validators
   * are only kept of bodies that were asked for with them, and of pages whose links are all known.
   *
   * @param links - which links are wanted, as a key
   */
  noteFound(found: FoundSource, links: string): void {
    const { memory, targets } = this.#visit.ports;
    const { followed } = this.#state;
    const isFollowing = found.look.kind === "targets" && found.look.plan.followsLinks;
    const key = isFollowing ? links : "";
    if (found.look.kind === "targets" && followed?.kind === "work") targets.forgetValidators();
    else if (isFollowing && followed?.links !== key) targets.forgetValidators(linkedTypes);
    const { [found.name]: _, ...absent } = this.#state.absent;
    this.#state = { ...this.#state, absent, followed: { kind: found.look.kind, links: key } };
    memory.rememberSource("visit", this.#state);
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
