import { path, settingRow as row, wholeNumber } from "../../config/index.ts";
import { type Command, defineCommand } from "../terminal/command.ts";
import { argument } from "../terminal/option.ts";

/** `tidemark demo` */
export const demoCommand: Command = defineCommand({
  usage: "demo [what]",
  describe: "Publish and crawl a generated site, and compare: three visits, or a month of crawlers' traffic",
  positionals: {
    what: "visits (the default): three visits beside polling and full downloads; traffic: a month of visits, without Tidemark and with it",
  },
  options: {
    pages: row("pages N", wholeNumber(100, 100_000), "Pages of the site, 100 to 100000", {
      default: "3000; for traffic 400",
    }),
    keepFolder: row(
      "keep DIR",
      path,
      "Keep site, state, mirrors, logs and pages in this folder, which must be empty or new",
      {
        default: "everything is removed",
      },
    ),
  },
  examples: [
    ["demo", "run it; takes half a minute at most and leaves nothing behind"],
    ["demo traffic --keep month", "two logs, and a page about each: month/without.html and month/with.html"],
  ],
  plan: (given, args, fail) => {
    const what = argument(args, "what") || "visits";
    if (what !== "visits" && what !== "traffic") fail(`"${what}" is neither visits nor traffic.`);
    return { ...given, what };
  },
  load: async ({ what }) =>
    what === "traffic" ? (await import("./month-run.ts")).runMonths : (await import("./demo-run.ts")).runDemo,
});
