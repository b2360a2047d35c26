import { duration, flag, path, settingRow as row, type Setting, text, texts } from "../../config/index.ts";
import { logFormatNames } from "../../formats/access-log/index.ts";
import { type Command, defineCommand } from "../terminal/command.ts";

/** Options of what reads access logs. */
export const trafficOptions: Readonly<Record<"format" | "resolve" | "robots" | "archives", Setting<string>>> & {
  readonly ranges: Setting<readonly string[]>;
} = {
  format: row(
    "format FORMAT",
    text,
    `A \`LogFormat\` of Apache or a \`log_format\` of nginx, as it stands between the quotes, or one of ${logFormatNames.join(", ")}`,
    { default: "each line is read by the first of the named formats that it fits" },
  ),
  ranges: row(
    "ranges NAME=FILE",
    texts,
    "Addresses of a crawler, such as Googlebot: JSON as its operator publishes it, or a range a line; others that call themselves so are impostors",
    { default: "names are taken as given" },
  ),
  resolve: row(
    "resolve SERVER",
    { ...text, whenAlone: "system" },
    "Check the addresses of crawlers whose hosts have known names by reverse and forward DNS, at this resolver; alone, at the machine's",
    { default: "names are taken as given" },
  ),
  robots: row("robots FILE", path, "The site's robots.txt: requests that it forbids are counted"),
  archives: row(
    "archives DIR",
    path,
    "The document root that `tidemark export` was given: what crawlers missed, and what archives would have saved them",
  ),
};

/** `tidemark traffic` */
export const trafficCommand: Command = defineCommand({
  usage: "traffic [logs..]",
  describe: "Show from access logs what crawlers cost, and which of their requests were needless",
  positionals: { logs: "Access logs of Apache or nginx, gzip'd or not; - reads standard input" },
  options: {
    ...trafficOptions,
    clients: row(
      "clients FILE",
      path,
      "Write the clients of crawlers into this file, a line each; an existing file is replaced",
    ),
    robotsDat: row(
      "robots-dat FILE",
      path,
      "Write address and name of each crawler that asked for robots.txt into this file; an existing file is replaced",
    ),
    follow: row("follow", flag, "Go on reading the last log as it grows, until a signal"),
    everyMs: row(
      "every DURATION",
      duration(86_400_000),
      "With --follow: print the answer so far this often, if there are new lines",
      {
        default: "1m",
      },
    ),
    addresses: row("addresses", flag, "With --clients: write full addresses instead of their networks"),
  },
  examples: [
    ["traffic /var/log/nginx/access.log*", "all that is kept of a log, with the packed files"],
    [
      'traffic access.log --format \'$remote_addr [$time_local] "$request" $status $bytes_sent "$http_user_agent"\'',
      "nginx",
    ],
    ['traffic access.log --format \'%h %t "%r" %>s %O "%{User-Agent}i" "%{If-None-Match}i"\'', "Apache"],
    ["traffic - < access.log", "a log from another program"],
  ],
  plan: (given, args, fail) => {
    const logs = [args.logs ?? []].flat().map(String);
    if (logs.length === 0) fail("Name at least one log, or - for standard input.");
    if (given.follow === true && logs.includes("-"))
      fail("--follow is of files; standard input goes on until it ends.");
    if (given.everyMs !== undefined && given.follow !== true) fail("--every has no effect without --follow.");
    if (given.addresses === true && given.clients === undefined) fail("--addresses has no effect without --clients.");
    if (logs.filter((log) => log === "-").length > 1) fail("Standard input is named twice.");
    return { ...given, logs };
  },
  load: async () => (await import("./traffic-run.ts")).runTraffic,
});
