import { choice, path, settingRow as row } from "../../config/index.ts";
import { TidemarkError } from "../../core/index.ts";
import { uploadPhases } from "../../exporter/index.ts";
import type { Command } from "../terminal/command.ts";
import { readSettings, textOption } from "../terminal/option.ts";

const settings = {
  phase: row("phase PHASE", choice(...uploadPhases), "Only the files of this step", {
    default: "all steps but `removals`, in their order",
    doc: "only the files of one step: `pages`, `archives`, `lists`, `index`, `robots` or `removals`",
  }),
  remote: row(
    "remote FILE",
    path,
    "With --phase removals: a list of the files at the other place; - reads it from standard input",
    {
      doc: "with `--phase removals`: the files at the other place, one path a line; `-` reads standard input",
    },
  ),
};

/** `tidemark upload-order` */
export const uploadOrderCommand: Command = {
  usage: "upload-order <docroot>",
  describe: "List a published folder's files in the order in which they are uploaded to an object store",
  positionals: { docroot: "The folder that was exported" },
  options: settings,
  examples: [
    ["upload-order dist", "all files: pages, archives, lists, the index, robots.txt"],
    ["upload-order dist --phase archives | rclone copy dist s3:site --files-from-raw -", "one step with rclone"],
    ["upload-order dist --phase removals --remote remote.txt", "what is to be removed in the end"],
  ],
  plan: (args) => {
    const { phase, remote } = readSettings(args, settings);
    if ((phase === "removals") !== (remote !== undefined))
      throw new TidemarkError("bad-option", "--phase removals and --remote need each other.", {
        hint: "List the files at the other place, for example with `rclone lsf -R --files-only`.",
      });
    const documentRoot = textOption(args, "docroot") ?? "";
    return async (context) =>
      (await import("./upload-order-run.ts")).runUploadOrder({ documentRoot, phase, remote }, context);
  },
};
