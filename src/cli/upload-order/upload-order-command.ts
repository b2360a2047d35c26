import { choice, path, settingRow as row } from "../../config/index.ts";
import { TidemarkError } from "../../core/index.ts";
import { uploadPhases } from "../../exporter/index.ts";
import { type Command, defineCommand } from "../terminal/command.ts";
import { argument } from "../terminal/option.ts";

/** `tidemark upload-order` */
export const uploadOrderCommand: Command = defineCommand({
  usage: "upload-order <docroot>",
  describe: "List a published folder's files in the order in which they are uploaded to an object store",
  positionals: { docroot: "Folder that was exported" },
  options: {
    phase: row("phase PHASE", choice(...uploadPhases), `List only the files of this step: ${uploadPhases.join(", ")}`, {
      default: "all steps but `removals`, in their order",
    }),
    remote: row(
      "remote FILE",
      path,
      "With --phase removals: file that lists the other place, a path a line; - reads it from stdin",
    ),
  },
  examples: [
    ["upload-order dist", "list all files: pages, archives, lists, the index, robots.txt"],
    ["upload-order dist --phase archives | rclone copy dist s3:site --files-from-raw -", "upload one step with rclone"],
    ["upload-order dist --phase removals --remote remote.txt", "list what is to be removed in the end"],
  ],
  plan: ({ phase, remote }, args) => {
    if ((phase === "removals") !== (remote !== undefined))
      throw new TidemarkError("bad-option", "--phase removals and --remote need each other.", {
        hint: "List the files at the other place, for example with `rclone lsf -R --files-only`.",
      });
    return { documentRoot: argument(args, "docroot"), phase, remote };
  },
  load: async () => (await import("./upload-order-run.ts")).runUploadOrder,
});
