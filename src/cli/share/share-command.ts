import {
  duration,
  listenAddress,
  path,
  settingRow as row,
  siteUrl,
  text,
  texts,
  wholeNumber,
} from "../../config/index.ts";
import { omitUndefined } from "../../core/index.ts";
import { type Command, defineCommand, mirrorsFolder } from "../terminal/command.ts";
import { readSiteUrl } from "../terminal/option.ts";
import { packageVersion } from "../terminal/package-version.ts";
import type { ShareArguments } from "./share-run.ts";

/** `tidemark share` */
export const shareCommand: Command = defineCommand({
  usage: "share",
  describe: "Publish the web events that a crawler saw, for other crawlers to merge",
  positionals: {},
  options: {
    from: row("from DIR", path, `${mirrorsFolder}, or its state file`, { default: "required" }),
    into: row("into DIR", path, "Document root of the web server that serves the files", { default: "required" }),
    url: row("url URL", siteUrl, "Root of that web server, such as https://crawler.example/", { default: "required" }),
    moniker: row("name NAME", text, "Name of the crawler, as in its User-Agent", { default: "`tidemark/VERSION`" }),
    contact: row("contact ADDRESS", text, "Mail address of the operator"),
    special: row("special URL", texts, "Address that the crawler knows especially well; the first hundred are told"),
    peers: row("peer URL", texts, "Name another crawler in robots.shr, such as https://other.example/"),
    sites: row("site URL", texts, "Share only events of this site", { default: "all" }),
    days: row("days N", wholeNumber(1, 3650), "Days whose files are kept, today included", { default: "30" }),
    keyFile: row(
      "sign FILE",
      path,
      "Sign the files with this Ed25519 key: PEM (PKCS #8), or that of tidemark identity",
    ),
    serve: row("serve ADDRESS", listenAddress, "Serve the files too, at this address and port, until Ctrl-C", {
      doc: "also serve the files over HTTP until Ctrl-C, such as at `127.0.0.1:8080`, and publish again every `--every`",
    }),
    everyMs: row("every DURATION", duration(86_400_000), "With --serve: time between two publications", {
      default: "`10m`",
    }),
  },
  examples: [
    [
      "share --from mirrors --into /srv/share --url https://crawler.example/",
      "publish what was seen since the last run",
    ],
    [
      "share --from mirrors --into share --url http://crawler.example:8080/ --serve 0.0.0.0:8080",
      "publish every 10 minutes, and serve the files",
    ],
  ],
  plan: ({ from, into, url, special, peers, sites, ...given }, _args, fail): ShareArguments => {
    if (from === undefined || into === undefined || url === undefined)
      return fail("--from, --into and --url are required.");
    if (given.everyMs !== undefined && given.serve === undefined) fail("--every needs --serve.");
    const contact = given.contact ?? "";
    if (contact !== "" && !/^[!-~]+@[!-~]+$/.test(contact)) fail(`--contact ${contact} is not a mail address.`);
    const urls = (option: string, some: readonly string[] | undefined): readonly string[] | undefined =>
      some?.map((one) => readSiteUrl(`--${option}`, one));
    const listed = omitUndefined({
      special: urls("special", special),
      peers: urls("peer", peers),
      sites: urls("site", sites),
    });
    return {
      moniker: `tidemark/${packageVersion()}`,
      ...given,
      from,
      into,
      url,
      ...listed,
    };
  },
  load: async () => (await import("./share-run.ts")).runShare,
});
