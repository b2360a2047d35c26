import { parseArgs } from "node:util";
import { cutCrawls, cutExports } from "./power-cut.ts";

const help = `npm run power -- [--states 2000] [--runs 12] [--pages 150] [--seed N] [--only export|crawl]
Records the system calls of exports and crawls, and opens each state in which a power cut may leave the disk by the next run.
--states: for exports and for crawls each. --runs: recorded runs over which they are divided. --pages: of the site.
`;

/** The trial by power cuts at full length. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      help: { type: "boolean", default: false },
      states: { type: "string", default: "2000" },
      runs: { type: "string", default: "12" },
      pages: { type: "string", default: "150" },
      seed: { type: "string", default: String(Date.now() % 1_000_000) },
      only: { type: "string" },
    },
  });
  if (values.help) {
    process.stdout.write(help);
    return;
  }
  const trials = { export: cutExports, crawl: cutCrawls };
  if (values.only !== undefined && !Object.hasOwn(trials, values.only))
    throw new Error(`--only must be one of ${Object.keys(trials).join(", ")}, not ${values.only}`);
  for (const [name, trial] of Object.entries(trials)) {
    if (values.only !== undefined && values.only !== name) continue;
    process.stderr.write(`${name}: ${values.states} states, seed ${values.seed}\n`);
    const { states, runs, calls } = await trial({
      states: Number(values.states),
      runs: Number(values.runs),
      pages: Number(values.pages),
      seed: Number(values.seed),
      onProgress: (line) => process.stderr.write(`${name}: ${line}\n`),
    });
    process.stdout.write(
      `${name}: ${states} states of the disk after power cuts in ${runs} runs (${calls} instants), 0 mixed, 0 lost\n`,
    );
  }
}

try {
  await main();
} catch (error) {
  // A mistyped option is no bug: one line says it.
  if ((error as { code?: string }).code?.startsWith("ERR_PARSE_ARGS") !== true) throw error;
  process.stderr.write(`${(error as Error).message}\n${help}`);
  process.exitCode = 2;
}
