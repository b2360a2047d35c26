import { type Cursor, ok, problem, type Result, type Validators } from "../../../core/index.ts";
import type { ArchiveIndex } from "../../../formats/archive/index.ts";
import { isCancelled, type ReadingVisit, warn } from "../visit/reading-visit.ts";
import { type ArchiveToRead, type ArchiveTrouble, readBaseList } from "./archive-reading.ts";
import { intervalKey } from "./chain.ts";
import type { IndexLocation } from "./index-location.ts";
import { checkIndexSite, readIndex } from "./index-reading.ts";
import { chooseBaseArchives, planReading, type ReadingPlan, type Wanted } from "./reading-plan.ts";

// The plan itself, one that goes around what was broken, and the base.
const maxAttempts = 3;

/** Archives that lead from what is known to what an index says. */
export interface Reading {
  readonly source: "chain" | "base";
  readonly folder: string;
  readonly archives: readonly ArchiveToRead[];
  /** Intervals of the chain; the base is none. */
  readonly intervals: number;
  /** Where the reading leads to. */
  readonly cursor: Cursor;
  readonly validators: Validators;
}

/** What is known of the index when the readings begin. */
export interface IndexFound {
  readonly location: IndexLocation;
  readonly index: ArchiveIndex;
  readonly validators: Validators;
}

/** Proposes readings until one can be carried out: each goes around what was wrong with those before. */
export class Readings {
  readonly #visit: ReadingVisit;
  readonly #location: IndexLocation;
  readonly #wanted: Wanted;
  readonly #broken = new Set<string>();
  #index: ArchiveIndex;
  #validators: Validators;
  #attempts = 0;

  /** @param wholeBase - whether, without a cursor, the base is read whole although only pages since some time are wanted */
  constructor(visit: ReadingVisit, found: IndexFound, wanted: Wanted, wholeBase: boolean) {
    this.#visit = visit;
    this.#location = found.location;
    this.#index = found.index;
    this.#validators = found.validators;
    this.#wanted = wholeBase ? { ...wanted, since: undefined } : wanted;
  }

  /**
   * The next reading to try.
   *
   * @param trouble - what was wrong with the one before, if there was one
   * @returns undefined if there is nothing to read, because the index is older than the cursor
   */
  async next(trouble?: ArchiveTrouble): Promise<Result<Reading | undefined>> {
    let found = trouble;
    for (;;) {
      if (found !== undefined) {
        const again = await this.#goAround(found);
        if (!again.ok) return again;
      }
      if (this.#attempts === 0) checkIndexSite(this.#visit, this.#index);
      this.#attempts++;
      const plan = planReading(this.#index, this.#wanted, {
        intervals: this.#broken,
        chain: this.#attempts >= maxAttempts,
      });
      if (plan.kind === "stale") return this.#passOver();
      if (plan.kind === "none")
        return problem("site-unavailable", "no chain of archives leads to the index's publication");
      const reading = await this.#open(plan);
      if (reading.ok) return reading;
      found = reading.error;
    }
  }

  async #goAround(trouble: ArchiveTrouble): Promise<Result<undefined>> {
    // What was not asked for is not broken.
    if (this.#visit.tally.isPostponed)
      return problem("site-unavailable", `the rest waits for another visit: ${trouble.message}`);
    warn(this.#visit, "bad-archive", `An archive cannot be used: ${trouble.message}.`);
    if (this.#attempts >= maxAttempts || isCancelled(this.#visit))
      return problem("site-unavailable", `an archive cannot be used: ${trouble.message}`);
    this.#broken.add(intervalKey(trouble.entry.name));
    const reading = await readIndex(this.#visit, { path: this.#location.path, fresh: true });
    if (reading.kind !== "index") {
      const why = reading.kind === "unusable" ? reading.message : "it is not there any more";
      return problem("site-unavailable", `the index cannot be read again: ${why}`);
    }
    this.#index = reading.index;
    this.#validators = reading.validators;
    return ok(undefined);
  }

  #passOver(): Result<undefined> {
    const message = "The index is older than what was read before, probably an old copy from a cache; it is ignored.";
    warn(this.#visit, "stale-index", message);
    return ok(undefined);
  }

  async #open(plan: ReadingPlan & { kind: "chain" | "base" }): Promise<Result<Reading, ArchiveTrouble>> {
    const { folder } = this.#location;
    const archives: ArchiveToRead[] = [];
    if (plan.kind === "base") {
      const list = await readBaseList(this.#visit, folder, this.#index.base);
      if (!list.ok) return list;
      for (const entry of chooseBaseArchives(list.value.archives, this.#wanted)) archives.push({ entry, inBase: true });
    }
    for (const entry of plan.chain.flat()) archives.push({ entry, inBase: false });
    this.#visit.report({
      event: "plan",
      site: this.#visit.origin,
      source: plan.kind,
      archives: archives.length,
      metadataBytes: archives.reduce((sum, { entry }) => sum + entry.sizeBytes, 0),
      changes: archives.reduce((sum, { entry }) => sum + entry.changes, 0),
    });
    return ok({
      source: plan.kind,
      folder,
      archives,
      intervals: plan.chain.length,
      cursor: { epoch: this.#index.epoch, publication: this.#index.publication },
      validators: this.#validators,
    });
  }
}
