// Follows all links of a site, keeps nothing: node crawlee-crawler.mjs URL CONCURRENCY
import { CheerioCrawler, Configuration, log } from "@crawlee/cheerio";

const [start, concurrency] = process.argv.slice(2);
log.setLevel(log.LEVELS.ERROR);
const configuration = new Configuration({ persistStorage: false });
const crawler = new CheerioCrawler(
  {
    minConcurrency: Number(concurrency),
    maxConcurrency: Number(concurrency),
    requestHandler: async ({ enqueueLinks }) => {
      await enqueueLinks({ strategy: "same-hostname" });
    },
  },
  configuration,
);
const { requestsFinished } = await crawler.run([start]);
process.stdout.write(`${requestsFinished}\n`);
