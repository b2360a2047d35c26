import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { nearestWord } from "../../config/index.ts";
import { excerpt, TidemarkError, wrapSystemError } from "../../core/index.ts";
import {
  areIntervalsInOrder,
  type CrawlSettings,
  crawlSettings,
  omitRunSettings,
  readCrawlConfiguration,
} from "../../crawler/index.ts";
import { readSettings, readSiteUrl } from "../terminal/option.ts";

const mistakesTold = 20;
const maxLineCharacters = 16 * 1024;
/** What each site of lines may have; files that settings name stand in a configuration. */
const {
  url: _url,
  into: _into,
  stateFile: _state,
  urls: _urls,
  ca: _ca,
  netrc: _netrc,
  cookies: _cookies,
  identity: _identity,
  ...siteSettings
} = omitRunSettings(crawlSettings);
const flags: ReadonlySet<string> = new Set(
  Object.values(siteSettings).flatMap(({ option, kind }) => (kind.form === "flag" ? [option] : [])),
);
const names: readonly string[] = Object.values(siteSettings).flatMap(({ option, former }) =>
  former === undefined ? [option] : [option, former.option],
);

/** Which sites a file lists, before what is given beside it. */
type GivenSettings = Partial<Omit<CrawlSettings, "url">>;

/**
 * Reads a file of sites: a configuration in JSON, or lines of a URL and what is set for it, such as `priority=8
 * types=text/html`, by the names of the options. A `#` at the beginning or after white space begins a comment. A file
 * without sites is a mistake: whoever writes it anew may have emptied it first.
 *
 * @param given - goes before what the file says
 * @throws TidemarkError `bad-option` with every mistake and its place; `not-found`, `no-permission`
 */
export async function readSitesFile(file: string, given: GivenSettings): Promise<CrawlSettings[]> {
  const sites = new Map<string, CrawlSettings>();
  const mistakes: string[] = [];
  let number = 0;
  let hasText = false;
  try {
    const lines = createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY });
    for await (const line of lines) {
      number++;
      if (!hasText && line.trimStart().startsWith("{")) {
        lines.close();
        return await readCrawlConfiguration(file, given);
      }
      const text = withoutComment(line.replace(/^\uFEFF/, "")).trim();
      if (text === "") continue;
      hasText = true;
      try {
        if (text.length > maxLineCharacters) throw new TidemarkError("bad-option", "the line is too long");
        const site = parseLine(text.split(/\s+/), given);
        const { origin } = new URL(site.url);
        if (sites.has(origin)) throw new TidemarkError("bad-option", `${origin} is listed already`);
        sites.set(origin, site);
      } catch (error) {
        if (!(error instanceof TidemarkError)) throw error;
        mistakes.push(`line ${number}: ${error.message}`);
      }
    }
  } catch (error) {
    throw wrapSystemError(error, `read the sites ${file}`, { file });
  }
  if (!hasText) mistakes.push("the list has no site");
  if (mistakes.length === 0) return [...sites.values()];
  const told = mistakes.slice(0, mistakesTold);
  const rest = mistakes.length > told.length ? [`and ${mistakes.length - told.length} more`] : [];
  throw new TidemarkError("bad-option", [`${file}:`, ...told, ...rest].join("\n  "), {
    hint: "A line is a URL and settings by the names of the options: https://example.org/ priority=8 rest=30",
    details: { file, mistakes: told },
  });
}

function parseLine([url = "", ...words]: readonly string[], given: GivenSettings): CrawlSettings {
  const args: Record<string, string | true> = {};
  for (const word of words) {
    const [name = "", value] = word.split(/=(.*)/s);
    if (!names.includes(name)) throw unknownSetting(name);
    if ((value === undefined) !== flags.has(name))
      throw new TidemarkError("bad-option", flags.has(name) ? `${name} stands alone` : `${name} needs a value`);
    if (args[name] !== undefined) throw new TidemarkError("bad-option", `${name} is given more than once`);
    args[name] = value ?? true;
  }
  const site = { ...readSettings(args, siteSettings), ...given, url: readSiteUrl("the address", url) } as CrawlSettings;
  if (!areIntervalsInOrder(site)) throw new TidemarkError("bad-option", "min-interval is longer than max-interval");
  return site;
}

function withoutComment(line: string): string {
  for (let at = line.indexOf("#"); at !== -1; at = line.indexOf("#", at + 1))
    if (at === 0 || /\s/.test(line.charAt(at - 1))) return line.slice(0, at);
  return line;
}

function unknownSetting(name: string): TidemarkError {
  const near = nearestWord(name, names);
  const hint = near === undefined ? "" : `; did you mean ${near}?`;
  return new TidemarkError("bad-option", `${excerpt(name)} is not a setting${hint}`);
}
