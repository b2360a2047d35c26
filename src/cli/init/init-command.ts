import { flag, path, settingRow as row, type SettingTable, siteUrl } from "../../config/index.ts";
import { TidemarkError } from "../../core/index.ts";
import type { Command } from "../terminal/command.ts";
import { type RawArguments, readSettings, textOption } from "../terminal/option.ts";
import type { InitArguments } from "./init-run.ts";

const settings: SettingTable<Omit<InitArguments, "docroot">> = {
  baseUrl: row("base-url URL", siteUrl, "Where it stands on the web", {
    default: "what `robots.txt` (`Sitemap:`) or the home page (`rel=canonical`) say, or `--server`",
    doc: "the site's origin",
  }),
  serverUrl: row("server URL", siteUrl, "Where the web server answers now, such as http://127.0.0.1:8080/", {
    default: "the base URL",
    doc: "where the server answers now; it is asked by the host name of the base URL. Without `--base-url` and `--server` no server is asked",
  }),
  writeFile: row("write FILE", path, "Write the configuration to this file, which must be new", {
    default: "nothing is written",
  }),
  force: row("force", flag, "Overwrite the file of --write", { doc: "overwrite that file" }),
};

function planInit(args: RawArguments): InitArguments {
  const options = readSettings(args, settings);
  if (options.force && options.writeFile === undefined)
    throw new TidemarkError("bad-option", "--force is of --write, which is missing.");
  return { ...options, docroot: textOption(args, "docroot") ?? "" };
}

/** `tidemark init` */
export const initCommand: Command = {
  usage: "init <docroot>",
  describe: "Propose a configuration for a folder of pages, and show what it would publish",
  positionals: { docroot: "The folder that the web server serves" },
  options: settings,
  examples: [
    ["init /var/www/html --base-url https://example.org/", "look, ask the server, and print"],
    ["init /var/www/html --base-url https://example.org/ --write /etc/tidemark.json", "and write it"],
    ["init site --base-url https://example.org/ --server http://127.0.0.1:8080/", "a server that is not public yet"],
  ],
  plan: (args) => {
    const options = planInit(args);
    return async (context) => (await import("./init-run.ts")).runInit(options, context);
  },
};
