import { type Command, valueOption } from "./command.ts";
import { integerOption, type RawArguments, textOption } from "./option.ts";

/** What the command line says about a server. */
export interface ServeArguments {
  readonly folder: string;
  readonly host: string;
  readonly port: number;
}

function planServe(args: RawArguments): ServeArguments {
  return {
    folder: textOption(args, "folder") ?? "",
    host: textOption(args, "host") ?? "127.0.0.1",
    port: integerOption(args, "port", 0, 65_535) ?? 8080,
  };
}

/** `tidemark serve` */
export const serveCommand: Command = {
  usage: "serve <folder>",
  describe: "Serve a folder over HTTP, to try things out",
  positionals: { folder: "The folder" },
  options: {
    port: valueOption("Port to listen at; 0 takes any free one (8080)"),
    host: valueOption("Address to listen at (127.0.0.1, which only this machine reaches)"),
  },
  examples: [["serve /var/www/html --port 8080", "http://127.0.0.1:8080/ until Ctrl-C"]],
  plan: (args) => {
    const options = planServe(args);
    return async (context) => (await import("./serve-run.ts")).runServe(options, context);
  },
};
