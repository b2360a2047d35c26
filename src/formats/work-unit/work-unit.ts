import { type EpochSeconds, excerpt, ok, parseHttpUrl, problem, type Result } from "../../core/index.ts";
import { isCanonicalPath } from "../url/index.ts";
import { isNonce, readCount, readParts, readSeconds } from "./text-lines.ts";

/** Pages of one site that a volunteer fetches. */
export interface WorkUnit {
  /** 32 hexadecimal digits, other ones for each copy of a unit; the result repeats them. */
  readonly nonce: string;
  /** When the server made it. */
  readonly issuedAt: EpochSeconds;
  /** A result that comes later is refused. */
  readonly deadline: EpochSeconds;
  /** Such as `https://example.org`, without a slash at the end. */
  readonly origin: string;
  /** What is sent as User-Agent; robots.txt is obeyed under the name in it. */
  readonly userAgent: string;
  /** Least time between two requests, in milliseconds; a longer Crawl-delay holds. */
  readonly crawlDelayMs: number;
  /** Most bytes of a page. */
  readonly pageBytes: number;
  /** Most milliseconds for all of it. */
  readonly timeMs: number;
  /** Most links that are told of a page: the first ones. */
  readonly pageLinks: number;
  /** Paths with query, 1 to 500, each once, in the order in which they are requested. */
  readonly paths: readonly string[];
}

/** Most pages of a unit. */
export const maxUnitPages = 500;
/** Most bytes of a unit's text. */
export const maxUnitBytes: number = 1024 * 1024;

const header = "tidemark-work-unit 1";
const names = [
  "nonce",
  "issued",
  "deadline",
  "origin",
  "user-agent",
  "crawl-delay-ms",
  "page-bytes",
  "time-ms",
  "page-links",
] as const;
const hourMs = 3_600_000;
const maxPageBytes = 64 * 1024 * 1024;
export const maxPageLinks = 5000;

/** Writes a unit. What {@link parseWorkUnit} reads back is equal. */
export function formatWorkUnit(unit: WorkUnit): string {
  const values = [
    unit.nonce,
    unit.issuedAt,
    unit.deadline,
    unit.origin,
    unit.userAgent,
    unit.crawlDelayMs,
    unit.pageBytes,
    unit.timeMs,
    unit.pageLinks,
  ];
  const fields = names.map((name, at) => `${name}: ${values[at]}\n`);
  return `${header}\n${fields.join("")}\n${unit.paths.map((path) => `${path}\n`).join("")}`;
}

/** Reads a unit. All pages are of one site: nothing else can be said. */
export function parseWorkUnit(content: Uint8Array): Result<WorkUnit> {
  const parts = readParts(content, { header, names, maxBytes: maxUnitBytes, maxLines: maxUnitPages });
  if (!parts.ok) return parts;
  const { fields, lines: paths } = parts.value;
  const [nonce = "", origin = "", userAgent = ""] = ["nonce", "origin", "user-agent"].map((name) => fields.get(name));
  const [issuedAt, deadline] = [readSeconds(fields.get("issued")), readSeconds(fields.get("deadline"))];
  const crawlDelayMs = readCount(fields.get("crawl-delay-ms"), 0, hourMs);
  const pageBytes = readCount(fields.get("page-bytes"), 1, maxPageBytes);
  const timeMs = readCount(fields.get("time-ms"), 1, 24 * hourMs);
  const pageLinks = readCount(fields.get("page-links"), 0, maxPageLinks);
  if (!isNonce(nonce)) return problem("bad-field", "its nonce is not 32 hexadecimal digits");
  if (issuedAt === undefined || deadline === undefined || deadline <= issuedAt)
    return problem("bad-field", "its deadline is not after the time at which it was issued");
  if (!isOrigin(origin)) return problem("bad-field", `its origin is none: ${excerpt(origin)}`);
  if (userAgent === "" || userAgent.length > 256 || userAgent.trim() !== userAgent)
    return problem("bad-field", "its user-agent is empty or too long");
  if (crawlDelayMs === undefined || pageBytes === undefined || timeMs === undefined || pageLinks === undefined)
    return problem("bad-field", "one of its limits is out of bounds");
  if (paths.length === 0) return problem("bad-line", "it has no page");
  const wrong = paths.find((path) => !isCanonicalPath(path));
  if (wrong !== undefined) return problem("bad-line", `not a path of a page: ${excerpt(wrong)}`);
  if (new Set(paths).size !== paths.length) return problem("bad-line", "it has a page twice");
  return ok({ nonce, issuedAt, deadline, origin, userAgent, crawlDelayMs, pageBytes, timeMs, pageLinks, paths });
}

function isOrigin(text: string): boolean {
  const url = text.length > 300 ? undefined : parseHttpUrl(text);
  return url !== undefined && url.origin === text;
}
