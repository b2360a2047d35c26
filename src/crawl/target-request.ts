import { parseHttpDate, parseW3cDate, robotsAllow } from "../format/index.ts";
import type {
  EpochSeconds,
  FetchedOutcome,
  FetchFailure,
  FetchOutcome,
  HeldBody,
  Page,
  Target,
} from "../model/index.ts";
import { PageBody } from "./page-body.ts";
import { describeOutcome, getPatiently } from "./patient-request.ts";
import { productToken } from "./robots-rules.ts";
import type { TargetFinding } from "./target-judgement.ts";
import { hasLinks } from "./target-scope.ts";
import type { TargetVisit } from "./target-visit.ts";

/** A larger body is not read. */
const maxPageBytes = 256 * 1024 * 1024;
/** Larger pages are kept and not searched for links. */
const maxSearchedBytes = 16 * 1024 * 1024;
const maxRedirects = 5;

// These do not pass by themselves.
const lasting: ReadonlySet<FetchFailure> = new Set(["too-large", "redirect-loop", "redirect-elsewhere", "protocol"]);

/** An answer to a request for a target, with its body. */
export interface TargetAnswer extends Disposable {
  readonly outcome: FetchOutcome;
  readonly body: PageBody;
  /** Whether it was asked for without validators. */
  readonly isFull: boolean;
}

/** A page that was received, ready to be kept and to be searched for links. */
export interface ReceivedPage {
  readonly page: Page & HeldBody;
  /** The body without content coding, if it may lead to other pages. */
  readonly searchable: Uint8Array | undefined;
  readonly contentType: string | undefined;
}

function secondsOf(timeMs: number): EpochSeconds {
  return Math.floor(timeMs / 1000);
}

/** Asks for a target, conditionally if its body is held and was fetched whole not too long ago. */
export async function askForTarget(visit: TargetVisit, target: Target): Promise<TargetAnswer> {
  const now = secondsOf(visit.ports.timing.now());
  const isOld = target.fullAt === undefined || now - target.fullAt >= visit.distrustSeconds;
  const isFull = isOld || (target.validators.etag === undefined && target.validators.lastModified === undefined);
  let body = new PageBody(visit.ports.bodies, visit.ports.codec);
  const outcome = await getPatiently(visit, "page", () => {
    body[Symbol.dispose]();
    body = new PageBody(visit.ports.bodies, visit.ports.codec);
    const sink = body;
    return {
      path: target.path,
      maxBytes: maxPageBytes,
      expectedBytes: target.held?.sizeBytes ?? 0,
      maxRedirects,
      ...(isFull ? {} : { validators: target.validators }),
      sink: { write: (chunk) => sink.write(chunk) },
    };
  });
  return { outcome, body, isFull, [Symbol.dispose]: () => body[Symbol.dispose]() };
}

function mediaTypeOf(visit: TargetVisit, path: string, contentType: string | undefined): string {
  const essence = (contentType ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  return essence === "" ? (visit.ports.mediaTypes.typeOf(path) ?? "application/octet-stream") : essence;
}

function lastModifiedOf(visit: TargetVisit, target: Target, outcome: FetchedOutcome): EpochSeconds {
  const now = visit.ports.timing.now();
  const served = parseHttpDate(outcome.validators.lastModified ?? "", now);
  const listed = target.lastmod === undefined ? undefined : parseW3cDate(target.lastmod);
  return Math.min(served === undefined ? (listed ?? secondsOf(now)) : secondsOf(served), secondsOf(now));
}

/** Takes a whole body: undoes its content coding, keeps it if its type is wanted. */
export function receivePage(
  visit: TargetVisit,
  target: Target,
  answer: TargetAnswer,
  outcome: FetchedOutcome,
): { readonly finding: TargetFinding; readonly received: ReceivedPage | undefined } {
  if (!robotsAllow(visit.robots, productToken, outcome.finalPath)) {
    const message = `it leads to ${outcome.finalPath}`;
    return { finding: { kind: "trouble", trouble: "disallowed", message }, received: undefined };
  }
  const path = outcome.finalPath;
  const mediaType = mediaTypeOf(visit, path, outcome.contentType);
  let body: PageBody = answer.body;
  const coding = outcome.contentEncoding;
  if (coding !== undefined && coding !== "identity") {
    const decoded = visit.ports.codec.decode(answer.body.read(), coding, maxPageBytes);
    // Some name a coding that they did not apply.
    if (decoded.ok) {
      body = new PageBody(visit.ports.bodies, visit.ports.codec);
      body.write(decoded.value);
    }
  }
  const { sizeBytes } = body;
  const digest = body.digest();
  const page = { path, sizeBytes, digest, lastModified: lastModifiedOf(visit, target, outcome), mediaType };
  const isSearched = visit.plan.followsLinks && hasLinks(mediaType) && sizeBytes <= maxSearchedBytes;
  const searchable = isSearched ? body.read() : undefined;
  const received = { page, searchable, contentType: outcome.contentType };
  const { validators } = outcome;
  const { isFull } = answer;
  if (!visit.filter.matches(mediaType)) {
    body[Symbol.dispose]();
    return { finding: { kind: "body", page: undefined, isPassage: true, validators, isFull }, received };
  }
  const { held } = target;
  // The times of an equal body are those of the body that is held.
  const isEqual = held !== undefined && path === target.path && held.digest === digest && held.sizeBytes === sizeBytes;
  // What was never fetched whole, or is in doubt, is written also where it should be there already.
  if (!isEqual || target.fullAt === undefined) {
    const kept = visit.ports.bodies.keep(isEqual ? held : page, body.content());
    if (!kept.ok) return { finding: { kind: "trouble", trouble: "mirror", message: kept.error.message }, received };
  }
  body[Symbol.dispose]();
  return { finding: { kind: "body", page: isEqual ? held : page, isPassage: false, validators, isFull }, received };
}

/** What an answer without a body says of a target. */
export function findingOf(outcome: Exclude<FetchOutcome, FetchedOutcome>): TargetFinding {
  if (outcome.kind === "not-modified") return { kind: "unmodified", validators: outcome.validators };
  if (outcome.kind === "gone") return { kind: "gone", final: outcome.status === 410 };
  const isLasting = outcome.kind === "refused" || (outcome.kind === "failed" && lasting.has(outcome.reason));
  return { kind: "trouble", trouble: isLasting ? "refused" : "unavailable", message: describeOutcome(outcome) };
}
