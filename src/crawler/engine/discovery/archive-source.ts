import {
  confirmValidators,
  type EpochSeconds,
  type MediaTypeFilter,
  ok,
  problem,
  type Result,
  type SitePosition,
  type Validators,
} from "../../../core/index.ts";
import type { ArchiveIndex } from "../../../formats/archive/index.ts";
import type { Robots } from "../../../formats/robots/index.ts";
import { throwIfAborted } from "../visit/reading-visit.ts";
import { readSharedTags, withoutShared } from "../visit/shared-tags.ts";
import type { SourceVisit } from "../visit/source-visit.ts";
import { locateIndex } from "./index-location.ts";
import { readIndex, readKeptIndex } from "./index-reading.ts";
import { takeIn } from "./intake.ts";
import type { Wanted } from "./reading-plan.ts";
import { Readings } from "./readings.ts";
import { type ChangeSource, failLook, type SourceLook } from "./source.ts";

interface Selection {
  readonly wanted: Wanted;
  /** The position that is gone on from; undefined if there is none that fits. */
  readonly position: SitePosition | undefined;
}

/** What following the archives came to. */
interface Followed {
  readonly position: SitePosition | undefined;
  readonly publications?: readonly EpochSeconds[];
}

/** Each publication begins an interval of tier 0, and the newest sixteen of those stay listed. */
const publicationsTold = 17;

function newestPublications({ publication, base, archives }: ArchiveIndex): EpochSeconds[] {
  const times = new Set([publication, base.name.to]);
  for (const { name } of archives) {
    // From the beginning of time nothing was published.
    if (name.from > 0) times.add(name.from);
    times.add(name.to);
  }
  return [...times].sort((a, b) => a - b).slice(-publicationsTold);
}

// Other media types, or an earlier date than before: what was passed over then is wanted now.
function select(
  filter: MediaTypeFilter,
  since: EpochSeconds | undefined,
  remembered: SitePosition | undefined,
  isVoid: boolean,
): Selection {
  const covers = since === undefined || remembered?.since === undefined || remembered.since <= since;
  const position = !isVoid && remembered?.typesKey === filter.key && covers ? remembered : undefined;
  return {
    wanted: {
      filter,
      cursor: position?.cursor,
      since: position === undefined ? (since ?? remembered?.since) : position.since,
    },
    position,
  };
}

/** The site's own change archives. */
export class ArchiveSource implements ChangeSource {
  readonly name = "archives";
  readonly #since: EpochSeconds | undefined;

  /** @param since - on the first visit, pages last modified before this are not asked for */
  constructor(since: EpochSeconds | undefined) {
    this.#since = since;
  }

  async look(visit: SourceVisit): Promise<Result<SourceLook>> {
    const followed = await this.#follow(visit);
    if (followed.ok) return ok({ kind: "work", ...followed.value });
    // Who published changes before has not stopped to because one visit found them broken.
    const isKnown = visit.ports.memory.read().position !== undefined;
    const isAnnounced = visit.robots.archiveIndexes.length > 0;
    if (isKnown && isAnnounced) return ok({ kind: "trouble", problem: followed.error });
    return failLook(followed.error, isKnown || isAnnounced);
  }

  isAnnounced({ archiveIndexes }: Robots): boolean {
    return archiveIndexes.length > 0;
  }

  async #follow(visit: SourceVisit): Promise<Result<Followed>> {
    const { ports, robots } = visit;
    const location = locateIndex(visit, robots);
    if (location === undefined)
      return problem(
        "no-archives",
        "The site names no archives, and robots.txt disallows the place where they usually are.",
      );
    const { position: remembered, writer } = ports.memory.read();
    // What another source wrote since is not in what the cursor stands for.
    const isVoid = writer !== this.name;
    const { wanted, position } = select(visit.filter, this.#since, remembered, isVoid);
    const isSameIndex = position?.indexPath === location.path;
    const validators = isSameIndex ? withoutShared(position.indexValidators, readSharedTags(ports.memory)) : {};
    const { progress } = visit;
    // What was read is work now, and the site grants no more than a request or two a visit.
    if (progress.isIndexRead && !isVoid && position !== undefined && ports.work.counts().pending > 0)
      return ok({ position });
    const kept = readKeptIndex(visit, location.path, progress.indexAgeMs);
    const found = kept ?? (await readIndex(visit, { path: location.path, validators }));
    throwIfAborted(visit);
    ports.rateLimiter?.describe(visit.origin, { hasArchives: found.kind === "index" || found.kind === "not-modified" });
    switch (found.kind) {
      case "not-modified":
        visit.report({
          event: "plan",
          site: visit.origin,
          source: "unchanged",
          archives: 0,
          metadataBytes: 0,
          changes: 0,
        });
        progress.noteIndex();
        return ok({ position: position && this.#confirm(visit, position, found.validators) });
      case "absent":
        return problem(
          "no-archives",
          location.announced
            ? `robots.txt names an index, but there is none at ${location.path}.`
            : `The site publishes no archives: robots.txt names none, and there is none at ${location.path}.`,
        );
      case "unusable":
        // What a server gives for whatever it is asked for is no index.
        return problem(
          found.isTrouble || location.announced || remembered !== undefined ? "site-unavailable" : "no-archives",
          `The index cannot be used: ${found.message}.`,
        );
      case "index": {
        // Without a cursor, what is held is to be confirmed or withdrawn: only a whole base says of all of it what it is.
        const wholeBase = ports.work.counts().held > 0;
        const readings = new Readings(
          visit,
          { location, index: found.index, validators: found.validators },
          wanted,
          wholeBase,
        );
        const taken = await takeIn(visit, readings, { memory: ports.memory, wanted, indexPath: location.path });
        if (taken.ok || !visit.tally.isPostponed) ports.reading?.clear();
        if (!taken.ok) return taken;
        progress.noteIndex();
        // Since then more may have been published.
        if (kept !== undefined && !progress.isAfterDelay) return await this.#follow(visit);
        return ok({ position: taken.value, publications: newestPublications(found.index) });
      }
    }
  }

  /** The position with what a 304 said of the index; kept if that is new. */
  #confirm({ ports }: SourceVisit, position: SitePosition, told: Validators): SitePosition {
    const indexValidators = confirmValidators(position.indexValidators, told);
    if (indexValidators === position.indexValidators) return position;
    const confirmed = { ...position, indexValidators };
    ports.memory.beginIntake().commit(confirmed);
    return confirmed;
  }
}
