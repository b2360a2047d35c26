import { dirname, resolve } from "node:path";
import { findAddressMistakes, maxConfigurationBytes, parseConfiguration, siteMistake } from "../config/index.ts";
import { readAtMost } from "../fs/index.ts";
import { areIntervalsInOrder, type CrawlSettings, crawlSettings } from "./crawl-settings.ts";

/**
 * Reads a configuration file for crawls: sites and their common settings. See docs/cli.md.
 *
 * @param given - settings that override the file
 * @returns the settings of each site in the order of the file, with defaults applied and absolute paths
 * @throws TidemarkError `bad-option` with every mistake and its position; `not-found`, `no-permission`
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
          true,
        );
        // It may be among the defaults, so that sites need not repeat it.
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
