import { Buffer } from "node:buffer";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { TidemarkError } from "../../core/index.ts";
import { makeMissingFolder, renameSynced } from "../../fs/index.ts";
import { acquireLock, type FileLock } from "../sqlite/lock.ts";
import { BlockFiles, type NamedSegment } from "./block-files.ts";
import type { BlockTable } from "./block-table.ts";
import { QueueLanes } from "./queue-lanes.ts";
import { corrupt, RecordFile, readRecords } from "./record-file.ts";
import type { NamedRun } from "./seen-urls.ts";
import { readUrls, type UrlLane } from "./url-lane.ts";

const version = 2;
const sitesARecord = 1000;
const blocksARecord = 1000;
const numbersABlock = 6;
const endRecord = Buffer.from("end");

/** What a checkpoint has beside the lanes. */
interface QueueFacts {
  readonly salt: string;
  readonly runs: readonly NamedRun[];
}

interface Head extends QueueFacts {
  readonly version: number;
  readonly nextNumber: number;
  readonly nextSegment: number;
  readonly segments: readonly NamedSegment[];
  readonly sites: number;
  readonly ahead: readonly number[];
}

function numbersOf(bytes: Buffer): Float64Array {
  const numbers = new Float64Array(Math.floor(bytes.length / 8));
  bytes.copy(Buffer.from(numbers.buffer));
  return numbers;
}

/** Writes a whole queue to a new file, durably. */
function writeCheckpoint(path: string, lanes: QueueLanes, facts: QueueFacts): void {
  const { sites, table, files, nextNumber } = lanes;
  const openOf = new Map<UrlLane, number[]>();
  for (const [block, lane] of lanes.open) {
    const blocks = openOf.get(lane);
    if (blocks === undefined) openOf.set(lane, [block]);
    else blocks.push(block);
  }
  const used = sites.flatMap(({ lanes: all }) => all).filter((lane) => lane.count > 0 || openOf.has(lane));
  const head: Head = {
    ...facts,
    ...{ version, nextNumber, nextSegment: files.nextSegment, segments: files.segments },
    ...{ sites: sites.length, ahead: [...lanes.ahead] },
  };
  const file = new RecordFile(path);
  file.append(Buffer.from(JSON.stringify(head)));
  for (let at = 0; at < sites.length; at += sitesARecord) {
    const some = sites.slice(at, at + sitesARecord).map(({ name, added }) => [name, added]);
    file.append(Buffer.from(JSON.stringify(some)));
  }
  for (const lane of used) {
    const blocks = [...(openOf.get(lane) ?? []), ...lane.blocks(table)];
    for (let at = 0; at <= blocks.length; at += blocksARecord) {
      const some = blocks.slice(at, at + blocksARecord);
      const isLast = at + blocksARecord > blocks.length;
      file.append(laneRecord(lane, some, table, isLast ? lane.tail?.bytes : undefined));
    }
  }
  file.append(endRecord);
  file.flush();
  file.close();
}

function laneRecord({ site, lane }: UrlLane, blocks: readonly number[], table: BlockTable, tail?: Buffer): Buffer {
  const numbers = blocks.flatMap((block) => {
    const { segment, offset } = table.placeOf(block);
    return [block, segment, offset, table.countOf(block), table.doneOf(block), table.firstOf(block)];
  });
  const bytes = Buffer.from(Float64Array.from([site, lane, blocks.length, ...numbers]).buffer);
  return tail === undefined ? bytes : Buffer.concat([bytes, tail]);
}

function parseHead(bytes: Buffer | undefined, path: string): Head {
  if (bytes === undefined) throw corrupt(path);
  const head = JSON.parse(bytes.toString()) as Head;
  if (head.version === version) return head;
  throw new TidemarkError("state-version", `${path} was written by another version of Tidemark.`, {
    hint: "Use that version, or begin anew in another folder.",
    details: { path, version: head.version },
  });
}

/**
 * Reads what {@link writeCheckpoint} wrote.
 *
 * @throws TidemarkError `state-corrupt` if it is damaged
 */
export function readCheckpoint(
  path: string,
  folder: string,
  segmentBytes: number,
): { readonly lanes: QueueLanes; readonly facts: QueueFacts } {
  const records = readRecords(path, 1);
  const nextRecord = (): Buffer => {
    const { value } = records.next();
    if (value === undefined) throw corrupt(path);
    return value;
  };
  const head = parseHead(nextRecord(), path);
  const lanes = new QueueLanes(new BlockFiles(folder, segmentBytes, head.segments, head.nextSegment));
  while (lanes.sites.length < head.sites) {
    for (const [name, added] of JSON.parse(nextRecord().toString()) as Array<[string, number]>)
      lanes.addSite(name, added);
  }
  for (const one of head.ahead) lanes.ahead.add(one);
  for (let record = nextRecord(); !record.equals(endRecord); record = nextRecord()) readLane(record, lanes);
  lanes.nextNumber = head.nextNumber;
  records.return();
  return { lanes, facts: head };
}

function readLane(bytes: Buffer, lanes: QueueLanes): void {
  const [site = 0, priority = 0, blocks = 0] = numbersOf(bytes.subarray(0, 24));
  const end = 24 + blocks * numbersABlock * 8;
  const numbers = numbersOf(bytes.subarray(24, end));
  const lane = lanes.laneOf(site, priority);
  for (let at = 0; at < numbers.length; at += numbersABlock) {
    const [block = 0, segment = 0, offset = 0, count = 0, done = 0, first = 0] = numbers.subarray(
      at,
      at + numbersABlock,
    );
    lanes.table.add({ segment, offset }, count, first, block);
    lanes.table.finish(block, done);
    lane.append(block, lanes.table);
    const waiting = count - lanes.finishedOf(block);
    lane.count += waiting;
    lanes.backlog += waiting;
  }
  for (const { number, url } of readUrls(bytes.subarray(end))) lanes.addUrl(lane, Buffer.from(url), number);
}

/**
 * The files of a queue: a checkpoint, the journal of what happened since, blocks of URLs, runs of what was seen. The rename of a
 * checkpoint commits it; files that neither it nor its journal names are left over.
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

  get journal(): string {
    return this.#pathOf("journal");
  }

  /** Writes a checkpoint. Once it is renamed it is the newest, and a new journal belongs to it. */
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
