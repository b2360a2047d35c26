import { TidemarkError } from "../../core/index.ts";
import { type Command, valueOption } from "../terminal/command.ts";
import { flagOption, type RawArguments, siteUrl, textOption } from "../terminal/option.ts";
import type { InitArguments } from "./init-run.ts";

function planInit(args: RawArguments): InitArguments {
  const baseUrl = textOption(args, "base-url");
  const serverUrl = textOption(args, "server");
  const writeFile = textOption(args, "write");
  const force = flagOption(args, "force");
  if (force && writeFile === undefined)
    throw new TidemarkError("bad-option", "--force is of --write, which is missing.");
  return {
    docroot: textOption(args, "docroot") ?? "",
    baseUrl: baseUrl === undefined ? undefined : siteUrl(baseUrl, "--base-url"),
    serverUrl: serverUrl === undefined ? undefined : siteUrl(serverUrl, "--server"),
    writeFile,
    force,
  };
}

/** `tidemark init` */
export const initCommand: Command = {
  usage: "init <docroot>",
  describe: "Propose a configuration for a folder of pages, and show what it would publish",
  positionals: { docroot: "The folder that the web server serves" },
  options: {
    "base-url": valueOption("Where it stands on the web (what robots.txt or the home page say)"),
    server: valueOption("Where the web server answers now, such as http://127.0.0.1:8080/ (the base URL)"),
    write: valueOption("Write the configuration to this file, which must be new"),
    force: { type: "boolean", describe: "Overwrite the file of --write" },
  },
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
