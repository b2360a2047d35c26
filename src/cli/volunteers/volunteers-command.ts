import {
  duration,
  flag,
  listenAddress,
  path,
  settingRow as row,
  type SettingsOf,
  siteUrl,
  text,
  texts,
  wholeNumber,
} from "../../config/index.ts";
import { omitUndefined, TidemarkError } from "../../core/index.ts";
import { type Command, defineCommand } from "../terminal/command.ts";
import { argument } from "../terminal/option.ts";
import type { VolunteersArguments } from "./volunteers-run.ts";

const many = wholeNumber(1, 1_000_000_000);

const initOptions = {
  userAgent: row(
    "user-agent TEXT",
    text,
    "What volunteers send as User-Agent: whose crawl it is, and where sites learn more. Needed once",
  ),
  volunteers: row("volunteer NAME", texts, "Make a key for this volunteer: 1 to 64 of a-z, 0-9, _ and -"),
  signingKey: row(
    "boinc FILE",
    path,
    "Let BOINC's clients work too: sign their application with the key in this file, which is made if it is not there. Keep it off the server",
  ),
};

const serveOptions = {
  seeds: row("seeds FILE", path, "File of URLs or hosts to begin with, as of tidemark crawl --web"),
  listen: row("listen ADDRESS", listenAddress, "Address and port at which volunteers ask for units", {
    default: "`127.0.0.1:8480`",
  }),
  cert: row("cert FILE", path, "Certificate in PEM; without it only this machine is answered"),
  certKey: row("cert-key FILE", path, "Key of the certificate in PEM"),
  boincUrl: row("boinc-url URL", siteUrl, "Answer BOINC's clients too, who reach this server at this URL"),
  boincDelayMs: row("boinc-delay DURATION", duration(86_400_000), "Least time between two requests of a BOINC client", {
    default: "`1m`",
  }),
  maxOut: row("volunteer-units N", wholeNumber(1, 1000), "Most units that one volunteer has at once", { default: "4" }),
  scopeDomains: row("scope-domain NAME", texts, "Only hosts of this domain, or of a suffix such as de", {
    default: "all hosts",
  }),
  maxDepth: row("max-depth N", wholeNumber(0, 1_000_000), "Follow at most N links within a site", {
    default: "no limit",
  }),
  maxHops: row("max-hops N", wholeNumber(0, 1_000_000), "Follow at most N links from one site to another", {
    default: "no limit",
  }),
  maxPages: row("max-pages N", many, "At most N pages of a site", { default: "no limit" }),
  maxSites: row("max-sites N", many, "Know at most N sites", { default: "1000000" }),
  nameServers: row("name-server ADDRESS", texts, "Ask this name server, such as 127.0.0.1:5353", {
    default: "those of the system",
  }),
  unitPages: row("unit-pages N", wholeNumber(1, 500), "Most pages of a unit", { default: "100" }),
  crawlDelayMs: row(
    "crawl-delay DURATION",
    duration(3_600_000),
    "Least time between two requests of a volunteer to a site",
    {
      default: "`1s`",
    },
  ),
  restMs: row("rest DURATION", duration(3_600_000), "Rest of a site after each copy of a unit", { default: "`15s`" }),
  loopbackRests: row("rest-on-loopback", flag, "Rest also for sites on this machine"),
  deadlineMs: row("deadline DURATION", duration(86_400_000), "From the assignment of a unit to its deadline", {
    default: "`1h`",
  }),
  revisitMs: row("revisit DURATION", duration(36_525 * 86_400_000), "A page is not visited again before", {
    default: "`1d`",
  }),
  allowPrivate: row("allow-private", flag, "Let links lead to sites with private addresses: for a network of your own"),
  ca: row(
    "ca FILE",
    path,
    "For the project's own visits: certificate authorities in PEM that TLS trusts in addition to Node's",
  ),
  proxy: row("proxy URL", siteUrl, "For the project's own visits: a proxy, such as http://proxy.example:3128"),
};

const options = { ...initOptions, ...serveOptions };

const optionsOf = { init: initOptions, serve: serveOptions } as const;

/** `tidemark volunteers` */
export const volunteersCommand: Command = defineCommand({
  usage: "volunteers <action> <dir>",
  describe: "Let volunteers fetch the pages of a crawl, and check what they say",
  positionals: {
    action:
      "init makes a project and the keys of volunteers; serve hands out work units and takes the results until Ctrl-C",
    dir: "Folder of the project and of its crawl",
  },
  options,
  groups: {
    init: Object.values(initOptions).map(({ option }) => option),
    serve: ["seeds", "listen", "cert", "cert-key", "volunteer-units", "boinc-url", "boinc-delay"],
    "serve: which pages": ["scope-domain", "max-depth", "max-hops", "max-pages", "max-sites"],
    "serve: units and politeness": ["unit-pages", "crawl-delay", "rest", "rest-on-loopback", "deadline", "revisit"],
    "serve: network": ["name-server", "allow-private", "ca", "proxy"],
  },
  examples: [
    [
      'volunteers init web --user-agent "MyBot/1.0 (+https://example.org/bot)" --volunteer ann --volunteer bob',
      "make a project and two keys",
    ],
    ["volunteers init web --volunteer cid", "add a volunteer"],
    [
      "volunteers serve web --seeds seeds.txt --listen 0.0.0.0:8480 --cert cert.pem --cert-key key.pem",
      "hand out units",
    ],
    ["volunteers init web --boinc signing.pem", "let BOINC's clients work too"],
    [
      "volunteers serve web --seeds seeds.txt --listen 0.0.0.0:443 --cert cert.pem --cert-key key.pem --boinc-url https://crawl.example.org/",
      "hand out units, to BOINC's clients too",
    ],
    ["work --from https://crawl.example.org:8480/ --key ann.key", "what a volunteer runs"],
    ["graph import graph --crawl web", "make a graph of the links that are believed"],
  ],
  plan: (given: SettingsOf<typeof options>, args, fail): VolunteersArguments => {
    const action = argument(args, "action");
    if (action !== "init" && action !== "serve")
      throw new TidemarkError("bad-option", `There is no action ${JSON.stringify(action.slice(0, 100))}.`, {
        hint: "There are init and serve.",
      });
    const surplus = Object.keys(given).find((name) => !(name in optionsOf[action]));
    if (surplus !== undefined)
      fail(`--${options[surplus as keyof typeof options].option} is not for volunteers ${action}.`);
    const folder = argument(args, "dir");
    const { userAgent, volunteers = [], signingKey, seeds, listen, cert, certKey, ...more } = given;
    if (action === "init") {
      if (userAgent === undefined && volunteers.length === 0 && signingKey === undefined)
        fail("--volunteer is missing: who gets a key?");
      return { action, folder, volunteers, ...omitUndefined({ userAgent, signingKey }) };
    }
    if (seeds === undefined) return fail("--seeds is missing: where does the crawl begin?");
    if ((cert === undefined) !== (certKey === undefined)) fail("--cert and --cert-key belong together.");
    if (more.boincDelayMs !== undefined && more.boincUrl === undefined) fail("--boinc-delay is for --boinc-url.");
    const { host = "127.0.0.1", port = 8480 } = listen ?? {};
    return { action, folder, seedsFile: seeds, host, port, ...more, ...omitUndefined({ cert, certKey }) };
  },
  load: async () => (await import("./volunteers-run.ts")).runVolunteers,
});
