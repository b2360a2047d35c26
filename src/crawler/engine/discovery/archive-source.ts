import {
  confirmValidators,
  type EpochSeconds,
  type Intake,
  ok,
  type PageFilter,
  problem,
  type Result,
  type SitePosition,
  type Validators,
} from "../../../core/index.ts";
import type { ArchiveIndex } from "../../../formats/archive/index.ts";
import type { Robots } from "../../../formats/robots/index.ts";
import { throwIfAborted } from "../visit/reading-visit.ts";
import { readSharedTags, withoutShared } from "../visit/shared-tags.ts";
import { type ArchiveTrouble, readArchives } from "./archive-reading.ts";
import type { SourceVisit } from "./crawl-visit.ts";
import { type IndexLocation, locateIndex, type ReadIndex, readIndex, readKeptIndex } from "./index-reading.ts";
import { fillIntake, sortChanges } from "./intake.ts";
import type { Wanted } from "./reading-plan.ts";
import { carryOutReading, type Reading } from "./readings.ts";
import { type ChangeSource, failLook, type SourceLook } from "./source.ts";

interface Selection {
  readonly wanted: Wanted;
  /** The position to continue from; undefined if there is none that fits. */
  readonly position: SitePosition | undefined;
}

/** Where following the archives led. */
interface Followed {
  readonly position: SitePosition | undefined;
  readonly publications?: readonly EpochSeconds[];
}

/** Each publication begins an interval of tier 0, of which the newest sixteen stay listed. */
const publicationsTold = 17;

function newestPublications({ publication, base, archives }: ArchiveIndex): EpochSeconds[] {
  const times = new Set([publication, base.name.to]);
  for (const { name } of archives) {
    // 0 is the beginning of time, not a publication.
    if (name.from > 0) times.add(name.from);
    times.add(name.to);
  }
  return [...times].sort((a, b) => a - b).slice(-publicationsTold);
}

// With another filter or an earlier date than before, what was skipped then is wanted now.
function select(
  filter: PageFilter,
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
    // A site that published changes before has not stopped because one visit found them broken.
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
    // The cursor does not cover what another source has written since.
    const isVoid = writer !== this.name;
    const { wanted, position } = select(visit.filter, this.#since, remembered, isVoid);
    const isSameIndex = position?.indexPath === location.path;
    const validators = isSameIndex ? withoutShared(position.indexValidators, readSharedTags(ports.memory)) : {};
    const { progress } = visit;
    // The index was read, its changes are work, and the site allows only a request or two per visit.
    if (progress.isIndexRead && !isVoid && position !== undefined && ports.urls.counts().pending > 0)
      return ok({ position });
    const kept = readKeptIndex(visit, location.path, progress.indexAgeMs);
    const found = kept ?? (await readIndex(visit, location.path, { validators }));
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
        // Some servers give the same response to every request.
        return problem(
          found.isTrouble || location.announced || remembered !== undefined ? "site-unavailable" : "no-archives",
          `The index cannot be used: ${found.message}.`,
        );
      case "index": {
        const taken = await this.#takeIn(visit, location, found, wanted);
        if (taken.ok || !visit.tally.isPostponed) ports.reading?.clear();
        if (!taken.ok) return taken;
        progress.noteIndex();
        // More may have been published since.
        if (kept !== undefined && !progress.isAfterDelay) return await this.#follow(visit);
        return ok({ position: taken.value, publications: newestPublications(found.index) });
      }
    }
  }

  /** Carries out a reading: its changes become work, in one transaction with the position that they lead to. */
  #takeIn(
    visit: SourceVisit,
    location: IndexLocation,
    found: ReadIndex,
    wanted: Wanted,
  ): Promise<Result<SitePosition | undefined>> {
    const { memory, urls } = visit.ports;
    // Without a cursor each held page is to be confirmed or withdrawn: that takes a whole base.
    const how = { wanted, wholeBase: urls.counts().held > 0 };
    return carryOutReading(visit, location, found, how, (reading) =>
      fillIntake(memory, async (intake) => {
        const trouble = await takeArchives(visit, reading, wanted, intake);
        if (trouble !== undefined) return { ok: false, error: trouble };
        const position: SitePosition = {
          cursor: reading.cursor,
          typesKey: wanted.filter.key,
          since: wanted.since,
          indexPath: location.path,
          indexValidators: reading.validators,
        };
        intake.commit(position);
        return ok(position);
      }),
    );
  }

  /** The position with the validators of a 304; saved if they are new. */
  #confirm({ ports }: SourceVisit, position: SitePosition, told: Validators): SitePosition {
    const indexValidators = confirmValidators(position.indexValidators, told);
    if (indexValidators === position.indexValidators) return position;
    const confirmed = { ...position, indexValidators };
    ports.memory.beginIntake().commit(confirmed);
    return confirmed;
  }
}

async function takeArchives(
  visit: SourceVisit,
  reading: Reading,
  { filter, since }: Wanted,
  intake: Intake,
): Promise<ArchiveTrouble | undefined> {
  for await (const archive of readArchives(visit, reading.folder, reading.archives)) {
    throwIfAborted(visit);
    if (!archive.ok) return archive.error;
    const { changes, archive: source } = archive.value;
    // In the chain a change is recent, whatever its page's last-modified says.
    const { wanted, old, withdrawn } = sortChanges(
      changes,
      filter,
      source.inBase ? since : undefined,
      visit.filter.admits,
    );
    if (withdrawn.length > 0) intake.withdraw(withdrawn);
    if (old.length > 0) intake.list(old, true);
    if (wanted.length > 0) intake.list(wanted, false);
  }
  if (reading.source === "base") intake.withdrawUnlisted(filter.matches);
  return undefined;
}
