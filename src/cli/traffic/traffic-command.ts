import { flag, path, settingRow as row, type Setting, text, texts } from "../../config/index.ts";
import { logFormatNames } from "../../formats/access-log/index.ts";
import { type Command, defineCommand } from "../terminal/command.ts";

/** Options of what reads access logs. */
export const trafficOptions: { readonly format: Setting<string> } = {
  format: row(
    "format FORMAT",
    text,
    `A \`LogFormat\` of Apache or a \`log_format\` of nginx, as it stands between the quotes, or one of ${logFormatNames.join(", ")}`,
    { default: "each line is read by the first of the named formats that it fits" },
  ),
};

/** `tidemark traffic` */
export const trafficCommand: Command = defineCommand({
  usage: "traffic [logs..]",
  describe: "Show from access logs what crawlers cost, and which of their requests were needless",
  positionals: { logs: "Access logs of Apache or nginx, gzip'd or not; - reads standard input" },
  options: {
    ...trafficOptions,
    ranges: row(
      "ranges NAME=FILE",
      texts,
      "Addresses of a crawler, such as Googlebot: JSON as its operator publishes it, or a range a line; others that call themselves so are impostors",
      { default: "names are taken as given" },
    ),
    robots: row("robots FILE", path, "The site's robots.txt: requests that it forbids are counted"),
    archives: row(
      "archives DIR",
      path,
      "The document root that `tidemark export` was given: what crawlers missed, and what archives would have saved them",
    ),
    clients: row(
      "clients FILE",
      path,
      "Write the clients of crawlers into this file, a line each; an existing file is replaced",
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
    if (logs.filter((log) => log === "-").length > 1) fail("Standard input is named twice.");
    return { ...given, logs };
  },
  load: async () => (await import("./traffic-run.ts")).runTraffic,
});
