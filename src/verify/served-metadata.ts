import { type AnswerHead, excerpt, type Finding, parseUrl } from "../core/index.ts";
import { type ArchiveIndex, indexFileName, publishedFolder } from "../formats/archive/index.ts";
import { type Robots, type RobotsAgent, robotsAllow } from "../formats/robots/index.ts";
import { difference, note } from "./served-page.ts";

const robotsPath = "/robots.txt";
/** Path of the exporter's index. */
export const usualIndexPath: string = publishedFolder + indexFileName;
// If caches may keep the index longer than this, a day's publication is not seen on that day.
const maxIndexAgeSeconds = 3600;
const longAgeSeconds = 30 * 86_400;
const exportAgain = "Run tidemark export; see what the server shows.";

/** Findings about the base URL from the response for the home page. */
export function judgeBase(origin: string, head: AnswerHead): Finding[] {
  const location = head.fields.get("location");
  if (head.status < 300 || head.status > 399 || location === undefined) return [];
  const to = parseUrl(location, origin);
  if (to === undefined || to.origin === origin) return [];
  const fix = `Use that address: tidemark export --base-url ${to.origin}/, and give it to crawlers.`;
  return [difference("base-url", "/", `the site redirects (${head.status}) to ${excerpt(to.origin)}`, fix)];
}

/** Whether crawlers find the index from robots.txt and may request it. */
export function judgeRobots(
  origin: string,
  head: AnswerHead | undefined,
  robots: Robots,
  agent: RobotsAgent,
): Finding[] {
  const asItIs = "Let the server show the robots.txt that tidemark export writes (--robots-dir says where).";
  if (head?.status !== 200) {
    const message = head === undefined ? "no answer" : `the server answers ${head.status}`;
    return [difference("robots", robotsPath, message, asItIs)];
  }
  const found: Finding[] = [];
  const own = robots.archiveIndexes.filter((text) => parseUrl(text, origin)?.origin === origin);
  if (robots.archiveIndexes.length === 0)
    found.push(difference("robots", robotsPath, "it announces no Archive-Index", asItIs));
  else if (own.length === 0) {
    const message = `it announces ${excerpt(robots.archiveIndexes[0] ?? "")}, which is not on ${origin}`;
    const fix = `Export with --base-url ${origin}/, or give crawlers the address that is announced.`;
    found.push(difference("robots", robotsPath, message, fix));
  }
  const path = own[0] === undefined ? usualIndexPath : new URL(own[0], origin).pathname;
  for (const one of ["*", agent]) {
    if (robotsAllow(robots, one, path)) continue;
    const message = `it disallows ${path} for ${typeof one === "string" ? one : one[0]}`;
    found.push(difference("robots", robotsPath, message, `Add a line "Allow: ${publishedFolder}".`));
    break;
  }
  return found;
}

function judgeFile(kind: "index" | "archive", path: string, head: AnswerHead): Finding[] {
  const found: Finding[] = [];
  const fix = "Serve .gz files of .well-known/tidemark as application/gzip, without Content-Encoding.";
  const coding = head.fields.get("content-encoding");
  if (coding !== undefined && coding.toLowerCase() !== "identity") {
    // Our own readers handle this; other clients would store different bytes.
    found.push(note(kind, path, `it is served with Content-Encoding: ${excerpt(coding)}`, fix));
  }
  const type = (head.fields.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (!/^application\/(?:x-)?gzip$|^(?:application|binary)\/octet-stream$/.test(type))
    found.push(note(kind, path, `it is served as ${type === "" ? "no type" : excerpt(type)}`, fix));
  return found;
}

/** How long caches may keep an answer: those of a browser, or those that many share (`s-maxage`), whichever is longer. */
function maxAgeSeconds(head: AnswerHead): number | undefined {
  const field = head.fields.get("cache-control") ?? "";
  const ages = [...field.matchAll(/(?:^|[\s,])(?:s-maxage|max-age)\s*=\s*"?(\d{1,10})/gi)].map(([, age]) =>
    Number(age),
  );
  return ages.length === 0 ? undefined : Math.max(...ages);
}

/** How the index is served, and for which site; `index` is undefined if it could not be read. */
export function judgeIndex(origin: string, path: string, head: AnswerHead, index: ArchiveIndex | undefined): Finding[] {
  if (head.status !== 200) {
    const fix = "Let the server show .well-known/tidemark; many hide all names that begin with a dot.";
    return [difference("index", path, `the server answers ${head.status}`, fix)];
  }
  const found = judgeFile("index", path, head);
  if (index === undefined) found.push(difference("index", path, "it cannot be read", exportAgain));
  else if (index.site !== `${origin}/`) {
    const fix = `Export with --base-url ${origin}/, or give crawlers ${index.site}`;
    found.push(difference("index", path, `it is of ${excerpt(index.site)}, not of ${origin}/`, fix));
  }
  const age = maxAgeSeconds(head);
  if (
    age !== undefined &&
    age > maxIndexAgeSeconds &&
    !/no-cache|no-store/i.test(head.fields.get("cache-control") ?? "")
  ) {
    const fix = "Serve the index with Cache-Control: no-cache.";
    found.push(difference("caching", path, `caches may keep the index for ${age} s`, fix));
  }
  return found;
}

/** Findings from the response for an archive. */
export function judgeArchive(path: string, head: AnswerHead): Finding[] {
  if (head.status !== 200) return [difference("archive", path, `the server answers ${head.status}`, exportAgain)];
  const found = judgeFile("archive", path, head);
  if ((maxAgeSeconds(head) ?? 0) < longAgeSeconds) {
    const fix = "Archives never change: Cache-Control: public, max-age=31536000, immutable.";
    found.push(note("caching", path, "caches are not told to keep archives", fix));
  }
  return found;
}
