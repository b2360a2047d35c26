import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { syncFolder } from "../export/index.ts";
import { isCanonicalPath } from "../format/index.ts";
import { type Change, ok, pathOf, problem, type Result, wrapSystemError } from "../model/index.ts";
import { readFully } from "./bounded-file.ts";
import { type Backlog, isBacklogName } from "./position-file.ts";
import { throwIfStopped } from "./stop.ts";

const pieceBytes = 256 * 1024;
/** More than any list of URLs that is sent at once: at least 256 of the longest, mostly all that may be. */
const batchBytes = 2 * 1024 * 1024;

/** Which paths are told. */
export interface PathChoice {
  /** Paths that are ours and no pages. */
  readonly own: ReadonlySet<string>;
  /** Whether a path can be told at all. */
  readonly isTellable: (path: string) => boolean;
  readonly signal: AbortSignal | undefined;
}

/** What was written of a backlog. */
export interface WrittenBacklog {
  /** Undefined if there was nothing to write. */
  readonly backlog: Omit<Backlog, "to"> | undefined;
  /** Paths that cannot be told. */
  readonly leftOut: number;
}

/**
 * Writes the paths of changes to a file, a line each, durably. Memory does not grow with their number.
 *
 * @throws TidemarkError `aborted`, `disk-full`, `io`; what the changes throw
 */
export async function writeBacklog(
  folder: string,
  changes: AsyncIterable<Change>,
  choice: PathChoice,
): Promise<WrittenBacklog> {
  const file = `urls-${randomBytes(8).toString("hex")}.txt`;
  const path = join(folder, file);
  let handle: FileHandle | undefined;
  let [sizeBytes, urls, leftOut, piece] = [0, 0, 0, ""];
  const flush = async (): Promise<void> => {
    handle ??= await open(path, "wx", 0o600);
    await handle.writeFile(piece, "latin1");
    sizeBytes += piece.length;
    piece = "";
  };
  try {
    for await (const change of changes) {
      throwIfStopped(choice.signal);
      const changed = pathOf(change);
      if (choice.own.has(changed)) continue;
      if (!choice.isTellable(changed)) {
        leftOut += 1;
        continue;
      }
      urls += 1;
      piece += `${changed}\n`;
      if (piece.length >= pieceBytes) await flush();
    }
    if (urls === 0) return { backlog: undefined, leftOut };
    await flush();
    await handle?.sync();
  } catch (error) {
    await rm(path, { force: true }).catch(() => undefined);
    throw wrapSystemError(error, `write ${path}`, { path });
  } finally {
    await handle?.close();
  }
  await syncFolder(folder);
  return { backlog: { file, sizeBytes, urls, doneBytes: 0, doneUrls: 0 }, leftOut };
}

/** Paths that follow what is done of a backlog. */
export interface Batch {
  readonly paths: readonly string[];
  /** Length of their lines. */
  readonly sizeBytes: number;
}

/**
 * Reads the next paths of a backlog.
 *
 * @returns a problem `bad-backlog` if the file is not there any more, or is not what was written
 */
export async function readBatch(folder: string, backlog: Backlog, maxPaths: number): Promise<Result<Batch>> {
  const { file, doneBytes, doneUrls, urls, sizeBytes } = backlog;
  const path = join(folder, file);
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    const status = await handle.stat();
    if (!status.isFile() || status.size !== sizeBytes) return problem("bad-backlog", `${path} has another size`);
    const bytes = Buffer.alloc(Math.min(batchBytes, sizeBytes - doneBytes));
    if ((await readFully(handle, bytes, doneBytes)) < bytes.length)
      return problem("bad-backlog", `${path} became shorter`);
    const end = bytes.lastIndexOf(0x0a);
    const lines = bytes.toString("latin1", 0, Math.max(0, end)).split("\n", maxPaths);
    const length = lines.reduce((sum, line) => sum + line.length + 1, 0);
    const [isLastByte, isLastUrl] = [doneBytes + length === sizeBytes, doneUrls + lines.length === urls];
    if (end < 0 || isLastByte !== isLastUrl || !lines.every(isCanonicalPath))
      return problem("bad-backlog", `${path} is damaged`);
    return ok({ paths: lines, sizeBytes: length });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ELOOP") return problem("bad-backlog", `${path} cannot be read: ${code}`);
    throw wrapSystemError(error, `read ${path}`, { path });
  } finally {
    await handle?.close();
  }
}

/** Removes backlogs that nothing names any more. */
export async function removeBacklogs(folder: string, current: string | undefined): Promise<void> {
  for (const name of await readdir(folder)) {
    if (isBacklogName(name) && name !== current) await rm(join(folder, name), { force: true });
  }
}
