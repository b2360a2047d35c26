import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { EpochSeconds } from "../../core/index.ts";
import { TidemarkError, wrapSystemError } from "../../core/index.ts";
import { readRecords } from "../queue/record-file.ts";

/** In place of links: they are those of the page's line before. No URL is like that. */
export const asBefore = "=";

/** What a page linked to when it was fetched. */
export interface KeptLinks {
  readonly at: EpochSeconds;
  readonly url: string;
  /** Whether the page was as before; then `links` is empty. */
  readonly isUnchanged: boolean;
  /** Each once. */
  readonly links: readonly string[];
  /** Texts of links, where the crawl kept them; a link can have several. */
  readonly texts: readonly LinkText[];
}

export interface LinkText {
  readonly link: string;
  readonly text: string;
}

const noTexts: readonly LinkText[] = [];

const partName = /\.(?:tsv\.gz|journal)$/;
/** A part has some 16 MiB of lines, and the last of them may be long. */
const maxPartBytes = 512 * 1024 * 1024;

/**
 * All that a crawl of the Web kept of links, in the order in which it was written. Memory: one part of some 16 MiB.
 *
 * @param folder - of kept links, see docs/format.md, "Links"
 * @throws TidemarkError `not-found`, `no-permission`; `state-corrupt`, with file and line, for what is no such file
 */
export function* readLinks(folder: string): Generator<KeptLinks, void, void> {
  for (const part of partsOf(folder)) {
    const { file, text } = readPart(part);
    let line = 1;
    for (let from = 0; from < text.length; line++) {
      const end = text.indexOf("\n", from);
      const [at = "", url = "", ...links] = text.slice(from, end === -1 ? undefined : end).split("\t");
      if (end === -1 || !/^\d{1,12}$/.test(at) || url === "")
        throw new TidemarkError("state-corrupt", `${file}: line ${line} is no line of links.`, {
          hint: "Remove the file: the pages that it lists are then missing from the graph.",
          details: { file, line },
        });
      const isUnchanged = links.length === 1 && links[0] === asBefore;
      const kept = { at: Number(at), url, isUnchanged, links: isUnchanged ? [] : links, texts: noTexts };
      yield links.some((link) => link.includes(" ")) ? splitTexts(kept) : kept;
      from = end + 1;
    }
  }
}

/** Takes links and their texts apart, which stand in one field with a space between. */
function splitTexts({ links: fields, ...kept }: KeptLinks): KeptLinks {
  const links: string[] = [];
  const texts: LinkText[] = [];
  for (const field of fields) {
    const space = field.indexOf(" ");
    const link = space === -1 ? field : field.slice(0, space);
    if (link !== links.at(-1)) links.push(link);
    if (space !== -1) texts.push({ link, text: Buffer.from(field.slice(space + 1), "latin1").toString() });
  }
  return { ...kept, links, texts };
}

/** The parts of a folder, and those of the workers of a fleet, each of which has a folder of its own in it. */
function partsOf(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
    return [folder, ...folders.sort()].flatMap((each) => {
      const names = readdirSync(each).filter((name) => partName.test(name));
      const parts = [...new Set(names.map((name) => name.replace(partName, "")))];
      // Numbers of parts have six digits or more.
      return parts.sort((a, b) => a.length - b.length || (a < b ? -1 : 1)).map((name) => join(each, name));
    });
  } catch (error) {
    throw wrapSystemError(error, `read ${folder}`, { folder });
  }
}

/** A part that a crawl is still writing, or that a killed one left, is in its journal, until the compressed file is there. */
function readPart(part: string): { readonly file: string; readonly text: string } {
  const file = `${part}.tsv.gz`;
  const journal = `${part}.journal`;
  const text = existsSync(file) ? undefined : Buffer.concat([...readRecords(journal)]).toString("latin1");
  return text !== undefined && !existsSync(file) ? { file: journal, text } : { file, text: unpackPart(file) };
}

function unpackPart(file: string): string {
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
