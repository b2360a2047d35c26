import { setTimeout as wait } from "node:timers/promises";
import { omitUndefined } from "../../core/index.ts";
import { type CrawlSettings, tellFollower } from "../../crawler/index.ts";
import { type FollowerServer, serveFollower } from "../../server/index.ts";

/** Serves the state of the follower that this process runs, whose decisions come by its inbox. @param into - folder of its mirrors */
export async function serveStatus(
  { listen, allowHosts: allowedHosts }: Pick<CrawlSettings, "allowHosts"> & Required<Pick<CrawlSettings, "listen">>,
  into: string,
): Promise<FollowerServer> {
  const means = { into, now: Date.now, delay: (delayMs: number) => wait(delayMs) };
  return await serveFollower({
    ...listen,
    ...omitUndefined({ allowedHosts }),
    decide: (decision) => tellFollower(decision, means),
  });
}
