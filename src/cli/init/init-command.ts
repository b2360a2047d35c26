import { flag, path, settingRow as row, siteUrl } from "../../config/index.ts";
import { type Command, defineCommand } from "../terminal/command.ts";
import { argument } from "../terminal/option.ts";

/** `tidemark init` */
export const initCommand: Command = defineCommand({
  usage: "init <docroot>",
  describe: "Propose a configuration for a folder of pages, and show what an export would publish",
  positionals: { docroot: "The document root: the folder that the web server serves" },
  options: {
    baseUrl: row("base-url URL", siteUrl, "The site's base URL, such as https://example.org/", {
      default: "found in `robots.txt` (`Sitemap:`) or the home page (`rel=canonical`), or that of `--server`",
    }),
    serverUrl: row(
      "server URL",
      siteUrl,
      "Address at which the web server answers now, such as http://127.0.0.1:8080/",
      {
        default: "the base URL",
        doc: "address at which the web server answers now; requests carry the host name of the base URL. Without `--base-url` and `--server` no request is sent",
      },
    ),
    stateDir: row("state DIR", path, "State folder of the exports that publish the site already", {
      default: "`~/.local/state/tidemark/HOST`, or `/var/lib/tidemark/HOST` if only that exists",
    }),
    writeFile: row("write FILE", path, "Write the configuration to this file, which must be new", {
      default: "nothing is written",
    }),
    force: row("force", flag, "Overwrite the file of --write"),
  },
  examples: [
    ["init /var/www/html --base-url https://example.org/", "print a proposal, after requests to the server"],
    ["init /var/www/html --base-url https://example.org/ --write /etc/tidemark.json", "write the proposal to a file"],
    [
      "init site --base-url https://example.org/ --server http://127.0.0.1:8080/",
      "for a server that is not public yet",
    ],
  ],
  isPaged: () => true,
  plan: (given, args, fail) => {
    if (given.force && given.writeFile === undefined) fail("--force needs --write, which is missing.");
    return { ...given, docroot: argument(args, "docroot") };
  },
  load: async () => (await import("./init-run.ts")).runInit,
});
