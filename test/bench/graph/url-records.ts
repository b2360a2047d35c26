import { join } from "node:path";
import { createRandom } from "../../../src/core/random.ts";
import { LinkLog } from "../../../src/storage/links/link-log.ts";
import { commandOf } from "../../cli/run-program.ts";
import { type MeteredCost, meterProcess } from "../peers/metered-process.ts";

const linksOfPage = 10;
const pagesOfSite = 50;

/** Writes what a crawl of a made web would have kept: that many links of pages to URLs, which are popular by a power law. */
async function writeRecords(folder: string, records: number): Promise<void> {
  const random = createRandom(7);
  const pages = Math.ceil(records / linksOfPage);
  const urlOf = (page: number): string =>
    `http://www.site-${Math.floor(page / pagesOfSite)}.example/articles/page-${page}.html`;
  await using log = new LinkLog(join(folder, "links"), { clock: () => 1_790_000_000_000 });
  for (let page = 0; page < pages; page++) {
    const links = new Set<string>();
    while (links.size < linksOfPage) links.add(urlOf(Math.floor(pages * random() ** 3)));
    log.add(1_790_000_000_000, urlOf(page), [...links]);
    if (page % 10_000 === 0) log.write();
  }
}

/** The in-degree of each URL of a crawl's link records, by the program: import, then the table of nodes. */
export async function countUrlRecords(
  folder: string,
  records: number,
): Promise<{ readonly import: MeteredCost; readonly table: MeteredCost }> {
  const crawl = join(folder, "crawl");
  await writeRecords(crawl, records);
  const run = (...words: string[]): Promise<MeteredCost> => {
    const { program, args } = commandOf("graph", ...words);
    return meterProcess([program, ...args]);
  };
  const graph = join(folder, "records");
  const imported = await run("import", graph, "--crawl", crawl);
  const table = await run("rank", graph, "--rounds", "1", "--threads", "1", "--into", join(folder, "records.tsv"));
  return { import: imported, table };
}
