/** Each benchmark by the word that names it on the command line: `npm run bench -- crawl --rounds 1`. */
const benchmarks: Readonly<Record<string, () => Promise<{ run: (args: string[]) => Promise<void> }>>> = {
  replay: () => import("./replay.ts"),
  export: () => import("./export.ts"),
  crawl: () => import("./crawl.ts"),
  urls: () => import("./urls.ts"),
  watch: () => import("./watch.ts"),
  poll: () => import("./poll.ts"),
  links: () => import("./links.ts"),
  sources: () => import("./sources.ts"),
  race: () => import("./race.ts"),
};

async function main(): Promise<void> {
  const [name = "", ...args] = process.argv.slice(2);
  const load = benchmarks[name];
  if (load === undefined) {
    process.stderr.write(`usage: npm run bench -- ${Object.keys(benchmarks).join("|")} [options]\n`);
    process.exitCode = 2;
    return;
  }
  await (await load()).run(args);
}

await main();
