import { flag, path, settingRow as row } from "../../config/index.ts";
import type { Command } from "../terminal/command.ts";
import { readSettings, textOption } from "../terminal/option.ts";

const settings = {
  convertLinks: row("convert-links", flag, "Make a copy that opens from the disk, without a server", {
    doc: "rewrite HTML and style sheets so that the copy opens from the disk: links lead to files, nothing is loaded from elsewhere",
  }),
  previous: row("previous FOLDER", path, "An earlier copy: what did not change since takes no room", {
    default: "the last one by name beside `FOLDER`",
    doc: "an earlier copy; what did not change since is one file with it",
  }),
  stateFile: row("state FILE", path, "The crawler's state", {
    default: "`.tidemark/state.db` beside the mirror",
    doc: "the crawler's state",
  }),
};

/** `tidemark copy` */
export const copyCommand: Command = {
  usage: "copy <mirror> <folder>",
  describe: "Keep a site's mirror as it is now, by hard links, or as a copy to read without a server",
  positionals: { mirror: "The site's folder in the mirrors", folder: "The copy, which is not there yet" },
  options: settings,
  examples: [
    ["copy mirrors/example.org snapshots/2026-11-24", "a state to go back to; only what changes takes room"],
    ["copy mirrors/example.org offline --convert-links", "open offline/index.html in a browser"],
  ],
  plan: (args) => {
    const given = { mirror: textOption(args, "mirror") ?? "", folder: textOption(args, "folder") ?? "" };
    const options = { ...readSettings(args, settings), ...given };
    return async (context) => (await import("./copy-run.ts")).runCopy(options, context);
  },
};
