import { UrlQueue } from "../../../src/storage/queue/url-queue.ts";

// Fills and empties a queue until it is killed: `url-queue-kill.test.ts` reads what it prints, a line for what is durable.

const [folder = "", first = "0"] = process.argv.slice(2);
const queue = new UrlQueue(folder, { memoryBytes: 16 * 1024, segmentBytes: 16 * 1024, journalBytes: 32 * 1024 });
const tell = (facts: object): boolean => process.stdout.write(`${JSON.stringify(facts)}\n`);
tell({ known: queue.known, waiting: queue.backlog });
let finished: string[] = [];
for (let from = Number(first); ; from += 50) {
  const urls = Array.from({ length: 50 }, (_, at) => `https://site-${(from + at) % 7}.example/${from + at}`);
  queue.add(urls.map((url, at) => ({ url, site: `site-${(from + at) % 7}.example`, priority: at % 2 })));
  for (let n = 0; n < 30; n++) {
    const site = n % queue.sites;
    const page = queue.take(site);
    if (page === undefined) continue;
    // Some are never finished.
    if (page % 5 === 0) continue;
    finished.push(queue.urlOf(page) ?? "");
    queue.finish(page);
  }
  queue.flush();
  tell({ added: urls, finished });
  finished = [];
}
