import { hostKinds } from "../../../lab/hosts/virtual-host.ts";
import { formatTable } from "../../../src/cli/terminal/text-layout.ts";

import type { ProcessUse } from "./crawler-process.ts";
import type { CrawlerResult, FollowResult } from "./follow-web.ts";
import { compareFreshness } from "./held-freshness.ts";

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const mean = (values: readonly number[]): number => sum(values) / values.length;
const count = (value: number): string => Math.round(value).toLocaleString("en");
const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;

/** Means of what a process used in each quarter of its time. */
function ofQuarters(uses: readonly ProcessUse[], of: (use: ProcessUse) => number): string {
  const quarter = Math.max(1, Math.floor(uses.length / 4));
  const means = [0, 1, 2, 3].map((at) => mean(uses.slice(at * quarter, (at + 1) * quarter).map(of)));
  return `${means.map((bytes) => (bytes / 1e6).toFixed(0)).join(" ")} MB`;
}

function processorSeconds(uses: readonly ProcessUse[]): number {
  return (uses.at(-1)?.processorSeconds ?? 0) - (uses[0]?.processorSeconds ?? 0);
}

type Row = readonly [string, (one: CrawlerResult) => string];

const share = (value: number): string => value.toFixed(4);

const rows: readonly Row[] = [
  ["freshness of all others", ({ freshness }) => share(freshness.all)],
  ...hostKinds.map((kind): Row => [`  ${kind}`, ({ freshness }) => share(freshness.kinds.get(kind) ?? Number.NaN)]),
  ...[0, 1, 2, 3].map(
    (at): Row => [`  quarter ${at + 1}`, ({ freshness }) => share(freshness.quarters[at] ?? Number.NaN)],
  ),
  ["  of files in the mirror", ({ lookedFreshness, looks }) => `${share(lookedFreshness)} (${count(looks)} looks)`],
  ["mirror other than sent", ({ differences }) => count(differences)],
  ["requests to the others", ({ requests }) => count(sum([...requests.values()]))],
  ...hostKinds.map((kind): Row => [`  ${kind}`, ({ requests }) => count(requests.get(kind) ?? 0)]),
  ["  pages that had changed", ({ pages }) => count(pages.changed)],
  ["  pages that had not", ({ pages }) => count(pages.unchanged)],
  ["visits (failed)", ({ visits, failedVisits }) => `${count(visits)} (${count(failedVisits)})`],
  ["memory, by quarters", ({ uses }) => ofQuarters(uses, ({ memoryBytes }) => memoryBytes)],
  ["  alive in the heap", ({ uses }) => ofQuarters(uses, ({ heapBytes }) => heapBytes)],
  ["memory, most", ({ uses }) => megabytes(Math.max(...uses.map(({ memoryBytes }) => memoryBytes)))],
  ["of a processor", ({ uses }) => `${processorSeconds(uses).toFixed(0)} s`],
];

function formatPolling({ alone, asFresh, daily }: FollowResult): string {
  const cells = hostKinds.map((kind) => {
    const [fresh, day] = [asFresh.get(kind), daily.get(kind)];
    const own = alone.requests.get(kind) ?? 0;
    const times = ((fresh?.requests ?? 0) / own).toFixed(1);
    return [
      kind,
      count(own),
      `${((fresh?.intervalMs ?? 0) / 3_600_000).toFixed(1)} h`,
      `${count(fresh?.requests ?? 0)} (${times} times)`,
      `${count(day?.requests ?? 0)} (freshness ${share(day?.freshness ?? 0)})`,
    ];
  });
  const names = ["", "requests", "every page each", "for the same freshness", "each day"];
  return formatTable([names, ...cells], "lrrrr");
}

/** What following a web came to, as text for people. */
export function formatFollowResult(result: FollowResult): string {
  const { sites, pages, changes, publications, times, firstSeconds, alone, beside, mostLateMs } = result;
  const head = [
    `${count(sites)} sites, ${count(pages)} pages, ${count(changes)} changes, ${count(publications)} publications (late by ${(mostLateMs / 60_000 / times).toFixed(2)} min of real time at most)`,
    `time ${count(times)} times as fast; every site was visited once after ${firstSeconds.toFixed(0)} s`,
  ];
  const table = formatTable(
    [["", "alone", "beside bad sites"], ...rows.map(([name, tell]) => [name, tell(alone), tell(beside)])],
    "lrr",
  );
  const bad = [...result.badRequests].map(([kind, requests]) => `${kind} ${count(requests)}`).join(", ");
  const { mean: gain, standardError } = compareFreshness(beside.freshness, alone.freshness);
  const tail = [
    `Freshness of the others beside bad sites, less that without: ${gain.toFixed(4)}, standard error ${standardError.toFixed(4)} (of sites)`,
    "",
    "Polling every page, and robots.txt once a day:",
    formatPolling(result),
    `requests to bad sites: ${bad}`,
  ];
  return `${head.join("\n")}\n${table}\n${tail.join("\n")}\n`;
}
