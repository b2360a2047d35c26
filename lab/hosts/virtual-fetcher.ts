import type { FetchFailure, FetchOutcome, FetchRequest } from "../../src/core/fetch-outcome.ts";
import { readAnswerFields } from "../../src/http/answer-fields.ts";
import type { Fetcher } from "../../src/http/fetcher.ts";
import { judgeAnswer } from "../../src/http/outcome.ts";
import type { HostServer } from "./host-server.ts";
import type { HostAnswer } from "./virtual-host.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** A web in memory, and how long its answers take. */
export interface VirtualWeb {
  /** By origin. */
  readonly hosts: { get(origin: string): Pick<HostServer, "answer"> | undefined };
  readonly time: Pick<VirtualTime, "now" | "delay">;
  /** From a request to the end of its answer. */
  readonly answerMs: number;
  /** Is told of each request when it begins. */
  readonly onAsk?: ((request: { readonly origin: string; readonly path: string }) => void) | undefined;
  /** Is told of each request when it has ended. */
  readonly onRequest?: ((request: VirtualExchange) => void) | undefined;
}

/** One request that a web in memory was made. */
export interface VirtualExchange {
  readonly origin: string;
  readonly path: string;
  readonly beganAt: number;
  readonly endedAt: number;
  /** Of the answer; 0 if there was none. */
  readonly status: number;
}

function fail(reason: FetchFailure, message: string): FetchOutcome {
  return { kind: "failed", reason, message, receivedBytes: 0, requests: 1 };
}

/** What each answer's fields say; a site in memory gives the same ones for as long as a file stays as it is. */
const read = new WeakMap<object, ReturnType<typeof readAnswerFields>>();

function readFields(fields: Readonly<Record<string, string>>): ReturnType<typeof readAnswerFields> {
  const known = read.get(fields);
  if (known !== undefined) return known;
  const raw = Object.entries(fields).flatMap((field) => field.map((text) => Buffer.from(text, "latin1")));
  const fresh = readAnswerFields(raw);
  read.set(fields, fresh);
  return fresh;
}

function judge(request: FetchRequest, answer: HostAnswer & { kind: "answer" }, now: number): FetchOutcome {
  const { status, body } = answer;
  request.onAnswer?.({ status, fields: new Map(Object.entries(answer.fields)) });
  const isCut = request.truncateAtBytes !== undefined && body.length > request.truncateAtBytes;
  if (!isCut && body.length > request.maxBytes) return fail("too-large", `the body has ${body.length} bytes`);
  const taken = isCut ? body.subarray(0, request.truncateAtBytes) : body;
  const isSunk = status === 200 && request.sink !== undefined;
  if (isSunk) request.sink?.write(taken);
  return judgeAnswer(
    request,
    { status, fields: readFields(answer.fields), body: isSunk ? new Uint8Array() : taken, isDecoded: false },
    { receivedBytes: body.length, requests: 1, finalPath: request.path, isRedirected: false, now },
  );
}

/** Asks a web in memory; what an answer means the code of the real fetcher says. */
export function createVirtualFetcher(web: VirtualWeb): Fetcher {
  const { hosts, time, answerMs, onAsk, onRequest } = web;
  async function get(request: FetchRequest): Promise<FetchOutcome> {
    const { origin, path, validators, timeoutMs, signal } = request;
    const beganAt = time.now();
    onAsk?.({ origin, path });
    const host = hosts.get(origin);
    if (host === undefined) return fail("dns", `nobody is ${origin}`);
    const passing = time.delay(Math.min(answerMs, timeoutMs), signal);
    const answer = await host.answer(
      { path, ifNoneMatch: validators?.etag, ifModifiedSince: validators?.lastModified },
      beganAt,
    );
    await passing;
    if (answer.kind === "silence") await time.delay(timeoutMs - answerMs, signal);
    const status = answer.kind === "answer" ? answer.status : 0;
    onRequest?.({ origin, path, beganAt, endedAt: time.now(), status });
    if (signal?.aborted === true) return fail("aborted", "the request was aborted");
    if (answer.kind === "silence") return fail("timeout", `no answer within ${timeoutMs} ms`);
    if (answer.kind === "closed") return fail("connection", "the connection was closed");
    return judge(request, answer, time.now());
  }
  return { get, sent: () => Promise.resolve(), [Symbol.asyncDispose]: () => Promise.resolve() };
}
