import { flag, path, settingRow as row } from "../../config/index.ts";
import { type Command, defineCommand } from "../terminal/command.ts";
import { argument } from "../terminal/option.ts";

/** `tidemark copy` */
export const copyCommand: Command = defineCommand({
  usage: "copy <mirror> <folder>",
  describe: "Keep a site's mirror as it is now: by hard links, or as a copy to read without a server",
  positionals: {
    mirror: "Folder of the site, below that of crawl --into",
    folder: "Folder of the copy; not there yet",
  },
  options: {
    convertLinks: row("convert-links", flag, "Rewrite pages and style sheets so that the copy opens from the disk", {
      doc: "rewrite pages and style sheets so that the copy opens from the disk: links lead to files, and nothing is loaded from elsewhere",
    }),
    previous: row("previous FOLDER", path, "Earlier copy, with which unchanged files are shared", {
      default: "the last one by name beside the copy",
    }),
    stateFile: row("state FILE", path, "State file of the crawler", {
      default: "`.tidemark/state.db` beside the mirror",
    }),
  },
  examples: [
    ["copy mirrors/example.org snapshots/2026-11-24", "keep today's state; only what changes later takes room"],
    ["copy mirrors/example.org offline --convert-links", "open offline/index.html in a browser"],
  ],
  plan: (given, args) => ({ ...given, mirror: argument(args, "mirror"), folder: argument(args, "folder") }),
  load: async () => (await import("./copy-run.ts")).runCopy,
});
