import { FreshnessMeter } from "../../lab/hosts/freshness-meter.ts";
import type { HostServer } from "../../lab/hosts/host-server.ts";
import type { VirtualExchange } from "../../lab/hosts/virtual-fetcher.ts";
import type { HostKind } from "../../lab/hosts/virtual-host.ts";
import { hostKinds } from "../../lab/hosts/virtual-host.ts";
import type { EpochMs } from "../../src/core/time.ts";
import type { FollowedVisit, FollowSummary } from "../../src/crawler/follow/follow-sites.ts";

/** Sites of one kind: what they were asked, and how fresh what is held of them was. */
export interface KindResult {
  readonly visits: number;
  readonly requests: number;
  /** Requests for pages that had not changed since they were asked for last. */
  readonly needless: number;
  readonly freshness: number;
}

/** What following a web came to. */
export interface WebResult {
  /** A line each request and each visit, in the order in which they ended, until time was up. */
  readonly decisions: readonly string[];
  readonly requests: readonly VirtualExchange[];
  readonly visits: readonly {
    readonly site: string;
    readonly at: EpochMs;
    readonly nextAt: EpochMs;
    readonly source: string;
  }[];
  readonly summary: FollowSummary;
  readonly hosts: ReadonlyMap<string, HostServer>;
  readonly kinds: ReadonlyMap<HostKind, KindResult>;
}

/** What whoever follows a web tells of it. */
export interface FollowObserver {
  readonly onRequest: (request: VirtualExchange) => void;
  readonly onVisit: (visit: FollowedVisit, now: EpochMs) => void;
}

/** When freshness begins to be measured, and when it ends. */
export interface MeasuredTime {
  readonly from: EpochMs;
  readonly to: EpochMs;
}

/** Has a web followed, and notes what was decided. */
export async function noteFollowing(
  hosts: ReadonlyMap<string, HostServer>,
  measured: MeasuredTime,
  follow: (observer: FollowObserver) => Promise<FollowSummary>,
): Promise<WebResult> {
  const decisions: string[] = [];
  const requests: VirtualExchange[] = [];
  const visits: WebResult["visits"][number][] = [];
  const meter = new FreshnessMeter(measured.from);
  const needless = new Set<VirtualExchange>();
  const summary = await follow({
    onRequest: (request) => {
      const { origin, path, beganAt, status } = request;
      requests.push(request);
      decisions.push(`${beganAt} ${origin}${path} ${status}`);
      const page = hosts.get(origin)?.plan.pages.find((one) => one.path === path);
      if (page === undefined) return;
      if (status === 304) needless.add(request);
      if (status === 200 || status === 304) meter.note(page, beganAt);
    },
    onVisit: ({ site, summary: came, nextAt }, at) => {
      const source = came?.source ?? "failed";
      visits.push({ site, at, nextAt, source });
      // What is cut short at the end is no decision.
      if (at < measured.to) decisions.push(`${at} ${site} ${source} next ${nextAt}`);
    },
  });
  const kindOf = (origin: string): HostKind | undefined => hosts.get(origin)?.plan.kind;
  const resultOf = (kind: HostKind): KindResult => {
    const healthy = [...hosts.values()].filter(({ plan }) => plan.kind === kind && plan.trouble === undefined);
    const ofKind = requests.filter(({ origin }) => kindOf(origin) === kind);
    return {
      visits: visits.filter(({ site }) => kindOf(site) === kind).length,
      requests: ofKind.length,
      needless: ofKind.filter((request) => needless.has(request)).length,
      freshness: meter.freshnessOf(
        healthy.flatMap(({ plan }) => plan.pages),
        measured.to,
      ),
    };
  };
  return {
    decisions,
    requests,
    visits,
    summary,
    hosts,
    kinds: new Map(hostKinds.map((kind) => [kind, resultOf(kind)])),
  };
}
