import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { excerpt, parseHttpUrl, TidemarkError, wrapSystemError } from "../../core/index.ts";

const mistakesTold = 20;
const maxLineCharacters = 16 * 1024;
/** Different ones: all are in memory. */
const maxSeeds = 10_000_000;

/** `0` TAB `org.example.www`: Common Crawl writes hosts from the right. */
function reverseHost(host: string): string {
  return host.split(".").reverse().join(".");
}

/**
 * The URL that a line of seeds names: a URL, a host, or a row of a list of hosts as Common Crawl publishes it with its graphs, a
 * number and the name with its parts in reversed order.
 */
function parseLine(line: string): string | undefined {
  const [first = "", second] = line.split("\t");
  if (second !== undefined && !/^\d+$/.test(first)) return undefined;
  const host = second === undefined ? first : reverseHost(second);
  // The URL parser would drop or encode blanks: a line of a report is no seed.
  if (/\s/.test(host)) return undefined;
  return plainUrl(host.includes("://") ? host : `https://${host}/`);
}

/** A URL without fragment, in the form of the URL parser; undefined if it has a login. */
function plainUrl(text: string): string | undefined {
  const url = parseHttpUrl(text);
  if (url === undefined || url.username + url.password !== "") return undefined;
  url.hash = "";
  return url.href;
}

/**
 * Reads a file of seeds: a URL or a host a line, or Common Crawl's list of hosts. Lines that begin with `#` are comments.
 *
 * @param most - different seeds that there may be
 * @throws TidemarkError `bad-option` with the lines that name nothing, if none does, or for too many; `not-found`, `no-permission`
 */
export async function readSeeds(file: string, most: number = maxSeeds): Promise<string[]> {
  const seeds = new Set<string>();
  const mistakes: string[] = [];
  let number = 0;
  try {
    for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
      number++;
      const text = line.replace(/^\uFEFF/, "").trim();
      if (text === "" || text.startsWith("#")) continue;
      const seed = text.length > maxLineCharacters ? undefined : parseLine(text);
      if (seed === undefined) mistakes.push(`line ${number}: no URL and no host: ${excerpt(text)}`);
      else seeds.add(seed);
      if (seeds.size > most) mistakes.push(`line ${number}: more than ${most} seeds`);
      if (mistakes.length > mistakesTold || seeds.size > most) break;
    }
  } catch (error) {
    throw wrapSystemError(error, `read the seeds ${file}`, { file });
  }
  if (seeds.size === 0 && mistakes.length === 0) mistakes.push("the file has no seed");
  if (mistakes.length === 0) return [...seeds];
  throw new TidemarkError("bad-option", [`${file}:`, ...mistakes.slice(0, mistakesTold)].join("\n  "), {
    hint: "A line is a URL such as https://example.org/, or a host.",
    details: { file, mistakes: mistakes.slice(0, mistakesTold) },
  });
}

/**
 * A seed in the form of the URL parser.
 *
 * @throws TidemarkError `bad-option`
 */
export function parseSeed(text: string): string {
  const url = plainUrl(text);
  if (url === undefined)
    throw new TidemarkError("bad-option", `Not the URL of a page: ${excerpt(text)}.`, {
      hint: "Give absolute URLs such as https://example.org/, without a login.",
    });
  return url;
}
