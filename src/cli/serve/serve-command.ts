import { flag, path, settingRow as row, type SettingTable, text, wholeNumber } from "../../config/index.ts";
import type { Command } from "../terminal/command.ts";
import { type RawArguments, readSettings, textOption } from "../terminal/option.ts";
import type { ServeArguments } from "./serve-run.ts";

const settings: SettingTable<Omit<ServeArguments, "folder">> = {
  port: row("port N", wholeNumber(0, 65_535), "Port to listen at; 0 takes any free one", {
    default: "8080",
    doc: "0 takes any free port",
  }),
  host: row("host ADDRESS", text, "Address to listen at; by default only this machine reaches it", {
    default: "`127.0.0.1`",
    doc: "which only this machine reaches",
  }),
  stateFile: row("state FILE", path, "The crawler's state, if the folder is a mirror", {
    default: "`.tidemark/state.db` beside the folder",
    doc: "the crawler's state, if `DIR` is a mirror",
  }),
  nginx: row("nginx", flag, "Print what nginx must know of a mirror, and end (see docs/nginx.md)", {
    doc: "print [what nginx must know of a mirror](nginx.md#a-mirror), and end; exit code 3 if pages were left out",
  }),
};

function planServe(args: RawArguments): ServeArguments {
  return { ...readSettings(args, settings), folder: textOption(args, "folder") ?? "" };
}

/** `tidemark serve` */
export const serveCommand: Command = {
  usage: "serve <folder>",
  describe: "Serve a folder or a mirror over HTTP, to try things out",
  positionals: { folder: "The folder" },
  options: settings,
  examples: [
    ["serve /var/www/html --port 8080", "http://127.0.0.1:8080/ until Ctrl-C"],
    ["serve mirrors/example.org", "A mirror: each page under its URL, with its media type"],
  ],
  plan: (args) => {
    const options = planServe(args);
    return async (context) => (await import("./serve-run.ts")).runServe(options, context);
  },
};
