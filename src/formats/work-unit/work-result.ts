import {
  type EpochSeconds,
  excerpt,
  isDigest,
  isMediaType,
  ok,
  parseHttpUrl,
  problem,
  type Result,
} from "../../core/index.ts";
import { isCanonicalPath } from "../url/index.ts";
import { isNonce, readCount, readParts, readSeconds } from "./text-lines.ts";
import { maxPageLinks, maxUnitPages } from "./work-unit.ts";

/** Why a page of a result has no HTTP status. */
export const unansweredReasons = ["disallowed", "failed", "too-large", "left"] as const;
/** `disallowed` by robots.txt; `failed` without an answer; `too-large`; `left` because the time was over or it was stopped. */
export type UnansweredReason = (typeof unansweredReasons)[number];

/** What came of a page. */
export interface WorkPage {
  readonly path: string;
  /** HTTP status, of a redirect its own: none is followed. */
  readonly answer: number | UnansweredReason;
  /** When it was answered, or given up. */
  readonly at: EpochSeconds;
  /** The body of a 200. */
  readonly body: { readonly sizeBytes: number; readonly digest: string; readonly mediaType: string } | undefined;
  /** Absolute URLs in the form of the URL parser, without fragment, each once; of a redirect its target. */
  readonly links: readonly string[];
}

/** What a volunteer did with a unit. */
export interface WorkResult {
  /** Of the unit. */
  readonly nonce: string;
  readonly startedAt: EpochSeconds;
  readonly endedAt: EpochSeconds;
  /** Whether every page has an answer; else some are `left`. */
  readonly isComplete: boolean;
  /** The digest of robots.txt that was obeyed, that of no bytes where there is none; `unreachable`: then no page was requested. */
  readonly robots: string;
  /** Pages of the unit, each at most once. */
  readonly pages: readonly WorkPage[];
}

/** Most bytes of a result's text. */
export const maxResultBytes: number = 8 * 1024 * 1024;

const header = "tidemark-work-result 1";
const names = ["nonce", "started", "ended", "state", "robots"] as const;
const maxLinkCharacters = 2048;
const maxBodyBytes = 2 ** 40;

/** Writes a result. What {@link parseWorkResult} reads back is equal. */
export function formatWorkResult({ nonce, startedAt, endedAt, isComplete, robots, pages }: WorkResult): string {
  const values = [nonce, startedAt, endedAt, isComplete ? "complete" : "partial", robots];
  const fields = names.map((name, at) => `${name}: ${values[at]}\n`);
  return `${header}\n${fields.join("")}\n${pages.map(formatPage).join("")}`;
}

function formatPage({ path, answer, at, body, links }: WorkPage): string {
  const { sizeBytes, digest, mediaType } = body ?? { sizeBytes: "-", digest: "-", mediaType: "-" };
  return `${[at, answer, sizeBytes, digest, mediaType, path, ...links].join("\t")}\n`;
}

/**
 * Reads a result, in time and memory that grow as its text does. Whether it is that of a unit is for who has the unit.
 *
 * @returns problems `too-long`, `bad-encoding`, `bad-header`, `bad-field`, `bad-line`
 */
export function parseWorkResult(content: Uint8Array): Result<WorkResult> {
  const parts = readParts(content, { header, names, maxBytes: maxResultBytes, maxLines: maxUnitPages });
  if (!parts.ok) return parts;
  const { fields, lines } = parts.value;
  const [nonce = "", state = "", robots = ""] = ["nonce", "state", "robots"].map((name) => fields.get(name));
  const [startedAt, endedAt] = [readSeconds(fields.get("started")), readSeconds(fields.get("ended"))];
  if (!isNonce(nonce)) return problem("bad-field", "its nonce is not 32 hexadecimal digits");
  if (startedAt === undefined || endedAt === undefined || endedAt < startedAt)
    return problem("bad-field", "it ended before it started");
  if (state !== "complete" && state !== "partial") return problem("bad-field", "its state is none");
  if (robots !== "unreachable" && !isDigest(robots))
    return problem("bad-field", "what it says of robots.txt is no digest");
  const pages: WorkPage[] = [];
  const paths = new Set<string>();
  for (const line of lines) {
    const page = parsePage(line, startedAt, endedAt);
    if (!page.ok) return page;
    if (paths.has(page.value.path)) return problem("bad-line", `it has a page twice: ${excerpt(page.value.path)}`);
    paths.add(page.value.path);
    pages.push(page.value);
  }
  const isComplete = state === "complete";
  if (isComplete === pages.some(({ answer }) => answer === "left"))
    return problem("bad-field", "its state is not that of its pages");
  return ok({ nonce, startedAt, endedAt, isComplete, robots, pages });
}

function parsePage(line: string, startedAt: EpochSeconds, endedAt: EpochSeconds): Result<WorkPage> {
  const [time, status = "", size, digest = "", mediaType = "", path = "", ...links] = line.split(
    "\t",
    maxPageLinks + 7,
  );
  const at = readSeconds(time);
  if (at === undefined || at < startedAt || at > endedAt)
    return problem("bad-line", `a page has a time outside of the visit: ${excerpt(line)}`);
  if (!isCanonicalPath(path)) return problem("bad-line", `not a path of a page: ${excerpt(path)}`);
  const reason = unansweredReasons.find((one) => one === status);
  const answer = reason ?? readCount(status, 200, 599);
  if (answer === undefined) return problem("bad-line", `not an answer: ${excerpt(status)}`);
  const sizeBytes = readCount(size, 0, maxBodyBytes);
  const hasBody = sizeBytes !== undefined && isDigest(digest) && isMediaType(mediaType);
  if (!hasBody && (size !== "-" || digest !== "-" || mediaType !== "-"))
    return problem("bad-line", `not a size, a digest and a media type: ${excerpt(line)}`);
  if (hasBody && answer !== 200) return problem("bad-line", "a page that is no 200 has a body");
  if (links.length > maxPageLinks) return problem("bad-line", `a page has more than ${maxPageLinks} links`);
  const isRedirect = typeof answer === "number" && answer >= 300 && answer < 400;
  if (links.length > (isRedirect ? 1 : hasBody ? maxPageLinks : 0))
    return problem("bad-line", "a page without a body has links");
  if (new Set(links).size !== links.length) return problem("bad-line", `a page has a link twice: ${excerpt(path)}`);
  const wrong = links.find((link) => !isCanonicalLink(link));
  if (wrong !== undefined) return problem("bad-line", `not a canonical link: ${excerpt(wrong)}`);
  return ok({ path, answer, at, body: hasBody ? { sizeBytes, digest, mediaType } : undefined, links });
}

/** Whether a link is absolute, of the Web, without fragment and login, and what the URL parser would make of it. */
export function isCanonicalLink(link: string): boolean {
  const url = link.length > maxLinkCharacters ? undefined : parseHttpUrl(link);
  return url !== undefined && url.href === link && !link.includes("#") && url.username + url.password === "";
}
