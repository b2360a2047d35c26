import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { EpochSeconds } from "../../core/index.ts";
import { TidemarkError, wrapSystemError } from "../../core/index.ts";

/** What a page linked to when it was fetched. */
export interface KeptLinks {
  readonly at: EpochSeconds;
  readonly url: string;
  readonly links: readonly string[];
}

/** A part has some 16 MiB of lines, and the last of them may be long. */
const maxPartBytes = 512 * 1024 * 1024;

/**
 * All that a crawl of the Web kept of links, in the order in which it was written. Memory: one part of some 16 MiB.
 *
 * @param folder - of kept links, see docs/format.md, "Links"
 * @throws TidemarkError `not-found`, `no-permission`; `state-corrupt`, with file and line, for what is no such file
 */
export function* readLinks(folder: string): Generator<KeptLinks, void, void> {
  for (const file of partsOf(folder)) {
    const text = readPart(file);
    let line = 1;
    for (let from = 0; from < text.length; line++) {
      const end = text.indexOf("\n", from);
      const [at = "", url = "", ...links] = text.slice(from, end === -1 ? undefined : end).split("\t");
      if (end === -1 || !/^\d{1,12}$/.test(at) || url === "")
        throw new TidemarkError("state-corrupt", `${file}: line ${line} is no line of links.`, {
          hint: "Remove the file: the pages that it lists are then missing from the graph.",
          details: { file, line },
        });
      yield { at: Number(at), url, links };
      from = end + 1;
    }
  }
}

function partsOf(folder: string): string[] {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith(".tsv.gz"));
    return names.sort().map((name) => join(folder, name));
  } catch (error) {
    throw wrapSystemError(error, `read ${folder}`, { folder });
  }
}

function readPart(file: string): string {
  let packed: Buffer;
  try {
    packed = readFileSync(file);
  } catch (error) {
    throw wrapSystemError(error, `read ${file}`, { file });
  }
  try {
    return gunzipSync(packed, { maxOutputLength: maxPartBytes }).toString("latin1");
  } catch (error) {
    throw new TidemarkError("state-corrupt", `${file} is no gzip file, or a damaged one.`, {
      cause: error,
      hint: "Remove the file: the pages that it lists are then missing from the graph.",
      details: { file },
    });
  }
}
