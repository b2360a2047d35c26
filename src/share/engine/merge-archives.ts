import {
  type Codec,
  type EpochSeconds,
  type FetchOutcome,
  problem,
  type Requests,
  type Result,
  type Validators,
} from "../../core/index.ts";
import {
  type ArchiveEntry,
  escapeArchiveName,
  formatArchiveName,
  maxArchiveBytes,
  planChain,
} from "../../formats/archive/index.ts";
import {
  type EventIndex,
  eventGroup,
  maxEventUrlLength,
  parseEventArchive,
  parseEventIndex,
} from "../../formats/web-events/index.ts";
import type { PeerCandidates } from "./peer-candidates.ts";

/** What is remembered of a peer's archives. */
export interface ArchivesState {
  /** How far they were merged. */
  readonly cursor?: { readonly epoch: string; readonly publication: EpochSeconds };
  readonly validators?: Validators;
}

/** What a merge of archives needs. */
export interface ArchiveMergePorts {
  readonly get: (
    url: string,
    request: Pick<Parameters<Requests["get"]>[0], "validators" | "maxBytes">,
  ) => Promise<FetchOutcome>;
  readonly codec: Codec;
  readonly candidates: PeerCandidates;
  /** Why an index must not be used; undefined if it may. */
  readonly findProblem: (url: string, content: Uint8Array) => Promise<string | undefined>;
  /** Called with what is to be remembered, after all before it is durable. */
  readonly remember: (state: ArchivesState) => void;
}

/** What archives came to. */
export interface ArchivesMerge {
  readonly files: number;
  readonly isUnmodified: boolean;
  readonly events: number;
  /** Archives that are no archives of events. */
  readonly bad: number;
  /** What went wrong; what came before it was merged. */
  readonly problem: string | undefined;
}

const maxIndexBytes = 4 * 1024 * 1024;
// Before the path a line has a letter, four numbers and TABs; each may stand below a site of its own.
const maxLineBytes = maxEventUrlLength + 400;

const describe = (outcome: Exclude<FetchOutcome, { kind: "fetched" }>): string =>
  outcome.kind === "failed" ? outcome.message : `the server answered ${outcome.status}`;

async function readIndex(
  url: string,
  { get, codec, findProblem }: ArchiveMergePorts,
  validators: Validators | undefined,
): Promise<Result<{ readonly index: EventIndex; readonly validators: Validators } | undefined>> {
  const outcome = await get(url, { maxBytes: maxIndexBytes, ...(validators === undefined ? {} : { validators }) });
  if (outcome.kind === "not-modified") return { ok: true, value: undefined };
  if (outcome.kind !== "fetched") return problem("no-index", describe(outcome));
  const content = codec.unpack(outcome.body, maxIndexBytes);
  if (!content.ok) return content;
  const wrong = await findProblem(url, content.value);
  if (wrong !== undefined) return problem("bad-signature", wrong);
  const index = parseEventIndex(content.value);
  return index.ok ? { ok: true, value: { index: index.value, validators: outcome.validators } } : index;
}

class ArchivesMerging {
  readonly #folder: string;
  readonly #ports: ArchiveMergePorts;
  readonly #counts = { files: 0, events: 0, bad: 0 };

  constructor(folder: string, ports: ArchiveMergePorts) {
    this.#folder = folder;
    this.#ports = ports;
  }

  get counts(): Pick<ArchivesMerge, "files" | "events" | "bad"> {
    return this.#counts;
  }

  /** @returns what is wrong with it: then none of it was taken */
  async read(entry: ArchiveEntry, crawler: string): Promise<string | undefined> {
    const { get, codec, candidates } = this.#ports;
    const name = formatArchiveName(entry.name);
    const maxBytes = Math.min(maxArchiveBytes, entry.changes * maxLineBytes + 1024);
    const outcome = await get(this.#folder + escapeArchiveName(name), { maxBytes });
    if (outcome.kind !== "fetched") return `${name}: ${describe(outcome)}`;
    const content = codec.unpack(outcome.body, maxBytes);
    if (!content.ok) return `${name}: ${content.error.message}`;
    if (codec.contentId(content.value) !== entry.name.id) return `${name}: its content does not match its name`;
    const isWanted = (origin: string): boolean => candidates.isCrawled(origin);
    const archive = parseEventArchive(content.value, entry.name.to, isWanted);
    if (!archive.ok) {
      this.#counts.bad += 1;
      return `${name}: ${archive.error.message}`;
    }
    const { sites } = archive.value;
    for (const site of sites) candidates.takeSite(archive.value, site, crawler);
    const taken = sites.at(-1)?.to ?? 0;
    // Lines of other sites are not read: the index says how many there are.
    candidates.skip(Math.max(0, entry.changes - taken));
    this.#counts.files += 1;
    this.#counts.events += entry.changes;
    return undefined;
  }
}

/**
 * Merges the events that a peer published since a cursor: one conditional request for the index, and one an archive of
 * the cheapest chain of intervals that leads from the cursor to the newest publication.
 *
 * The cursor moves after each interval, once its events are durable. An archive that is not what its name says ends the
 * merge, and the next one goes on from there.
 *
 * @param url - of the index
 * @param bounds - `since`: without a cursor, events that were published before this are not read; `latest`: nothing is
 *   believed that was published later; `maxEvents`: of all archives together
 */
export async function mergeArchives(
  url: string,
  state: ArchivesState,
  ports: ArchiveMergePorts,
  bounds: { readonly since: EpochSeconds; readonly latest: EpochSeconds; readonly maxEvents: number },
): Promise<ArchivesMerge> {
  const merging = new ArchivesMerging(new URL(".", url).href, ports);
  const end = (why: string | undefined, isUnmodified = false): ArchivesMerge => ({
    ...merging.counts,
    isUnmodified,
    problem: why,
  });
  const read = await readIndex(url, ports, state.validators);
  if (!read.ok) return end(`index of archives: ${read.error.message}`);
  if (read.value === undefined) return end(undefined, true);
  const { index, validators } = read.value;
  const { epoch, publication: to } = index;
  if (to > bounds.latest) return end("index of archives: it was published in the future");
  if (index.archives.some(({ name }) => name.group !== eventGroup)) return end("index of archives: not of events");
  const cursor = state.cursor?.epoch === epoch ? state.cursor.publication : undefined;
  // An old copy from a cache.
  if (cursor !== undefined && cursor > to) return end(undefined, true);
  const from = Math.min(to, Math.max(cursor ?? bounds.since, index.completeFrom));
  const chain = planChain(index.archives, { from, to });
  if (chain === undefined) return end("index of archives: no chain of archives leads to its publication");
  let events = 0;
  for (const interval of chain) {
    for (const entry of interval) {
      events += entry.changes;
      if (events > bounds.maxEvents) break;
      const wrong = await merging.read(entry, index.crawler);
      ports.candidates.flush();
      if (wrong !== undefined) return end(wrong);
    }
    const publication = interval[0]?.name.to ?? to;
    if (publication !== to) ports.remember({ cursor: { epoch, publication } });
  }
  ports.remember({ cursor: { epoch, publication: to }, validators });
  return end(events > bounds.maxEvents ? `archives: more than ${bounds.maxEvents} events` : undefined);
}
