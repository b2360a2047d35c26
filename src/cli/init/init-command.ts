import { flag, path, settingRow as row, siteUrl } from "../../config/index.ts";
import { type Command, defineCommand } from "../terminal/command.ts";
import { argument } from "../terminal/option.ts";

/** `tidemark init` */
export const initCommand: Command = defineCommand({
  usage: "init <docroot>",
  describe: "Propose a configuration for a folder of pages, and show what it would publish",
  positionals: { docroot: "The folder that the web server serves" },
  options: {
    baseUrl: row("base-url URL", siteUrl, "The site's origin on the web", {
      default: "what `robots.txt` (`Sitemap:`) or the home page (`rel=canonical`) say, or `--server`",
    }),
    serverUrl: row("server URL", siteUrl, "Where the web server answers now, such as http://127.0.0.1:8080/", {
      default: "the base URL",
      doc: "where the server answers now; it is asked by the host name of the base URL. Without `--base-url` and `--server` no server is asked",
    }),
    writeFile: row("write FILE", path, "Write the configuration to this file, which must be new", {
      default: "nothing is written",
    }),
    force: row("force", flag, "Overwrite the file of --write"),
  },
  examples: [
    ["init /var/www/html --base-url https://example.org/", "look, ask the server, and print"],
    ["init /var/www/html --base-url https://example.org/ --write /etc/tidemark.json", "and write it"],
    ["init site --base-url https://example.org/ --server http://127.0.0.1:8080/", "a server that is not public yet"],
  ],
  plan: (given, args, fail) => {
    if (given.force && given.writeFile === undefined) fail("--force is of --write, which is missing.");
    return { ...given, docroot: argument(args, "docroot") };
  },
  load: async () => (await import("./init-run.ts")).runInit,
});
