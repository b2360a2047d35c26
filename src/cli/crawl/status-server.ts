import { setTimeout as wait } from "node:timers/promises";
import { omitUndefined } from "../../core/index.ts";
import { type CrawlSettings, readWebStatus, tellFollower } from "../../crawler/index.ts";
import { formatWebMetrics } from "../../report/index.ts";
import { type FollowerServer, serveFollower, serveMetrics } from "../../server/index.ts";

type ListenSettings = Pick<CrawlSettings, "allowHosts"> & Required<Pick<CrawlSettings, "listen">>;

/** Serves the state of the follower that this process runs, whose decisions come by its inbox. @param into - folder of its mirrors */
export async function serveStatus(
  { listen, allowHosts: allowedHosts }: ListenSettings,
  into: string,
): Promise<FollowerServer> {
  const means = { into, now: Date.now, delay: (delayMs: number) => wait(delayMs) };
  return await serveFollower({
    ...listen,
    ...omitUndefined({ allowedHosts }),
    decide: (decision) => tellFollower(decision, means),
  });
}

/** Serves the metrics of the crawl of the Web that this process runs. @param into - its folder */
export async function serveWebMetrics(
  { listen, allowHosts: allowedHosts }: ListenSettings,
  into: string,
): ReturnType<typeof serveMetrics> {
  return await serveMetrics({
    ...listen,
    ...omitUndefined({ allowedHosts }),
    shows: "how the crawl is going",
    read: async () => {
      const look = readWebStatus(into, Date.now);
      return (format) => formatWebMetrics(look?.status, format);
    },
  });
}
