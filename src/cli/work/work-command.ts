import { flag, path, settingRow as row, siteUrl, wholeNumber } from "../../config/index.ts";
import { omitUndefined } from "../../core/index.ts";
import { type Command, defineCommand } from "../terminal/command.ts";
import type { WorkArguments } from "./work-run.ts";

/** `tidemark work` */
export const workCommand: Command = defineCommand({
  usage: "work",
  describe: "Fetch the pages of a work unit and write what came: for volunteers, batch systems and shells",
  positionals: {},
  options: {
    input: row("in FILE", path, "File of the work unit", { default: "standard input" }),
    output: row("out FILE", path, "File of the result, written as a whole", { default: "standard output" }),
    from: row(
      "from URL",
      siteUrl,
      "Instead of --in and --out: ask this server for units and send it the results, until Ctrl-C",
    ),
    key: row("key FILE", path, "With --from: your key, as tidemark volunteers init made it"),
    units: row("units N", wholeNumber(1, 1_000_000), "With --from: end after so many units", { default: "no end" }),
    allowPrivate: row(
      "allow-private",
      flag,
      "Let a unit name a site with a private address: for a network of your own",
    ),
    ca: row("ca FILE", path, "Certificate authorities in PEM that TLS trusts in addition to Node's"),
    proxy: row("proxy URL", siteUrl, "Proxy for requests to sites, such as http://proxy.example:3128"),
  },
  examples: [
    ["work < unit > result", "fetch the pages of one unit"],
    ["work --in unit --out result", "the same, for a batch system"],
    ["work --from https://crawl.example.org/ --key my.key", "work for a project until Ctrl-C"],
  ],
  plan: ({ from, key, units, input, output, ...network }, _args, fail): WorkArguments => {
    if (from === undefined) {
      if (key !== undefined || units !== undefined) fail("--key and --units need --from, which is missing.");
      return { kind: "filter", ...network, ...omitUndefined({ input, output }) };
    }
    if (input !== undefined || output !== undefined) fail("--in and --out are not for work --from.");
    if (key === undefined) return fail("--key is missing: which file has your key?");
    return { kind: "loop", from, key, ...network, ...omitUndefined({ units }) };
  },
  load: async () => (await import("./work-run.ts")).runWork,
});
