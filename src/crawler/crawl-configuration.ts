import { dirname, resolve } from "node:path";
import { findAddressMistakes, maxConfigurationBytes, parseConfiguration, siteMistake } from "../config/index.ts";
import { readAtMost } from "../fs/index.ts";
import { areIntervalsInOrder, type CrawlSettings, crawlSettings } from "./crawl-settings.ts";

/**
 * Reads a configuration file of crawls: several sites and what they have in common. See docs/cli.md.
 *
 * @param given - what goes before what the file says
 * @returns the settings of each site, in the file's order: defaults applied, the file's paths absolute
 * @throws TidemarkError `bad-option` with every mistake and its place; `not-found`, `no-permission`
 */
export async function readCrawlConfiguration(
  file: string,
  given: Partial<CrawlSettings> = {},
): Promise<CrawlSettings[]> {
  const full = resolve(file);
  const bytes = await readAtMost(full, maxConfigurationBytes + 1, "the configuration");
  const resolvePath = (path: string): string => resolve(dirname(full), path);
  return await parseConfiguration(
    { file: full, bytes, resolvePath },
    {
      table: crawlSettings,
      schema: "docs/tidemark-crawl.schema.json",
      given,
      findMistakes: (sites) => {
        const addresses = findAddressMistakes(
          "url",
          sites.map(({ url }) => url),
        );
        // In the file it may stand among the defaults, so that no site needs to have it.
        const homeless = sites.flatMap(({ into }, at) =>
          into === undefined ? [siteMistake(at, "into", "is missing, and there is no default")] : [],
        );
        const unordered = sites.flatMap((site, at) =>
          areIntervalsInOrder(site) ? [] : [siteMistake(at, "minIntervalMs", "must be no more than maxIntervalMs")],
        );
        return [...addresses, ...homeless, ...unordered];
      },
    },
  );
}
