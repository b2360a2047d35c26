import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { TidemarkError } from "../../core/index.ts";
import { makeMissingFolder, renameSynced } from "../../fs/index.ts";
import { acquireLock, type FileLock } from "../sqlite/lock.ts";
import { type QueueFacts, writeCheckpoint } from "./queue-checkpoint.ts";
import type { QueueLanes } from "./queue-lanes.ts";

/**
 * The files of a queue: a checkpoint, the journal of what happened since, blocks of URLs, runs of what was seen. A checkpoint's rename
 * decides; what neither it nor its journal names is left over.
 */
export class QueueFolder {
  readonly path: string;
  readonly #lock: FileLock;
  #generation: number;

  /** @throws TidemarkError `locked` if another process has it */
  constructor(path: string) {
    this.path = path;
    makeMissingFolder(path);
    this.#lock = acquireLock(join(path, "queue.lock"));
    this.#generation = findGeneration(path);
    if (this.#generation > 0 || !existsSync(join(path, "blocks-0"))) return;
    this.#lock.release();
    throw new TidemarkError("state-corrupt", `${path} contains URLs, but no checkpoint that says which.`, {
      hint: "Name another folder, or move what is there away.",
      details: { path },
    });
  }

  /** The newest checkpoint; undefined if there is none yet. */
  get checkpoint(): string | undefined {
    return this.#generation === 0 ? undefined : this.#pathOf("checkpoint");
  }

  /** The journal of what happened since. */
  get journal(): string {
    return this.#pathOf("journal");
  }

  /** Writes a checkpoint. From its rename on it is the newest, and its journal is another. */
  write(lanes: QueueLanes, facts: QueueFacts): void {
    const path = join(this.path, `checkpoint-${this.#generation + 1}`);
    rmSync(`${path}.new`, { force: true });
    writeCheckpoint(`${path}.new`, lanes, facts);
    renameSynced(`${path}.new`, path);
    this.#generation++;
  }

  /** Removes what is left over. @param isLeftOver - asked about files other than checkpoints and journals */
  clean(isLeftOver: (name: string) => boolean): void {
    for (const name of readdirSync(this.path)) {
      const path = join(this.path, name);
      const isOld =
        /^(?:checkpoint|journal)-\d+(?:\.new)?$/.test(name) && path !== this.checkpoint && path !== this.journal;
      if (isOld || isLeftOver(name)) rmSync(path, { force: true });
    }
  }

  release(): void {
    this.#lock.release();
  }

  #pathOf(what: "checkpoint" | "journal"): string {
    return join(this.path, `${what}-${this.#generation}`);
  }
}

function findGeneration(folder: string): number {
  return Math.max(0, ...readdirSync(folder).map((name) => Number(/^checkpoint-(\d+)$/.exec(name)?.[1] ?? 0)));
}
