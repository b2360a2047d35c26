import type { HostServer } from "../../lab/hosts/host-server.ts";
import type { HostsShape } from "../../lab/hosts/virtual-hosts.ts";
import { makeHosts } from "../../lab/hosts/virtual-hosts.ts";
import { followVirtually } from "../../lab/hosts/virtual-run.ts";
import { createLabPorts } from "../../lab/program/lab-ports.ts";
import { createRandom } from "../../src/core/random.ts";
import type { FollowedSite } from "../../src/crawler/crawl-site-options.ts";
import { followSitesBy } from "../../src/crawler/follow/follow-sites.ts";
import { createFetcher, type Fetcher, type FetcherOptions } from "../../src/http/fetcher.ts";
import { openStore } from "../../src/storage/state/store.ts";
import { type FollowObserver, noteFollowing, type WebResult } from "./followed-web.ts";
import type { HostServers } from "./host-servers.ts";
import { PacedTime } from "./paced-time.ts";

const start = 1_800_000_000_000;
const answerMs = 40;

/** Which web is followed, and for how long. */
export interface MinuteSize {
  readonly seed: number;
  readonly origins: readonly string[];
  readonly seconds: number;
}

function makeWeb({ seed, origins, seconds }: MinuteSize, into: string): ReadonlyMap<string, HostServer> {
  const from = start / 1000;
  const shape: HostsShape = {
    seed,
    origins,
    from,
    to: from + 2 * seconds,
    leastMeanSeconds: 5,
    mostMeanSeconds: 120,
    publicationSeconds: [4, 9, 20],
    leastPages: 2,
    mostPages: 8,
    troubleShare: 0.2,
    troubleSeconds: 12,
    retryAfterSeconds: 5,
  };
  return makeHosts(shape, createLabPorts(into));
}

interface Configuration {
  readonly sites: readonly FollowedSite[];
  readonly connections: number;
  readonly random: () => number;
}

function configure({ seed, origins }: MinuteSize): Configuration {
  return {
    sites: origins.map((origin) => ({
      url: `${origin}/`,
      keep: "metadata",
      minIntervalMs: 3000,
      maxIntervalMs: 15_000,
      timeoutMs: 1500,
      politeness: { pagesBeforeRest: 4, restMs: 700, loopbackRests: true },
    })),
    connections: 8,
    random: createRandom(seed, "follow"),
  };
}

const measured = ({ seconds }: MinuteSize) => ({ from: start, to: start + seconds * 1000 });

/** Follows a web in memory, in virtual time. */
export async function followMinute(size: MinuteSize, into: string): Promise<WebResult> {
  const hosts = makeWeb(size, into);
  return await noteFollowing(hosts, measured(size), (observer) => {
    let now = (): number => start;
    return followVirtually({
      ...configure(size),
      hosts,
      start,
      durationMs: size.seconds * 1000,
      answerMs,
      into,
      onClock: (time) => {
        now = time.now;
      },
      onRequest: observer.onRequest,
      onVisit: (visit) => observer.onVisit(visit, now()),
    });
  });
}

/** Asks real servers, and gives each answer so long after its request as a web in memory does. */
function createTimedFetcher(options: FetcherOptions, paced: PacedTime, observer: FollowObserver): Fetcher {
  const fetcher = createFetcher(options);
  const { time } = paced;
  return {
    get: async (request) => {
      const { origin, path, timeoutMs, signal } = request;
      const beganAt = time.now();
      let status = 0;
      const onAnswer: typeof request.onAnswer = (answer) => {
        status = answer.status;
        request.onAnswer?.(answer);
      };
      const passing = time.delay(answerMs, signal);
      const outcome = await paced.hold(fetcher.get({ ...request, onAnswer }));
      await passing;
      if (outcome.kind === "failed" && outcome.reason === "timeout") await time.delay(timeoutMs - answerMs, signal);
      observer.onRequest({ origin, path, beganAt, endedAt: time.now(), status });
      return outcome;
    },
    sent: () => paced.hold(fetcher.sent()),
    [Symbol.asyncDispose]: () => paced.hold(fetcher[Symbol.asyncDispose]()),
  };
}

/** Follows sites that real servers serve, over HTTP and into a store on the disk, as real time passes. */
export async function followServers(size: MinuteSize, servers: HostServers, into: string): Promise<WebResult> {
  const hosts = makeWeb(size, into);
  const paced = new PacedTime(start);
  const { time } = paced;
  servers.serve(hosts, time.now);
  using store = openStore({ into });
  return await noteFollowing(hosts, measured(size), async (observer) => {
    const stop = new AbortController();
    const following = followSitesBy(
      { store, createFetcher: (options) => createTimedFetcher(options, paced, observer) },
      {
        ...configure(size),
        into,
        clock: time.now,
        delay: time.delay,
        signal: stop.signal,
        onVisit: (visit) => observer.onVisit(visit, time.now()),
      },
    );
    void following.catch(() => time.end());
    await time.run(start + size.seconds * 1000);
    stop.abort();
    void following.finally(() => time.end()).catch(() => undefined);
    await time.run(Number.POSITIVE_INFINITY);
    return await following;
  });
}
