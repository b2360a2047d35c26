import { flag, path, settingRow as row, text, wholeNumber } from "../../config/index.ts";
import { omitUndefined } from "../../core/index.ts";
import { type Command, defineCommand, mirrorsFolder, stateOption } from "../terminal/command.ts";
import { siteArguments } from "../terminal/option.ts";
import type { MergePlan } from "./merge-run.ts";

const mebibyte = 1024 * 1024;

/** `tidemark merge` */
export const mergeCommand: Command = defineCommand({
  usage: "merge [peer..]",
  describe: "Let the web events of other crawlers decide which pages the next crawl requests",
  positionals: { peer: "URL of another crawler's web server, such as https://crawler.example/ (repeatable)" },
  options: {
    into: row("into DIR", path, mirrorsFolder, { default: "required" }),
    stateFile: stateOption,
    isListing: row("list", flag, "Print how far each peer is trusted, and merge nothing"),
    isForgiving: row("forgive", flag, "Forget what these peers claimed before, and whether it was true"),
    isAcceptingKey: row(
      "accept-key",
      flag,
      "Accept that these peers sign with another key than before, or not any more",
    ),
    days: row("days N", wholeNumber(1, 3650), "Days that are asked for at most, today included", { default: "30" }),
    maxEvents: row("max-events N", wholeNumber(1, 1_000_000_000), "Most events of a peer's day", {
      default: "1000000",
    }),
    maxFile: row("max-file MIB", wholeNumber(1, 65_536), "Largest file of a day, decompressed", { default: "256" }),
    maxNewPerSite: row("max-new N", wholeNumber(0, 1_000_000), "Most URLs that all peers together add to a site", {
      default: "1000",
    }),
    maxNamed: row("named-peers N", wholeNumber(0, 1000), "Also merge at most N crawlers that proven peers name", {
      default: "0",
    }),
    allowPrivate: row(
      "allow-private",
      flag,
      "Let crawlers that peers name have private addresses: for a network of your own",
    ),
    userAgent: row("user-agent TEXT", text, "What the requests send as User-Agent", { default: "`tidemark/VERSION`" }),
  },
  examples: [
    ["merge https://crawler.example/ --into mirrors", "then crawl: changed pages come first"],
    ["merge https://a.example/ https://b.example/ --into mirrors", "merge two peers"],
    ["merge --list --into mirrors", "how far each peer is trusted"],
  ],
  plan: ({ into, maxFile, isListing = false, ...given }, args, fail): MergePlan => {
    const peers = siteArguments(args, "peer");
    if (peers.length === 0 && !isListing) fail("peer is missing.");
    if (peers.length > 0 && isListing) fail("--list takes no peer.");
    if (into === undefined) return fail("--into is required.");
    const maxFileBytes = maxFile === undefined ? undefined : maxFile * mebibyte;
    if (isListing) return { kind: "list", from: given.stateFile ?? into };
    return { kind: "merge", ...given, into, peers, ...omitUndefined({ maxFileBytes }) };
  },
  load: async () => (await import("./merge-run.ts")).runMerge,
});
