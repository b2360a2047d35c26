import { flag, path, settingRow as row, text, texts, wholeNumber } from "../../config/index.ts";
import { type Command, defineCommand } from "../terminal/command.ts";
import { argument } from "../terminal/option.ts";

/** `tidemark serve` */
export const serveCommand: Command = defineCommand({
  usage: "serve <folder>",
  describe: "Serve a folder or a mirror over HTTP, for trying things out",
  positionals: { folder: "Folder to serve" },
  options: {
    port: row("port N", wholeNumber(0, 65_535), "Port to listen at; 0 takes any free port", { default: "8080" }),
    host: row("host ADDRESS", text, "Address to listen at; only this machine reaches 127.0.0.1", {
      default: "`127.0.0.1`",
    }),
    allowHosts: row(
      "allow-host NAME",
      texts,
      "Also answer requests for this host name or address, such as www.example.org",
      {
        default: "on a loopback address none, elsewhere any",
        doc: "also answer requests for this host name or address; repeatable",
      },
    ),
    stateFile: row("state FILE", path, "State file of the crawler, if the folder is a mirror", {
      default: "`.tidemark/state.db` beside the folder",
    }),
    nginx: row("nginx", flag, "Print a map with which nginx serves a mirror, and end (see docs/nginx.md)", {
      doc: "print [a map with which nginx serves a mirror](nginx.md#a-mirror), and end; exit code 3 if pages were left out",
    }),
  },
  examples: [
    ["serve /var/www/html --port 8080", "serve http://127.0.0.1:8080/ until Ctrl-C"],
    ["serve mirrors/example.org", "serve each page of a mirror under its URL, with its media type"],
  ],
  plan: (given, args) => ({ ...given, folder: argument(args, "folder") }),
  load: async () => (await import("./serve-run.ts")).runServe,
});
