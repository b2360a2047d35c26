import { type Command, valueOption } from "../terminal/command.ts";
import { integerOption, type RawArguments, textOption } from "../terminal/option.ts";
import type { DemoArguments } from "./demo-run.ts";

function planDemo(args: RawArguments): DemoArguments {
  return { pages: integerOption(args, "pages", 100, 100_000), keepFolder: textOption(args, "keep") };
}

/** `tidemark demo` */
export const demoCommand: Command = {
  usage: "demo",
  describe: "Publish and crawl a made-up site three times, beside polling and full downloads",
  positionals: {},
  options: {
    pages: valueOption("Pages of the site (3000)"),
    keep: valueOption("Keep site and mirrors in this folder, which must be empty or new"),
  },
  examples: [["demo", "takes half a minute at most and leaves nothing behind"]],
  plan: (args) => {
    const options = planDemo(args);
    return async (context) => (await import("./demo-run.ts")).runDemo(options, context);
  },
};
