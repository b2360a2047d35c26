import { ok, parseHttpUrl, parseUrl, problem, type Result } from "../../core/index.ts";

/**
 * A crawler's `/robots.shr`: who it is, and where its events are.
 *
 * @see G. L. McLearn, Autonomous Cooperating Web Crawlers, M.Math. thesis, Waterloo 2002, section 3.2.1
 */
export interface ShareControl {
  /** Such as `1.0`. */
  readonly version: string;
  /** `host:port moniker`, the moniker as in its User-Agent. */
  readonly crawler: string;
  /** Mail address of the operator. */
  readonly contact?: string | undefined;
  /** URLs that the crawler knows especially well, in order. */
  readonly special: readonly string[];
  /** Absolute URL of the folder with the days' files; ends with `/`. */
  readonly repository: string;
  /** All other fields, in order. */
  readonly others: ReadonlyArray<readonly [name: string, value: string]>;
}

const maxLines = 10_000;
const maxValueLength = 2048;
const fieldForm = /^([!-9;-~]{1,64}):(.*)$/;
const crawlerForm = /^(?:[!-9;-~]+|\[[0-9a-f:.]+\]):(\d{1,5}) [!-~](?:[ -~]{0,254}[!-~])?$/;

/** Whether a text names a crawler: `host:port moniker` in ASCII. */
export function isCrawlerName(text: string): boolean {
  const match = text.length <= 512 ? crawlerForm.exec(text) : null;
  return match !== null && Number(match[1]) <= 65_535;
}

/**
 * Parses a `/robots.shr`. Lines that are no fields are passed over, names are compared without regard to case. The thesis
 * calls the repository a path and its figure shows a whole URL; both are taken.
 *
 * @param url - where the file came from; a repository on another host is refused, another port is not
 * @returns a problem `no-field`, `bad-field` or `too-long`
 */
export function parseShareControl(text: string, url: string): Result<ShareControl> {
  const lines = text.replace(/^\ufeff/, "").split(/\r\n|\r|\n/);
  if (lines.length > maxLines) return problem("too-long", `it has more than ${maxLines} lines`);
  const single = new Map<string, string>();
  const special: string[] = [];
  const others: [string, string][] = [];
  for (const line of lines) {
    const [, written = "", rest = ""] = fieldForm.exec(line) ?? [];
    const value = rest.trim();
    if (written === "" || value.length > maxValueLength) continue;
    const name = written.toLowerCase();
    if (name === "special") {
      const one = parseHttpUrl(value);
      if (one !== undefined && one.href.length <= maxValueLength) special.push(one.href);
    } else if (["version", "crawler", "contact", "repository"].includes(name)) {
      if (!single.has(name)) single.set(name, value);
    } else others.push([written, value]);
  }
  const { version, crawler, contact, repository } = Object.fromEntries(single);
  for (const [name, value] of Object.entries({ version, crawler, repository }))
    if (!value) return problem("no-field", `it has no field ${name}`);
  if (!isCrawlerName(crawler ?? "")) return problem("bad-field", "its crawler is not a host, a port and a name");
  const folder = parseUrl(repository ?? "", url);
  if (folder === undefined || !/^https?:$/.test(folder.protocol))
    return problem("bad-field", "its repository is no URL");
  if (folder.hostname !== parseUrl(url)?.hostname) return problem("bad-field", "its repository is on another host");
  if (folder.username !== "" || folder.password !== "" || folder.search !== "")
    return problem("bad-field", "its repository is no folder");
  folder.hash = "";
  // Also a `?` without a query after it.
  folder.search = "";
  if (!folder.pathname.endsWith("/")) folder.pathname += "/";
  if (folder.href.length > maxValueLength) return problem("bad-field", "its repository is too long");
  const control = { version: version ?? "", crawler: crawler ?? "", special, repository: folder.href, others };
  return ok(contact ? { ...control, contact } : control);
}

/** Formats a `/robots.shr`, its fields in the order of the thesis's Figure 3.3, and the others after them. */
export function formatShareControl({ version, crawler, contact, special, repository, others }: ShareControl): string {
  const fields: ReadonlyArray<readonly [string, string]> = [
    ["version", version],
    ["crawler", crawler],
    ...(contact === undefined ? [] : ([["contact", contact]] as const)),
    ...special.map((url) => ["special", url] as const),
    ["repository", repository],
    ...others,
  ];
  return fields.map(([name, value]) => `${name}: ${value}\n`).join("");
}
