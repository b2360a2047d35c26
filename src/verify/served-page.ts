import {
  type AnswerHead,
  type EpochMs,
  excerpt,
  type Finding,
  type FindingKind,
  type Page,
  parseUrl,
} from "../core/index.ts";
import { parseHttpDate } from "../formats/http/index.ts";
import { isNoindexField } from "../formats/robots/index.ts";

export interface ServedPage {
  /** Undefined without a response. */
  readonly head: AnswerHead | undefined;
  /** Why there is no complete body, if there is none. */
  readonly failure: string | undefined;
  /** Digest and size of the received body. */
  readonly sizeBytes: number;
  readonly digest: string | undefined;
  /** Whether it is an HTML page that asks not to be indexed. */
  readonly saysNoindex: boolean;
  /** Whether it contains a server-side include, which a server that processes them would have replaced. */
  readonly hasDirectives: boolean;
}

// Different names of one media type, without `x-`, which server and exporter may have from tables of different age (RFC
// 9239, RFC 8081, RFC 7303).
const sameTypes: ReadonlyArray<readonly string[]> = [
  ["text/javascript", "application/javascript"],
  ["application/xml", "text/xml"],
  ["image/icon", "image/vnd.microsoft.icon"],
  ["image/bmp", "image/ms-bmp"],
  ["application/rtf", "text/rtf"],
  ["font/woff", "application/font-woff"],
  ["font/woff2", "application/font-woff2"],
  ["font/ttf", "application/font-ttf", "application/font-sfnt"],
  ["audio/wav", "audio/wave"],
  ["audio/mp4", "audio/m4a"],
  ["video/mp4", "video/m4v"],
  ["audio/pn-realaudio", "audio/realaudio"],
  ["application/bzip2", "application/bzip"],
  ["application/vnd.rar", "application/rar", "application/rar-compressed"],
  ["application/shockwave-flash", "application/vnd.adobe.flash.movie"],
  ["application/debian-package", "application/vnd.debian.binary-package"],
];
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

const fixes = {
  together:
    "The server gives the same other bytes each time, as where it puts pages together from several files: run tidemark export with --ssi auto and --digest all; if it stays, the server rewrites pages, or shows another folder (docroot, --map).",
  again: "Run tidemark export; if it stays, the server shows another folder (docroot, --map) or rewrites pages.",
  base: "Export with the address that the server itself uses: --base-url",
  clean: "The server leaves out .html: export with --clean-urls.",
  unclean: "The server wants the ending: export without --clean-urls, or let it try files with .html added.",
  index: "The server shows index files as their folders: export with --index, such as --index index.html.",
  unindex: "The server shows no index file there: export without --index, or name the files as the server does.",
  redirect: "Publish the URL that answers, or let the server answer this one: crawlers keep what they asked for.",
  missing: "The server shows another folder than was exported: see its root and aliases, docroot and --map.",
  refused: "Let the server give the page to everybody, or hold it back with --exclude or --server-user.",
  unavailable: "See the server's error log.",
  coding: "Let the server give the file as it is where a request does not accept gzip.",
  type: "Give the ending its type in the server's table (nginx types, Apache AddType).",
  noindex: "Take the noindex away, or hold the pages back (--exclude; meta elements are found by --digest all).",
  includes:
    "The server processes no server-side includes: export with --ssi off, so that the bytes of these pages are checked.",
  date: "None is needed: equal bytes keep the time that was published.",
} as const;

/**
 * Where else a page may be, if the export was configured with wrong URL rules.
 *
 * @returns another path to try, or undefined
 */
export function planAlternative(path: string): string | undefined {
  if (path.includes("?")) return undefined;
  if (path.endsWith("/")) return `${path}index.html`;
  const short = path.replace(/\.html?$/, "");
  if (short !== path) return short.endsWith("/index") ? short.slice(0, -"index".length) : short;
  return `${path}.html`;
}

/** A finding that may be intended. */
export function note(kind: FindingKind, path: string, message: string, fix: string): Finding {
  return { kind, severity: "note", path, message, fix };
}

/** A finding by which crawlers are misled. */
export function difference(kind: FindingKind, path: string, message: string, fix: string): Finding {
  return { ...note(kind, path, message, fix), severity: "difference" };
}

function judgeStatus(
  origin: string,
  path: string,
  { status, fields }: AnswerHead,
  instead: string | undefined,
): Finding {
  const answer = `the server answers ${status}`;
  if (status === 429 || status >= 500) return difference("unavailable", path, answer, fixes.unavailable);
  if (redirects.has(status)) {
    const location = fields.get("location");
    const to = location === undefined ? undefined : parseUrl(location, origin + path);
    const message = `the server redirects (${status}) to ${excerpt(to?.href ?? "")}`;
    return difference("redirect", path, message, fixOf(origin, path, to));
  }
  const kind = status === 404 || status === 410 ? "missing" : "refused";
  const elsewhere = instead === undefined ? "" : `; ${instead} has the bytes`;
  return difference(kind, path, answer + elsewhere, fixInstead(path, instead, kind));
}

/** Whether these are one media type: with and without `x-` (RFC 6648), or by another name. */
function isSameType(one: string, other: string): boolean {
  const [served, published] = [one, other].map((type) => type.replace("/x-", "/")) as [string, string];
  return served === published || sameTypes.some((names) => names.includes(served) && names.includes(published));
}

/** How the served page differs from what is published. */
export function judgeServedPage(
  origin: string,
  page: Page,
  served: ServedPage,
  alternative: { readonly path: string; readonly agrees: boolean } | undefined,
  now: EpochMs,
): Finding[] {
  const { path } = page;
  const { head, failure } = served;
  if (head === undefined) return [difference("unavailable", path, failure ?? "no answer", fixes.unavailable)];
  const instead = alternative?.agrees === true ? alternative.path : undefined;
  if (head.status !== 200) return [judgeStatus(origin, path, head, instead)];

  const { fields } = head;
  const found: Finding[] = [];
  const coding = fields.get("content-encoding")?.toLowerCase();
  const isCoded = coding !== undefined && coding !== "identity" && coding !== "";
  const agrees = agreesWith(page, served);
  if (isCoded) {
    const message = `the server names the coding ${excerpt(coding)} though none was accepted`;
    found.push((agrees ? note : difference)("content-coding", path, message, fixes.coding));
  } else if (!agrees && page.sizeBytes !== undefined && served.sizeBytes !== page.sizeBytes) {
    const message = `${served.sizeBytes} bytes are served, ${page.sizeBytes} are published`;
    found.push(difference("size", path, failure ?? message, fixes.again));
  } else if (failure !== undefined) found.push(difference("unavailable", path, failure, fixes.unavailable));
  else if (!agrees) found.push(difference("digest", path, "other bytes are served, as many as published", fixes.again));

  const type = (fields.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  // RFC 9110 section 8.3: the type that a reader may assume for a body without one.
  const isUnknown = type === "" && page.mediaType === "application/octet-stream";
  if (!isUnknown && !isSameType(type, page.mediaType)) {
    const message = `served as ${type === "" ? "no type" : excerpt(type)}, published as ${page.mediaType}`;
    // A missing type does not mislead a crawler.
    const isSilent = ["", "application/octet-stream", "binary/octet-stream"].includes(type);
    found.push((isSilent ? note : difference)("media-type", path, message, fixes.type));
  }
  if (served.hasDirectives && page.digest === undefined && page.sizeBytes === undefined)
    found.push(note("includes", path, "a server-side include is served as it lies there", fixes.includes));
  if (isNoindexField(fields.get("x-robots-tag") ?? ""))
    found.push(difference("noindex", path, "the field X-Robots-Tag asks not to index it", fixes.noindex));
  if (served.saysNoindex) found.push(difference("noindex", path, "a meta element asks not to index it", fixes.noindex));
  const modified = parseHttpDate(fields.get("last-modified") ?? "", now);
  if (modified !== undefined && Math.floor(modified / 1000) !== page.lastModified) {
    const [ours, theirs] = [page.lastModified * 1000, modified].map((time) => new Date(time).toISOString());
    found.push(note("last-modified", path, `published ${ours}, served ${theirs}`, fixes.date));
  }
  return found;
}

/**
 * Advice for a page whose bytes differ from the published ones, after a second request: if the bytes are the same as in
 * the first, the next export would not publish a change.
 */
export function judgeServedAgain(findings: readonly Finding[], first: ServedPage, second: ServedPage): Finding[] {
  const isSame = second.failure === undefined && second.head?.status === 200 && second.digest === first.digest;
  return findings.map((one) => (isSame && isOtherBytes(one) ? { ...one, fix: fixes.together } : one));
}

/** Whether a finding says that the served bytes differ from the published ones. */
export function isOtherBytes({ kind, severity }: Finding): boolean {
  return severity === "difference" && (kind === "size" || kind === "digest");
}

export function agreesWith(page: Page, served: Pick<ServedPage, "sizeBytes" | "digest">): boolean {
  const isOfSize = page.sizeBytes === undefined || served.sizeBytes === page.sizeBytes;
  return isOfSize && (page.digest === undefined || page.digest === served.digest);
}

function fixOf(origin: string, path: string, to: URL | undefined): string {
  if (to !== undefined && to.origin !== origin) return `${fixes.base} ${to.origin}/`;
  return to === undefined ? fixes.redirect : fixInstead(path, to.pathname, "redirect");
}

function fixInstead(path: string, instead: string | undefined, otherwise: "missing" | "refused" | "redirect"): string {
  if (instead === undefined || instead !== planAlternative(path)) return fixes[otherwise];
  if (path.endsWith("/")) return fixes.unindex;
  if (instead.endsWith("/")) return fixes.index;
  return instead.length < path.length ? fixes.clean : fixes.unclean;
}
