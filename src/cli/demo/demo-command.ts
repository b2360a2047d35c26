import { path, settingRow as row, wholeNumber } from "../../config/index.ts";
import { type Command, defineCommand } from "../terminal/command.ts";

/** `tidemark demo` */
export const demoCommand: Command = defineCommand({
  usage: "demo",
  describe: "Publish and crawl a generated site three times; compare with polling and full downloads",
  positionals: {},
  options: {
    pages: row("pages N", wholeNumber(100, 100_000), "Pages of the site, 100 to 100000", { default: "3000" }),
    keepFolder: row("keep DIR", path, "Keep site, state and mirror in this folder, which must be empty or new", {
      default: "everything is removed",
    }),
  },
  examples: [["demo", "run it; takes half a minute at most and leaves nothing behind"]],
  plan: (given) => given,
  load: async () => (await import("./demo-run.ts")).runDemo,
});
