import {
  type EpochSeconds,
  excerpt,
  type FetchedOutcome,
  type FetchOutcome,
  type HeldBody,
  isLasting,
  isMediaType,
  type Page,
  type TrackedUrl,
} from "../../../core/index.ts";
import { parseHttpDate } from "../../../formats/http/index.ts";
import { robotsAllow } from "../../../formats/robots/index.ts";
import { parseW3cDate } from "../../../formats/time/index.ts";
import { hasLinks } from "../discovery/target-scope.ts";
import type { TargetVisit } from "../discovery/target-visit.ts";
import type { Postponed } from "../politeness/patient-request.ts";
import { describeOutcome, getPatiently, type VisitRequest } from "../politeness/patient-request.ts";
import { isFullFetchDue } from "../revisit/poll-policy.ts";
import type { PageRoom } from "../visit/visit-bounds.ts";
import { isLongAway } from "./due-work.ts";
import { PageBody } from "./page-body.ts";
import { mayAskAgain, pathOf } from "./page-request.ts";
import type { TargetFinding } from "./target-judgement.ts";

/** Larger pages are kept and not searched for links. */
const maxSearchedBytes = 16 * 1024 * 1024;
/** A held page that is larger is not compared with the one that comes. */
const maxComparedBytes = 4 * 1024 * 1024;
const maxRedirects = 5;

/** An answer to a request for a target, with its body. */
export interface TargetAnswer extends Disposable {
  readonly outcome: FetchOutcome | Postponed;
  readonly body: PageBody;
  readonly room: PageRoom;
  /** Whether it was asked for without validators. */
  readonly isFull: boolean;
  /** The held body of a page that was not modified, if its links are to be read. */
  readonly searchable?: Uint8Array;
}

/** A page that was received, ready to be kept and to be searched for links. */
export interface ReceivedPage {
  readonly page: Page & HeldBody;
  /** The body without content coding, if it may lead to other pages. */
  readonly searchable: Uint8Array | undefined;
  readonly answer: Pick<FetchedOutcome, "contentType" | "link" | "refresh">;
}

function secondsOf(timeMs: number): EpochSeconds {
  return Math.floor(timeMs / 1000);
}

/** Asks for a target, conditionally if its body is held and was fetched whole not too long ago. */
export async function askForTarget(visit: TargetVisit, target: TrackedUrl): Promise<TargetAnswer> {
  const page = { path: target.path, fetchedAt: target.fullAt === undefined ? undefined : target.fullAt * 1000 };
  const isOld = isFullFetchDue(page, visit.ports.timing.now(), visit.distrustMs);
  const isFull = isOld || (target.validators.etag === undefined && target.validators.lastModified === undefined);
  const answer = await ask(visit, target, isFull);
  if (answer.outcome.kind !== "not-modified") return answer;
  // The validators are those of this page; otherwise what is not modified is the one that it leads to by now.
  if (answer.outcome.requests === 1) {
    if (!isToBeSearched(visit, target)) return answer;
    const searchable = readHeld(visit, target);
    if (searchable !== undefined) return { ...answer, searchable };
  }
  answer[Symbol.dispose]();
  return await ask(visit, target, true);
}

function isToBeSearched(visit: TargetVisit, { held, hasUnreadLinks }: TrackedUrl): boolean {
  if (!hasUnreadLinks || held === undefined || !visit.plan.followsLinks) return false;
  return hasLinks(held.mediaType) && held.sizeBytes <= maxSearchedBytes;
}

/** The body that is held, if it is there and can be read without knowing what the server said of its characters. */
function readHeld(visit: TargetVisit, { path, held }: TrackedUrl): Uint8Array | undefined {
  const body = visit.ports.bodies.read(path, maxSearchedBytes);
  if (body === undefined || visit.ports.codec.digestOf(body) !== held?.digest) return undefined;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(body);
    return body;
  } catch {
    return undefined;
  }
}

async function ask(visit: TargetVisit, target: TrackedUrl, isFull: boolean): Promise<TargetAnswer> {
  const heldBytes = target.held?.sizeBytes;
  let body = new PageBody(visit.ports.bodies, visit.ports.codec);
  let room = visit.bounds.openPage(heldBytes);
  const drop = (): void => {
    body[Symbol.dispose]();
    room[Symbol.dispose]();
  };
  const refused = visit.bounds.refuse(undefined, heldBytes);
  if (refused !== undefined) {
    const outcome = { kind: "failed", ...refused, receivedBytes: 0, requests: 0 } as const;
    return { outcome, body, room, isFull, [Symbol.dispose]: drop };
  }
  const makeRequest = (): VisitRequest => {
    drop();
    room = visit.bounds.openPage(heldBytes);
    body = new PageBody(visit.ports.bodies, visit.ports.codec);
    const sink = body;
    return {
      path: target.path,
      maxBytes: visit.bounds.bodyBytes,
      onProgress: room.take,
      maxRedirects,
      ...(isFull ? {} : { validators: target.validators }),
      acceptCoding: true,
      mayFollow: (url) => robotsAllow(visit.robots, visit.agent, pathOf(url)),
      sink: { write: (chunk) => sink.write(chunk) },
    };
  };
  const outcome = await getPatiently(visit, "page", makeRequest, () => !isLongAway(target) && mayAskAgain(visit));
  return { outcome, body, room, isFull, [Symbol.dispose]: drop };
}

function mediaTypeOf(visit: TargetVisit, path: string, contentType: string | undefined): string {
  const essence = (contentType ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  return isMediaType(essence) ? essence : (visit.ports.mediaTypes.typeOf(path) ?? "application/octet-stream");
}

function lastModifiedOf(visit: TargetVisit, target: TrackedUrl, outcome: FetchedOutcome): EpochSeconds {
  const now = visit.ports.timing.now();
  const { lastModified = outcome.validators.lastModified } = outcome;
  const served = parseHttpDate(lastModified ?? "", now);
  const listed = target.lastmod === undefined ? undefined : parseW3cDate(target.lastmod);
  return Math.min(served === undefined ? (listed ?? secondsOf(now)) : secondsOf(served), secondsOf(now));
}

/** Whether a page resembles the one in whose place it comes so much that its change does not count. */
function isInsignificantChange(
  visit: TargetVisit,
  { path, mediaType, sizeBytes }: Page & HeldBody,
  body: PageBody,
): boolean {
  const { significance, ports } = visit;
  if (significance?.texts.appliesTo(mediaType, sizeBytes) !== true) return false;
  const before = ports.bodies.read(path, maxComparedBytes);
  return before !== undefined && significance.texts.compare(before, body.read()) >= significance.leastResemblance;
}

/** Takes a whole body and keeps it if its type is wanted. */
export async function receivePage(
  visit: TargetVisit,
  target: TrackedUrl,
  answer: TargetAnswer,
  outcome: FetchedOutcome,
): Promise<{ readonly finding: TargetFinding; readonly received: ReceivedPage | undefined }> {
  if (!robotsAllow(visit.robots, visit.agent, outcome.finalPath)) {
    const message = `it leads to ${outcome.finalPath}`;
    return { finding: { kind: "trouble", trouble: "disallowed", message }, received: undefined };
  }
  const path = outcome.finalPath;
  const mediaType = mediaTypeOf(visit, path, outcome.contentType);
  const { body } = answer;
  const { sizeBytes } = body;
  const digest = body.digest();
  const page = { path, sizeBytes, digest, lastModified: lastModifiedOf(visit, target, outcome), mediaType };
  const isSearched = visit.plan.followsLinks && hasLinks(mediaType) && sizeBytes <= maxSearchedBytes;
  const searchable = isSearched ? body.read() : undefined;
  const received = { page, searchable, answer: outcome };
  const { validators } = outcome;
  const { isFull } = answer;
  if (!visit.filter.matches(mediaType)) {
    const finding = {
      kind: "body",
      page: undefined,
      isLinkOnly: true,
      validators,
      isFull,
      isInsignificant: false,
    } as const;
    return { finding, received };
  }
  const { held } = target;
  // The times of an equal body are those of the body that is held.
  const isEqual = held !== undefined && path === target.path && held.digest === digest && held.sizeBytes === sizeBytes;
  const { contentEncoding = "identity" } = outcome;
  const isOther = !isEqual && (path === target.path ? target : visit.ports.targets.find(path))?.held !== undefined;
  if (contentEncoding !== "identity" && isOther) {
    // It may be anything, such as what a proxy says in the page's place.
    const message = `the body is not coded as ${excerpt(contentEncoding)}, which it says`;
    return { finding: { kind: "trouble", trouble: "refused", message }, received: undefined };
  }
  const isInsignificant =
    !isEqual && held !== undefined && path === target.path && isInsignificantChange(visit, page, body);
  // What was never fetched whole, or is in doubt, is written also where it should be there already.
  if (!isEqual || target.fullAt === undefined) {
    const kept = await visit.ports.bodies.keep(isEqual ? held : page, body.content());
    if (!kept.ok) return { finding: { kind: "trouble", trouble: "mirror", message: kept.error.message }, received };
    answer.room.keep(sizeBytes);
  }
  const finding = {
    kind: "body",
    page: isEqual ? held : page,
    isLinkOnly: false,
    validators,
    isFull,
    isInsignificant,
  } as const;
  return { finding, received };
}

/** What an answer without a body says of a target. */
export function findingOf(outcome: Exclude<FetchOutcome, FetchedOutcome>): TargetFinding {
  if (outcome.kind === "not-modified") return { kind: "unmodified", validators: outcome.validators };
  if (outcome.kind === "gone") return { kind: "gone", final: outcome.status === 410 };
  if (outcome.kind === "failed" && outcome.reason === "redirect-disallowed")
    return { kind: "trouble", trouble: "disallowed", message: outcome.message };
  const trouble = isLasting(outcome) ? "refused" : "unavailable";
  return { kind: "trouble", trouble, message: describeOutcome(outcome) };
}
