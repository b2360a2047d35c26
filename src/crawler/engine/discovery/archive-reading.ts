import { type Change, ok, pathOf, problem, type Result } from "../../../core/index.ts";
import {
  type ArchiveEntry,
  type BaseList,
  formatArchiveName,
  maxArchiveBytes,
  maxIndexBytes,
  parseArchive,
  parseBaseList,
} from "../../../formats/archive/index.ts";
import { maxPathLength } from "../../../formats/url/index.ts";
import { describeOutcome, getPatiently } from "../politeness/patient-request.ts";
import { isCancelled, type ReadingVisit } from "../visit/reading-visit.ts";
import { noCache } from "./index-reading.ts";

// What stands before the path in a line: a letter, two numbers, a media type, a digest, the TABs.
const maxLineBytes = maxPathLength + 400;
const maxPackedListBytes = 8 * 1024 * 1024;
const maxArchivesAhead = 4;

/** An archive that could not be had, or was not what its name says. */
export interface ArchiveTrouble {
  readonly entry: ArchiveEntry;
  readonly message: string;
}

/** An archive on the way into a reading. */
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
  bounds: Bounds,
  fresh: boolean,
): Promise<Result<Uint8Array>> {
  const { codec, reading } = visit.ports;
  const open = (body: Uint8Array): Result<Uint8Array> => {
    const content = codec.unpack(body, bounds.contentBytes);
    if (!content.ok) return content;
    const id = codec.contentId(content.value);
    return id === entry.name.id ? content : problem("wrong-content", `its content has the id ${id}`);
  };
  const kept = fresh ? undefined : reading?.read(path);
  const known = kept && open(kept);
  if (known?.ok === true) return known;
  const outcome = await getPatiently(visit, "metadata", () => ({
    path,
    maxBytes: bounds.packedBytes,
    maxRedirects: 5,
    ...(fresh ? { headers: noCache } : {}),
  }));
  if (outcome.kind !== "fetched") return problem("archive-missing", describeOutcome(outcome));
  const content = open(outcome.body);
  if (content.ok) reading?.keep(path, outcome.body);
  return content;
}

// Once more past all caches: one on the way may hold a broken copy.
async function readContent(
  visit: ReadingVisit,
  folder: string,
  entry: ArchiveEntry,
  bounds: Bounds,
): Promise<Result<Uint8Array, ArchiveTrouble>> {
  const name = formatArchiveName(entry.name);
  const first = await readOnce(visit, folder + name, entry, bounds, false);
  const content = first.ok || isCancelled(visit) ? first : await readOnce(visit, folder + name, entry, bounds, true);
  if (content.ok) return content;
  return { ok: false, error: { entry, message: `${name}: ${content.error.message}` } };
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

async function readArchive(
  visit: ReadingVisit,
  folder: string,
  archive: ArchiveToRead,
): Promise<Result<Change[], ArchiveTrouble>> {
  const { entry, inBase } = archive;
  const contentBytes = Math.min(maxArchiveBytes, entry.changes * maxLineBytes + 1024);
  // A proxy may have removed the gzip coding, so the wire may carry the content itself.
  const packedBytes = Math.max(contentBytes, Math.min(maxArchiveBytes, entry.sizeBytes * 4) + 64 * 1024);
  const content = await readContent(visit, folder, entry, { packedBytes, contentBytes });
  if (!content.ok) return content;
  const changes = parseArchive(content.value);
  const wrong = !changes.ok
    ? changes.error.message
    : changes.value.length === entry.changes
      ? checkOrder(changes.value, inBase)
      : `it holds ${changes.value.length} changes, the index says ${entry.changes}`;
  if (changes.ok && wrong === undefined) return changes;
  return { ok: false, error: { entry, message: `${formatArchiveName(entry.name)}: ${wrong}` } };
}

/** Reads the list of a base's archives. */
export async function readBaseList(
  visit: ReadingVisit,
  folder: string,
  entry: ArchiveEntry,
): Promise<Result<BaseList, ArchiveTrouble>> {
  const bounds = { packedBytes: maxPackedListBytes, contentBytes: maxIndexBytes };
  const content = await readContent(visit, folder, entry, bounds);
  if (!content.ok) return content;
  const list = parseBaseList(content.value);
  const trouble = (message: string): Result<BaseList, ArchiveTrouble> => ({
    ok: false,
    error: { entry, message: `${formatArchiveName(entry.name)}: ${message}` },
  });
  if (!list.ok) return trouble(list.error.message);
  if (list.value.publication !== entry.name.to) return trouble("its publication differs from that in its name");
  const pages = list.value.archives.reduce((sum, archive) => sum + archive.changes, 0);
  if (pages !== list.value.pages) return trouble(`its archives hold ${pages} pages, not ${list.value.pages}`);
  return ok(list.value);
}

/**
 * Reads archives and gives their changes in the order of the archives, a few requests ahead.
 * The last element is the trouble with an archive, if there is any.
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
