import { type Change, ok, pathOf, problem, type Result } from "../../../core/index.ts";
import {
  type ArchiveEntry,
  type BaseList,
  escapeArchiveName,
  formatArchiveName,
  maxArchiveBytes,
  maxIndexBytes,
  parseArchive,
  parseBaseList,
} from "../../../formats/archive/index.ts";
import { maxPathLength } from "../../../formats/url/index.ts";
import { isCancelled, type ReadingVisit } from "../visit/reading-visit.ts";
import { readDocument } from "./document.ts";

// Before the path a line has a letter, two numbers, a media type, a digest and TABs.
const maxLineBytes = maxPathLength + 400;
const maxPackedListBytes = 8 * 1024 * 1024;
const maxArchivesAhead = 4;

/** An archive that could not be fetched, or is not what its name says. */
export interface ArchiveTrouble {
  readonly entry: ArchiveEntry;
  readonly message: string;
}

/** An archive of a reading. */
export interface ArchiveToRead {
  readonly entry: ArchiveEntry;
  /** Archives of a base run in last-modified order and hold live pages only; others run in path order. */
  readonly inBase: boolean;
}

interface Bounds {
  readonly packedBytes: number;
  readonly contentBytes: number;
}

async function readOnce(
  visit: ReadingVisit,
  path: string,
  entry: ArchiveEntry,
  { packedBytes, contentBytes }: Bounds,
  isFresh: boolean,
): Promise<Result<Uint8Array>> {
  const { codec, reading } = visit.ports;
  const open = (body: Uint8Array): Result<Uint8Array> => {
    const content = codec.unpack(body, contentBytes);
    if (!content.ok) return content;
    const id = codec.contentId(content.value);
    return id === entry.name.id ? content : problem("wrong-content", `its content has the id ${id}`);
  };
  const kept = isFresh ? undefined : reading?.read(path);
  const known = kept && open(kept);
  if (known?.ok === true) return known;
  const answer = await readDocument(visit, { path, maxBytes: packedBytes, isFresh });
  if (answer.kind !== "fetched") return problem("archive-missing", answer.message);
  const content = open(answer.body);
  if (content.ok) reading?.keep(path, answer.body);
  return content;
}

/** Tries twice: a cache on the way may hold a broken copy. */
async function readContent<Content>(
  visit: ReadingVisit,
  folder: string,
  entry: ArchiveEntry,
  bounds: Bounds,
  parse: (content: Uint8Array) => Result<Content>,
): Promise<Result<Content, ArchiveTrouble>> {
  const name = formatArchiveName(entry.name);
  const path = folder + escapeArchiveName(name);
  const first = await readOnce(visit, path, entry, bounds, false);
  const content = first.ok || isCancelled(visit) ? first : await readOnce(visit, path, entry, bounds, true);
  const parsed = content.ok ? parse(content.value) : content;
  return parsed.ok ? parsed : { ok: false, error: { entry, message: `${name}: ${parsed.error.message}` } };
}

function checkOrder(changes: readonly Change[], inBase: boolean): string | undefined {
  let last = "";
  for (const change of changes) {
    if (inBase) {
      if (change.kind === "deleted") return "a base with a deletion";
      continue;
    }
    const path = pathOf(change);
    if (path <= last) return "its lines are not in path order";
    last = path;
  }
  return undefined;
}

function readArchive(
  visit: ReadingVisit,
  folder: string,
  { entry, inBase }: ArchiveToRead,
): Promise<Result<Change[], ArchiveTrouble>> {
  const contentBytes = Math.min(maxArchiveBytes, entry.changes * maxLineBytes + 1024);
  // A proxy may have removed the gzip coding.
  const packedBytes = Math.max(contentBytes, Math.min(maxArchiveBytes, entry.sizeBytes * 4) + 64 * 1024);
  return readContent(visit, folder, entry, { packedBytes, contentBytes }, (content) => {
    const changes = parseArchive(content);
    if (!changes.ok) return changes;
    const { length } = changes.value;
    if (length !== entry.changes)
      return problem("wrong-count", `it holds ${length} changes, the index says ${entry.changes}`);
    const wrong = checkOrder(changes.value, inBase);
    return wrong === undefined ? changes : problem("wrong-order", wrong);
  });
}

/** Reads the list of a base's archives. */
export function readBaseList(
  visit: ReadingVisit,
  folder: string,
  entry: ArchiveEntry,
): Promise<Result<BaseList, ArchiveTrouble>> {
  const bounds = { packedBytes: maxPackedListBytes, contentBytes: maxIndexBytes };
  return readContent(visit, folder, entry, bounds, (content) => {
    const list = parseBaseList(content);
    if (!list.ok) return list;
    const { publication, archives, pages } = list.value;
    if (publication !== entry.name.to)
      return problem("wrong-publication", "its publication differs from that in its name");
    const sum = archives.reduce((total, archive) => total + archive.changes, 0);
    return sum === pages ? list : problem("wrong-count", `its archives hold ${sum} pages, not ${pages}`);
  });
}

/**
 * Reads archives, a few requests ahead, and yields their changes in the order of the archives. After a trouble with one
 * it ends.
 */
export async function* readArchives(
  visit: ReadingVisit,
  folder: string,
  archives: readonly ArchiveToRead[],
): AsyncGenerator<Result<{ archive: ArchiveToRead; changes: Change[] }, ArchiveTrouble>, void, void> {
  const ahead = Math.max(1, Math.min(visit.concurrency, maxArchivesAhead));
  const underWay: Promise<Result<Change[], ArchiveTrouble>>[] = [];
  let next = 0;
  for (const [at, archive] of archives.entries()) {
    for (; next < archives.length && next < at + ahead; next++) {
      const following = archives[next];
      if (following !== undefined) underWay.push(readArchive(visit, folder, following));
    }
    const changes = await underWay.shift();
    if (changes === undefined) return;
    yield changes.ok ? ok({ archive, changes: changes.value }) : changes;
    if (!changes.ok) return;
    visit.report({ event: "progress", site: visit.origin, phase: "metadata", done: at + 1, total: archives.length });
  }
}
