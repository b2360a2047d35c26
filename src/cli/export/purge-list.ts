import { closeSync, openSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { type ExportSummary, omitUndefined, TidemarkError, wrapSystemError } from "../../core/index.ts";
import { type ExportSettings, listPurgeUrls } from "../../exporter/index.ts";
import { renameDurably, temporaryName, writeWhole } from "../../fs/index.ts";
import type { RunContext } from "../terminal/command.ts";

/** The form in which changed URLs are listed: a URL a line, or the JSON body of a purge call a line. */
export type PurgeFormat = "urls" | "json";

/** What the command line says about a list of URLs for caches. */
export interface PurgeRun {
  readonly purge?: PurgeFormat;
  readonly purgeFile?: string;
}

/** URLs of one call: the fewest that a plan of Cloudflare takes. */
const urlsPerCall = 30;
const pieceLength = 64 * 1024;

/**
 * Writes the URLs that a publication changed, for a cache's purge call: into the file, which is replaced as a whole, or
 * to standard output. If nothing was published, the file is empty.
 *
 * @returns how many there are
 */
export async function writePurgeList(
  site: ExportSettings,
  { purge = "urls", purgeFile }: PurgeRun,
  summary: ExportSummary,
  { out }: Pick<RunContext, "out">,
): Promise<number> {
  let count = 0;
  const { index, cleanUrls } = site;
  const { publication, published, site: baseUrl } = summary;
  const options = { documentRoot: site.docroot, baseUrl, publication, ...omitUndefined({ index, cleanUrls }) };
  async function* urls(): AsyncGenerator<string> {
    if (!published) return;
    for await (const url of listPurgeUrls(options)) {
      count += 1;
      yield url;
    }
  }
  if (purgeFile === undefined) {
    for await (const line of formatList(urls(), purge)) {
      out.write(line);
      if (out.isFull) await out.ready();
    }
    return count;
  }
  const file = resolve(purgeFile);
  const temporary = temporaryName(file);
  let descriptor: number;
  try {
    descriptor = openSync(temporary, "wx");
  } catch (error) {
    throw wrapSystemError(error, `write ${file}`, { path: file });
  }
  try {
    let piece = "";
    for await (const line of formatList(urls(), purge)) {
      piece += line;
      if (piece.length < pieceLength) continue;
      writeWhole(descriptor, Buffer.from(piece));
      piece = "";
    }
    writeWhole(descriptor, Buffer.from(piece));
    await renameDurably(temporary, file);
  } catch (error) {
    throw error instanceof TidemarkError ? error : wrapSystemError(error, `write ${file}`, { path: file });
  } finally {
    closeSync(descriptor);
    rmSync(temporary, { force: true });
  }
  return count;
}

async function* formatList(urls: AsyncGenerator<string>, format: PurgeFormat): AsyncGenerator<string> {
  let files: string[] = [];
  const call = (): string => `${JSON.stringify({ files })}\n`;
  for await (const url of urls) {
    if (format === "urls") {
      yield `${url}\n`;
      continue;
    }
    files.push(url);
    if (files.length < urlsPerCall) continue;
    yield call();
    files = [];
  }
  if (files.length > 0) yield call();
}
