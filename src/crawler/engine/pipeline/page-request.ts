import type { BodyWriter } from "../../../core/index.ts";
import {
  type EpochSeconds,
  excerpt,
  type FetchedOutcome,
  type FetchOutcome,
  type HeldBody,
  isLasting,
  isMediaType,
  ok,
  type Page,
  type PageUsage,
  problem,
  type Result,
  type TrackedUrl,
  type Validators,
} from "../../../core/index.ts";
import { parseHttpDate } from "../../../formats/http/index.ts";
import { robotsAllow } from "../../../formats/robots/index.ts";
import { parseW3cDate } from "../../../formats/time/index.ts";
import type { CrawlVisit, LinkedPage } from "../discovery/crawl-visit.ts";
import { hasLinks, pathOfUrl } from "../discovery/url-scope.ts";
import type { Postponed } from "../politeness/patient-request.ts";
import { describeOutcome, getPatiently, maxTroublesInARow, type VisitRequest } from "../politeness/patient-request.ts";
import { isFullFetchDue } from "../revisit/poll-policy.ts";
import { isCodingUnused } from "../visit/unused-coding.ts";
import type { PageRoom } from "../visit/visit-bounds.ts";
import { isLongAway } from "./due-urls.ts";
import { maxBytesInMemory, PageBody } from "./page-body.ts";
import type { PageFinding } from "./page-judgement.ts";
import { findUnwanted, usageOfBody, usageOfHeld } from "./page-usage.ts";

const maxRedirects = 5;
/** A body may be so much larger than its record says; a longer one is not the page. */
const maxGrowthBytes = 16 * 1024 * 1024;
/** A coding that was not asked for is undone in memory, if body and result are no larger. */
const maxUndoneBytes = 32 * 1024 * 1024;
/** Larger pages are kept and not searched for links. */
const maxSearchedBytes = 16 * 1024 * 1024;
/** A held page that is larger is not compared with the one that comes. */
const maxComparedBytes = 4 * 1024 * 1024;

/** An answer to a request for a page, with its body. */
export interface PageAnswer extends Disposable {
  readonly outcome: FetchOutcome | Postponed;
  readonly body: PageBody;
  readonly room: PageRoom;
  /** The held body of a page that was not modified, if its links are to be read. */
  readonly searchable?: Uint8Array;
}

/** What came for a page. */
export interface ReceivedPage {
  readonly finding: PageFinding;
  /** The path whose body it is: that of the page, or of the one to which it redirects. */
  readonly path: string;
  /** The body without content coding, if its links are to be read. */
  readonly searchable: Uint8Array | undefined;
  readonly head: LinkedPage["head"];
}

/** The page whose body came: the one that was requested, or the one to which it redirects. */
export interface BodyOwner {
  readonly path: string;
  /** Whether this visit requests it, or has a body of it already. */
  readonly isAnswered: boolean;
}

interface Body extends HeldBody {
  readonly content: Uint8Array | BodyWriter;
}

function hasValidators({ etag, lastModified }: Validators): boolean {
  return etag !== undefined || lastModified !== undefined;
}

function agrees({ sizeBytes, digest }: Page, body: HeldBody): boolean {
  return (sizeBytes === undefined || sizeBytes === body.sizeBytes) && (digest === undefined || digest === body.digest);
}

/** Most bytes that the body of a page may have. */
export function maxBytesOf({ bounds }: CrawlVisit, announced: Page | undefined): number {
  const saidBytes = announced?.sizeBytes;
  return saidBytes === undefined ? bounds.bodyBytes : Math.min(bounds.bodyBytes, saidBytes + maxGrowthBytes);
}

/**
 * Whether a body is the announced one. A record without a digest does not promise bytes: those of a page with a counter or
 * a build stamp change, also in number, and are not published again. Only a body that is older than the record is not the page.
 */
function isAcceptable(
  visit: CrawlVisit,
  page: Page,
  body: HeldBody,
  { validators, lastModified = validators.lastModified }: Pick<FetchedOutcome, "validators" | "lastModified">,
): boolean {
  if (agrees(page, body)) return true;
  if (page.digest !== undefined || lastModified === undefined) return false;
  const servedMs = parseHttpDate(lastModified, visit.ports.timing.now());
  return servedMs !== undefined && servedMs >= page.lastModified * 1000;
}

/**
 * The validators of a request: those of the held body, if it came whole not too long ago. A page whose record has another
 * digest, or is newer, or whose body is not there as it is remembered, is requested whole: at best, a 304 would be wrong.
 */
function validatorsFor(
  visit: CrawlVisit,
  { path, announced, held, validators, fullAt }: TrackedUrl,
): Validators | undefined {
  if (!hasValidators(validators)) return undefined;
  const fetchedAt = fullAt === undefined ? undefined : fullAt * 1000;
  if (isFullFetchDue({ path, fetchedAt }, visit.ports.timing.now(), visit.distrustMs)) return undefined;
  if (announced === undefined) return validators;
  if (held === undefined || announced.digest !== undefined || announced.lastModified > held.lastModified)
    return undefined;
  return visit.ports.bodies.adopt(held) === undefined ? undefined : validators;
}

/** Requests a page, conditionally if possible. A large body is in a file that is dropped with the answer. */
export async function askForPage(visit: CrawlVisit, url: TrackedUrl): Promise<PageAnswer> {
  const answer = await ask(visit, url, validatorsFor(visit, url));
  if (answer.outcome.kind !== "not-modified") return answer;
  // The validators are those of this page; otherwise the page to which it redirects by now is not modified.
  if (answer.outcome.requests === 1) {
    if (!isToBeSearched(visit, url)) return answer;
    const searchable = await readHeld(visit, url);
    if (searchable !== undefined) return { ...answer, searchable };
  }
  answer[Symbol.dispose]();
  return await ask(visit, url, undefined);
}

function isToBeSearched({ plan }: CrawlVisit, { held, hasUnreadLinks }: TrackedUrl): boolean {
  if (!hasUnreadLinks || held === undefined || plan?.followsLinks !== true) return false;
  return hasLinks(held.mediaType) && held.sizeBytes <= maxSearchedBytes;
}

/** The held body, if it is there and can be read without knowing what the server said of its characters. */
async function readHeld(visit: CrawlVisit, { path, held }: TrackedUrl): Promise<Uint8Array | undefined> {
  const body = await visit.ports.bodies.read(path, maxSearchedBytes);
  if (body === undefined || visit.ports.codec.digestOf(body) !== held?.digest) return undefined;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(body);
    return body;
  } catch {
    return undefined;
  }
}

/** Whether we ended the request ourselves: it says nothing of the page, which is as it was. */
export function isBrokenOff(outcome: FetchOutcome): boolean {
  return outcome.kind === "failed" && outcome.reason === "aborted";
}

/** Whether the budget and the site's state leave room for another attempt. */
function mayAskAgain({ budget, tally }: CrawlVisit): boolean {
  // This page is counted twice, among the requests and among those under way.
  return tally.pageRequests + tally.pagesUnderWay - 1 < budget && tally.troublesInARow < maxTroublesInARow;
}

async function ask(visit: CrawlVisit, url: TrackedUrl, validators: Validators | undefined): Promise<PageAnswer> {
  const { announced, held } = url;
  const { bodies, codec } = visit.ports;
  let body = new PageBody(bodies, codec);
  let room = visit.bounds.openPage(held?.sizeBytes);
  const drop = (): void => {
    body[Symbol.dispose]();
    room[Symbol.dispose]();
  };
  const refused = visit.bounds.refuse(announced?.sizeBytes, held?.sizeBytes);
  if (refused !== undefined) {
    const outcome = { kind: "failed", ...refused, receivedBytes: 0, requests: 0 } as const;
    return { outcome, body, room, [Symbol.dispose]: drop };
  }
  // A body that is announced as small is not copied piece by piece.
  const isSmall = (announced?.sizeBytes ?? Infinity) <= maxBytesInMemory;
  const makeRequest = (): VisitRequest => {
    drop();
    room = visit.bounds.openPage(held?.sizeBytes);
    body = new PageBody(bodies, codec);
    return {
      path: url.path,
      maxBytes: maxBytesOf(visit, announced),
      onProgress: room.take,
      validators,
      maxRedirects,
      // Announced are the bytes as published.
      acceptCoding: announced === undefined,
      mayFollow: (to) => robotsAllow(visit.robots, visit.agent, pathOfUrl(to)) && visit.filter.admits(pathOfUrl(to)),
      sink: isSmall ? undefined : body,
    };
  };
  try {
    const outcome = await getPatiently(visit, "page", makeRequest, () => !isLongAway(url) && mayAskAgain(visit));
    if (isSmall && outcome.kind === "fetched") body.set(outcome.body);
    return { outcome, body, room, [Symbol.dispose]: drop };
  } catch (error) {
    drop();
    throw error;
  }
}

/** What an answer without a body says of a page. */
function findingOf(visit: CrawlVisit, url: TrackedUrl, outcome: Exclude<FetchOutcome, FetchedOutcome>): PageFinding {
  const { announced, held, validators: known } = url;
  if (outcome.kind === "not-modified") {
    const { validators } = outcome;
    const usage = usageOfHeld(visit, url, outcome);
    const unwanted = findUnwanted(visit, usage);
    if (unwanted !== undefined) return unwanted;
    if (announced === undefined || held === undefined)
      return { kind: "unmodified", page: undefined, agrees: true, validators, usage };
    const { sizeBytes, digest } = held;
    const page = { ...announced, sizeBytes, digest };
    const isIt = isAcceptable(visit, announced, held, { validators: { ...known, ...validators } });
    // The body gets the time of its record.
    if (isIt) visit.ports.bodies.adopt(page);
    return { kind: "unmodified", page, agrees: isIt, validators, usage };
  }
  if (outcome.kind === "gone") return { kind: "gone", final: outcome.status === 410 };
  if (outcome.kind === "failed" && outcome.reason === "redirect-taken") return { kind: "alias" };
  // The page itself may be requested, and may redirect so for an hour only.
  if (outcome.kind === "failed" && outcome.reason === "redirect-disallowed")
    return { kind: "trouble", trouble: "unavailable", message: outcome.message, leadsToDisallowed: true };
  const trouble = isLasting(outcome) ? "refused" : "unavailable";
  const isTooLarge = outcome.kind === "failed" && outcome.reason === "too-large";
  return { kind: "trouble", trouble, message: describeOutcome(outcome), isTooLarge };
}

/**
 * A server may have coded a body although it was asked not to; some name a coding that they did not apply.
 *
 * @returns a problem if nothing says that the body is the announced one: it is not coded as it says, or too large to be decoded
 */
function decodeAnnounced(
  visit: CrawlVisit,
  { announced, held }: TrackedUrl,
  received: Body,
  coding: string,
): Result<Body> {
  // A record without size and digest agrees with everything, coded or not.
  const isSaid = announced?.sizeBytes !== undefined || announced?.digest !== undefined;
  if (isSaid && agrees(announced, received)) return ok(received);
  if (received.sizeBytes > maxUndoneBytes)
    return problem("bad-coding", `${received.sizeBytes} bytes coded as ${excerpt(coding)}, which was not asked for`);
  const bytes = received.content instanceof Uint8Array ? received.content : received.content.read();
  if (held === undefined && isCodingUnused(bytes, coding)) return ok(received);
  const decoded = visit.ports.codec.decode(bytes, coding, Math.min(maxUndoneBytes, maxBytesOf(visit, announced)));
  if (!decoded.ok) return decoded;
  const content = decoded.value;
  return ok({ content, sizeBytes: content.length, digest: visit.ports.codec.digestOf(content) });
}

function mediaTypeOf(visit: CrawlVisit, path: string, contentType: string | undefined): string {
  const essence = (contentType ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  return isMediaType(essence) ? essence : (visit.ports.mediaTypes.typeOf(path) ?? "application/octet-stream");
}

function lastModifiedOf(visit: CrawlVisit, { lastmod }: TrackedUrl, outcome: FetchedOutcome): EpochSeconds {
  const nowMs = visit.ports.timing.now();
  const now = Math.floor(nowMs / 1000);
  const servedMs = parseHttpDate(outcome.lastModified ?? outcome.validators.lastModified ?? "", nowMs);
  const listed = lastmod === undefined ? undefined : parseW3cDate(lastmod);
  return Math.min(servedMs === undefined ? (listed ?? now) : Math.floor(servedMs / 1000), now);
}

/** Whether a page resembles the one in whose place it comes so much that its change does not count. */
async function isInsignificantChange(
  visit: CrawlVisit,
  { path, mediaType, sizeBytes }: Page & HeldBody,
  body: PageBody,
): Promise<boolean> {
  const { significance, ports } = visit;
  if (significance?.texts.appliesTo(mediaType, sizeBytes) !== true) return false;
  const before = await ports.bodies.read(path, maxComparedBytes);
  if (before === undefined) return false;
  return significance.texts.compare(before, body.read(), mediaType) >= significance.leastResemblance;
}

/** Keeps a body in place of the held one. @returns a finding if there is no place for it */
async function keepBody(
  visit: CrawlVisit,
  room: PageRoom,
  page: Page & HeldBody,
  content: Uint8Array | BodyWriter,
): Promise<PageFinding | undefined> {
  const kept = await visit.ports.bodies.keep(page, content);
  if (!kept.ok) return { kind: "trouble", trouble: "mirror", message: kept.error.message };
  room.keep(page.sizeBytes);
  return undefined;
}

async function keepAnnounced(
  visit: CrawlVisit,
  url: TrackedUrl,
  announced: Page,
  { body, room }: PageAnswer,
  outcome: FetchedOutcome,
): Promise<PageFinding> {
  const received = { content: body.content(), sizeBytes: body.sizeBytes, digest: body.digest() };
  const { contentEncoding = "identity", validators } = outcome;
  const chosen = contentEncoding === "identity" ? ok(received) : decodeAnnounced(visit, url, received, contentEncoding);
  if (!chosen.ok) return { kind: "trouble", trouble: "refused", message: chosen.error.message };
  const { content, sizeBytes, digest } = chosen.value;
  const page = { ...announced, sizeBytes, digest };
  const collision = await keepBody(visit, room, page, content);
  if (collision !== undefined) return collision;
  const isIt = isAcceptable(visit, announced, page, outcome);
  return { kind: "body", page, digest, agrees: isIt, validators, isInsignificant: false };
}

async function keepPolled(
  visit: CrawlVisit,
  url: TrackedUrl,
  page: Page & HeldBody,
  { body, room }: PageAnswer,
  { validators, contentEncoding = "identity" }: FetchedOutcome,
): Promise<PageFinding> {
  const { path, digest, sizeBytes } = page;
  if (!visit.filter.matches(page.mediaType))
    return { kind: "body", page: undefined, digest, agrees: true, validators, isInsignificant: false };
  const held = path === url.path ? url.held : visit.ports.urls.find(path)?.held;
  // The times of an equal body are those of the held one.
  const isEqual = path === url.path && held?.digest === digest && held.sizeBytes === sizeBytes;
  // It may be anything, such as what a proxy says in the page's place.
  if (contentEncoding !== "identity" && held !== undefined && !isEqual)
    return {
      kind: "trouble",
      trouble: "refused",
      message: `the body is not coded as ${excerpt(contentEncoding)}, which it says`,
    };
  const isInsignificant =
    !isEqual && path === url.path && held !== undefined && (await isInsignificantChange(visit, page, body));
  const kept = isEqual ? held : page;
  // What never came whole, or is in doubt, is written even if it should be there already.
  if (!isEqual || url.fullAt === undefined) {
    const collision = await keepBody(visit, room, kept, body.content());
    if (collision !== undefined) return collision;
  }
  return { kind: "body", page: kept, digest, agrees: true, validators, isInsignificant };
}

function stating(finding: PageFinding, usage: PageUsage): PageFinding {
  return finding.kind === "body" ? { ...finding, usage } : finding;
}

/**
 * Judges what came for a page and keeps its body: an announced one as it is announced, others if their type is wanted.
 *
 * @param owner - undefined if it redirects to what is to be no page
 */
export async function receivePage(
  visit: CrawlVisit,
  url: TrackedUrl,
  answer: PageAnswer,
  outcome: FetchOutcome,
  owner: BodyOwner | undefined,
): Promise<ReceivedPage> {
  const { path, announced, held } = url;
  if (outcome.kind !== "fetched") {
    const head = { contentType: held?.mediaType };
    return { finding: findingOf(visit, url, outcome), path, searchable: answer.searchable, head };
  }
  if (announced !== undefined) {
    const usage = usageOfBody(visit, announced, outcome, answer.body);
    const finding = findUnwanted(visit, usage) ?? (await keepAnnounced(visit, url, announced, answer, outcome));
    return { finding: stating(finding, usage), path, searchable: undefined, head: outcome };
  }
  if (owner === undefined) return { finding: { kind: "alias" }, path, searchable: undefined, head: outcome };
  const { body } = answer;
  const { sizeBytes } = body;
  const mediaType = mediaTypeOf(visit, owner.path, outcome.contentType);
  const isSearched = visit.plan?.followsLinks === true && hasLinks(mediaType) && sizeBytes <= maxSearchedBytes;
  const searchable = isSearched ? body.read() : undefined;
  const lastModified = lastModifiedOf(visit, url, outcome);
  const page = { path: owner.path, sizeBytes, digest: body.digest(), lastModified, mediaType };
  const usage = usageOfBody(visit, page, outcome, body);
  const unwanted = findUnwanted(visit, usage);
  // Another body of the other page would replace the one whose digest is remembered.
  const finding =
    unwanted ??
    (owner.isAnswered ? { kind: "alias" } : stating(await keepPolled(visit, url, page, answer, outcome), usage));
  const isUnusable = finding.kind === "trouble" && finding.trouble === "refused";
  return { finding, path: owner.path, searchable: isUnusable ? undefined : searchable, head: outcome };
}
