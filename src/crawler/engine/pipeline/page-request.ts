import type { BodyWriter, PageDigest } from "../../../core/index.ts";
import {
  confirmValidators,
  excerpt,
  type FetchedOutcome,
  type FetchItem,
  type FetchOutcome,
  isLasting,
  ok,
  type Page,
  problem,
  type Result,
  type Validators,
} from "../../../core/index.ts";
import { parseHttpDate } from "../../../formats/http/index.ts";
import { robotsAllow } from "../../../formats/robots/index.ts";
import type { Postponed } from "../politeness/patient-request.ts";
import { describeOutcome, getPatiently, maxTroublesInARow } from "../politeness/patient-request.ts";
import type { CrawlVisit } from "../visit/crawl-visit.ts";
import { isCancelled } from "../visit/reading-visit.ts";
import type { PageRoom } from "../visit/visit-bounds.ts";
import { isLongAway } from "./due-work.ts";
import type { PageFinding } from "./page-judgement.ts";

/** Bodies that should be larger, or of which nobody said how large, go to a file as they come. */
const maxBodyInMemoryBytes = 256 * 1024;
/** A body may be so much larger than its record says; what is longer is not the page. */
const maxGrowthBytes = 16 * 1024 * 1024;

const maxRedirects = 5;
/** A coding that was not asked for is undone in memory, where body and result are no larger. */
const maxUndoneBytes = 32 * 1024 * 1024;

/** A large body on its way to the mirror, with its digest. */
class LargeBody {
  readonly writer: BodyWriter;
  readonly #digest: PageDigest;
  sizeBytes = 0;

  constructor(visit: CrawlVisit) {
    this.writer = visit.ports.bodies.open();
    this.#digest = visit.ports.codec.createDigest();
  }

  write(chunk: Uint8Array): void {
    this.writer.write(chunk);
    this.#digest.update(chunk);
    this.sizeBytes += chunk.length;
  }

  digest(): string {
    return this.#digest.digest();
  }
}

interface Body {
  readonly content: Uint8Array | BodyWriter;
  readonly sizeBytes: number;
  readonly digest: string;
}

function agrees(page: Page, body: Pick<Body, "sizeBytes" | "digest">): boolean {
  const hasSize = page.sizeBytes === undefined || page.sizeBytes === body.sizeBytes;
  return hasSize && (page.digest === undefined || page.digest === body.digest);
}

/** Most bytes that a body of a page may have. */
export function maxBytesOf({ bounds }: CrawlVisit, { sizeBytes }: Page): number {
  return sizeBytes === undefined ? bounds.bodyBytes : Math.min(bounds.bodyBytes, sizeBytes + maxGrowthBytes);
}

/**
 * A record without a digest promises no bytes: those of a page with a counter or a build stamp change, also in
 * number, and are not published again. Only a body that is older than the record is not the page.
 */
function isAcceptable(
  visit: CrawlVisit,
  page: Page,
  body: Pick<Body, "sizeBytes" | "digest">,
  { validators, lastModified = validators.lastModified }: Pick<FetchedOutcome, "validators" | "lastModified">,
): boolean {
  if (agrees(page, body)) return true;
  if (page.digest !== undefined || lastModified === undefined) return false;
  const servedMs = parseHttpDate(lastModified, visit.ports.timing.now());
  return servedMs !== undefined && servedMs >= page.lastModified * 1000;
}

function bodyOf(visit: CrawlVisit, content: Uint8Array): Body {
  return { content, sizeBytes: content.length, digest: visit.ports.codec.digestOf(content) };
}

/**
 * A server may have coded the body although it was asked not to; some name a coding that they did not apply.
 *
 * @returns a problem where nothing says that the body is the page: it is not coded as it says, or too large to be undone
 */
function chooseBody(
  visit: CrawlVisit,
  { page, held }: FetchItem,
  received: Body,
  { contentEncoding = "identity" }: FetchedOutcome,
): Result<Body> {
  if (contentEncoding === "identity") return ok(received);
  // A record of neither size nor digest agrees with everything, coded or not.
  const isSaid = page.sizeBytes !== undefined || page.digest !== undefined;
  if (isSaid && agrees(page, received)) return ok(received);
  if (received.sizeBytes > maxUndoneBytes)
    return problem(
      "bad-coding",
      `${received.sizeBytes} bytes coded as ${excerpt(contentEncoding)}, which was not asked for`,
    );
  const content = received.content instanceof Uint8Array ? received.content : received.content.read();
  if (held === undefined && /^(?:x-)?gzip$/.test(contentEncoding) && !isGzip(content)) return ok(received);
  const maxBytes = Math.min(maxUndoneBytes, maxBytesOf(visit, page));
  const decoded = visit.ports.codec.decode(content, contentEncoding, maxBytes);
  return decoded.ok ? ok(bodyOf(visit, decoded.value)) : decoded;
}

function isGzip([first, second]: Uint8Array): boolean {
  return first === 0x1f && second === 0x8b;
}

async function keepBody(
  visit: CrawlVisit,
  item: FetchItem,
  received: Body,
  outcome: FetchedOutcome,
  room: PageRoom,
): Promise<PageFinding> {
  const { page } = item;
  const chosen = chooseBody(visit, item, received, outcome);
  if (!chosen.ok) return { kind: "trouble", trouble: "refused", message: chosen.error.message };
  const body = chosen.value;
  const { sizeBytes, digest } = body;
  const kept = await visit.ports.bodies.keep({ ...page, sizeBytes, digest }, body.content);
  if (!kept.ok) return { kind: "trouble", trouble: "mirror", message: kept.error.message };
  room.keep(sizeBytes);
  return {
    kind: "body",
    sizeBytes,
    digest,
    agrees: isAcceptable(visit, page, body, outcome),
    validators: outcome.validators,
  };
}

function findingOf(outcome: Exclude<FetchOutcome, FetchedOutcome>): PageFinding {
  if (outcome.kind === "gone") return { kind: "gone", final: outcome.status === 410 };
  if (outcome.kind === "failed" && outcome.reason === "redirect-disallowed")
    return { kind: "trouble", trouble: "disallowed", message: outcome.message };
  const trouble = isLasting(outcome) ? "refused" : "unavailable";
  return { kind: "trouble", trouble, message: describeOutcome(outcome) };
}

/** What is held is what the server has; with the time of the record, it is the page unless its size or time says otherwise. */
function findingOfHeld(
  visit: CrawlVisit,
  page: Page,
  { page: held, validators: known }: NonNullable<FetchItem["known"]>,
  told: Validators,
): PageFinding {
  const { sizeBytes, digest } = held;
  const validators = confirmValidators(known, told);
  if (!isAcceptable(visit, page, held, { validators }))
    return { kind: "body", sizeBytes, digest, agrees: false, validators };
  const adopted = visit.ports.bodies.adopt({ ...page, sizeBytes, digest });
  return { kind: "adopted", ...(adopted ?? { sizeBytes, digest }) };
}

/** Whether we ended the request ourselves: it says nothing of the page, which is as it was. */
export function isBrokenOff(outcome: FetchOutcome): boolean {
  return outcome.kind === "failed" && outcome.reason === "aborted";
}

/** Path and query of a whole URL. */
export function pathOf(url: string): string {
  return url.slice(url.indexOf("/", url.indexOf("//") + 2));
}

/** Whether the budget and the site's state leave room for another attempt. */
export function mayAskAgain({ budget, tally }: CrawlVisit): boolean {
  // This page is counted twice, among the requests and among those under way.
  return tally.pageRequests + tally.pagesUnderWay - 1 < budget && tally.troublesInARow < maxTroublesInARow;
}

/** An answer to a request for a page, with what came of its body. */
export interface PageAnswer extends Disposable {
  readonly outcome: FetchOutcome | Postponed;
  readonly large: LargeBody | undefined;
  readonly room: PageRoom;
}

/**
 * What is held of a page, if nothing says that it has changed and it is there as it is remembered. One whose record has
 * another digest, or is newer, is asked for whole: all that its validators could bring is a 304 that is wrong.
 */
function knownBody(visit: CrawlVisit, { page, known }: FetchItem): FetchItem["known"] {
  if (known === undefined || page.lastModified > known.page.lastModified) return undefined;
  return visit.ports.bodies.adopt(known.page) === undefined ? undefined : known;
}

/**
 * Asks for one page, conditionally where its body is held and may be what the record says. Memory is a small body; a large
 * one goes to a file that is dropped with the answer.
 */
export async function askForPage(visit: CrawlVisit, item: FetchItem): Promise<PageAnswer> {
  const answer = await ask(visit, item, knownBody(visit, item)?.validators);
  // The validators are those of this page; what is not modified is the one that it leads to by now.
  if (answer.outcome.kind !== "not-modified" || answer.outcome.requests === 1) return answer;
  answer[Symbol.dispose]();
  return await ask(visit, item, undefined);
}

async function ask(visit: CrawlVisit, item: FetchItem, validators: Validators | undefined): Promise<PageAnswer> {
  const { page, held } = item;
  const isLarge = page.sizeBytes === undefined || page.sizeBytes > maxBodyInMemoryBytes;
  let large: LargeBody | undefined;
  let room = visit.bounds.openPage(held?.sizeBytes);
  const drop = (): void => {
    large?.writer.discard();
    room[Symbol.dispose]();
  };
  const refused = visit.bounds.refuse(page.sizeBytes, held?.sizeBytes);
  if (refused !== undefined) {
    const outcome = { kind: "failed", ...refused, receivedBytes: 0, requests: 0 } as const;
    return { outcome, large, room, [Symbol.dispose]: drop };
  }
  try {
    const outcome = await getPatiently(
      visit,
      "page",
      () => {
        drop();
        room = visit.bounds.openPage(held?.sizeBytes);
        const sink = isLarge ? new LargeBody(visit) : undefined;
        large = sink;
        return {
          path: page.path,
          maxBytes: maxBytesOf(visit, page),
          onProgress: room.take,
          ...(validators === undefined ? {} : { validators }),
          maxRedirects,
          mayFollow: (url) => robotsAllow(visit.robots, visit.agent, pathOf(url)),
          ...(sink === undefined ? {} : { sink: { write: (chunk) => sink.write(chunk) } }),
        };
      },
      () => !isLongAway(item) && mayAskAgain(visit),
    );
    return { outcome, large, room, [Symbol.dispose]: drop };
  } catch (error) {
    drop();
    throw error;
  }
}

/**
 * Keeps what came for a page. What is held is only replaced by a whole body.
 *
 * @returns what was found; undefined if the page was not asked for, or the visit was cancelled meanwhile
 */
export async function findPage(
  visit: CrawlVisit,
  item: FetchItem,
  answer: PageAnswer,
): Promise<PageFinding | undefined> {
  const { outcome, large, room } = answer;
  const { page, known } = item;
  if (outcome.kind === "not-modified" && known !== undefined)
    return findingOfHeld(visit, page, known, outcome.validators);
  if (outcome.kind === "postponed" || isBrokenOff(outcome)) return undefined;
  if (isCancelled(visit) && outcome.kind !== "fetched") return undefined;
  if (outcome.kind !== "fetched") return findingOf(outcome);
  const received =
    large === undefined
      ? bodyOf(visit, outcome.body)
      : { content: large.writer, sizeBytes: large.sizeBytes, digest: large.digest() };
  return await keepBody(visit, item, received, outcome, room);
}
