import type { Clock, EpochMs, FetchOutcome, Requests } from "../../core/index.ts";
import { robotsFreshMs } from "../engine/visit/robots-freshness.ts";

/** What a site says of what its robots.txt is. */
type Answer = Extract<FetchOutcome, { kind: "fetched" | "gone" | "refused" }>;

interface KeptAnswer {
  readonly answer: Answer;
  readonly until: EpochMs;
}

const mostMs = 3_600_000;
const mostAnswers = 10_000;
const mostBytes = 16 * 1024 * 1024;
/** What an answer takes beside its body. */
const answerBytes = 500;

/**
 * Answers for robots.txt by URL, kept for an hour at most: thousands of sites may redirect theirs to one, as parked names do. That one is
 * asked once, and nobody waits in line for it.
 *
 * @see RFC 9309 sections 2.3.1.2 and 2.4
 */
export class RobotsAnswers {
  readonly #now: Clock;
  /** The oldest first. */
  readonly #kept = new Map<string, KeptAnswer>();
  /** URLs that redirects led to and that are being requested. */
  readonly #underWay = new Map<string, Promise<unknown>>();
  #bytes = 0;

  constructor(now: Clock) {
    this.#now = now;
  }

  /** The same requests; redirects of robots.txt to what was answered lately are not followed, but get that answer. */
  watch(requests: Requests): Requests {
    return {
      ...requests,
      get: async (request) => {
        if (request.crossOrigin !== true) return await requests.get(request);
        const urls = [request.origin + request.path];
        let known: Answer | undefined;
        const { promise, resolve: end } = makeEnd();
        try {
          const outcome = await requests.get({
            ...request,
            beforeNext: async (url) => {
              const other = this.#underWay.get(url);
              // Who is waited for waits for nobody.
              if (other !== undefined && urls.length === 1) await other;
              known = this.#find(url);
              if (known !== undefined) return false;
              if (!this.#underWay.has(url)) this.#underWay.set(url, promise);
              urls.push(url);
              return (await request.beforeNext?.(url)) ?? true;
            },
          });
          const { requests: made, receivedBytes } = outcome;
          if (known !== undefined) return { ...known, requests: made, receivedBytes };
          if (outcome.kind === "fetched" || outcome.kind === "gone" || outcome.kind === "refused")
            for (const url of urls) this.#keep(url, outcome);
          return outcome;
        } finally {
          for (const url of urls) if (this.#underWay.get(url) === promise) this.#underWay.delete(url);
          end();
        }
      },
    };
  }

  #find(url: string): Answer | undefined {
    const { answer, until = 0 } = this.#kept.get(url) ?? {};
    return until > this.#now() ? answer : undefined;
  }

  #keep(url: string, answer: Answer): void {
    this.#drop(url);
    const freshMs = answer.kind === "fetched" ? robotsFreshMs(answer.cacheControl) : mostMs;
    if (freshMs === 0) return;
    this.#kept.set(url, { answer, until: this.#now() + Math.min(mostMs, freshMs) });
    this.#bytes += sizeOf(answer);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= mostAnswers && this.#bytes <= mostBytes) break;
      this.#drop(oldest);
    }
  }

  #drop(url: string): void {
    const kept = this.#kept.get(url);
    if (kept !== undefined) this.#bytes -= sizeOf(kept.answer);
    this.#kept.delete(url);
  }
}

function sizeOf(answer: Answer): number {
  return answerBytes + (answer.kind === "fetched" ? answer.body.length : 0);
}

function makeEnd(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((end) => {
    resolve = end;
  });
  return { promise, resolve };
}
