import { path, settingRow as row, text } from "../../config/index.ts";
import { TidemarkError } from "../../core/index.ts";
import { type Command, defineCommand } from "../terminal/command.ts";
import { argument } from "../terminal/option.ts";

/** `tidemark identity` */
export const identityCommand: Command = defineCommand({
  usage: "identity <action>",
  describe: "Make the key with which crawl --identity signs requests, or show it",
  positionals: {
    action:
      "init makes a key and the file of public keys to serve, or only that file if a key is there without it; show prints what servers see of a key",
  },
  options: {
    agent: row(
      "agent URL",
      text,
      "With init: site of yours that will serve the public key, such as https://crawler.example.org",
    ),
    into: row("into DIR", path, "With init: folder for the key and, below it, the folder `public` to serve", {
      default: "the current folder",
    }),
    key: row("key FILE", path, "With show: the key file", { default: "`identity.json`" }),
  },
  examples: [
    ["identity init --agent https://crawler.example.org --into /etc/tidemark", "make a key"],
    ["identity show --key /etc/tidemark/identity.json", "print the key's id and the site that serves it"],
    ["crawl https://example.org/ --into mirror --identity /etc/tidemark/identity.json", "sign each request"],
  ],
  plan: ({ agent, into = ".", key = "identity.json" }, args) => {
    const action = argument(args, "action");
    if (action === "show") return { action, key } as const;
    if (action !== "init")
      throw new TidemarkError("bad-option", `There is no action ${action.slice(0, 100)}.`, {
        hint: "There are init and show.",
      });
    if (agent === undefined)
      throw new TidemarkError("bad-option", "--agent is missing: where will the public key be served?", {
        hint: "Name a site of yours, such as --agent https://crawler.example.org",
      });
    return { action, agent, folder: into } as const;
  },
  load: async () => (await import("./identity-run.ts")).runIdentity,
});
