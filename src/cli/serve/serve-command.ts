import { type Command, valueOption } from "../terminal/command.ts";
import { flagOption, integerOption, type RawArguments, textOption } from "../terminal/option.ts";
import type { ServeArguments } from "./serve-run.ts";

function planServe(args: RawArguments): ServeArguments {
  return {
    folder: textOption(args, "folder") ?? "",
    host: textOption(args, "host") ?? "127.0.0.1",
    port: integerOption(args, "port", 0, 65_535) ?? 8080,
    stateFile: textOption(args, "state"),
    nginx: flagOption(args, "nginx"),
  };
}

/** `tidemark serve` */
export const serveCommand: Command = {
  usage: "serve <folder>",
  describe: "Serve a folder or a mirror over HTTP, to try things out",
  positionals: { folder: "The folder" },
  options: {
    port: valueOption("Port to listen at; 0 takes any free one (8080)"),
    host: valueOption("Address to listen at (127.0.0.1, which only this machine reaches)"),
    state: valueOption("The crawler's state, if the folder is a mirror and its state is not in .tidemark beside it"),
    nginx: { type: "boolean", describe: "Print what nginx must know of a mirror, and end (see docs/nginx.md)" },
  },
  examples: [
    ["serve /var/www/html --port 8080", "http://127.0.0.1:8080/ until Ctrl-C"],
    ["serve mirrors/example.org", "A mirror: each page under its URL, with its media type"],
  ],
  plan: (args) => {
    const options = planServe(args);
    return async (context) => (await import("./serve-run.ts")).runServe(options, context);
  },
};
