import { flag, settingRow as row, wholeNumber } from "../../config/index.ts";
import { type Command, defineCommand, mirrorsFolder, stateOption } from "../terminal/command.ts";
import { argument, siteArguments } from "../terminal/option.ts";

/** `tidemark sites` */
export const sitesCommand: Command = defineCommand({
  usage: "sites <dir> [url]",
  describe: "List the sites that are followed, pause and resume them, and say which go first",
  positionals: { dir: mirrorsFolder, url: "Only this site, such as https://example.org/" },
  options: {
    pause: row("pause", flag, "Visit the site no more; a visit that is under way ends in order"),
    resume: row("resume", flag, "Visit it again, as it was planned"),
    priority: row("priority N", wholeNumber(0, 10), "From 0 to 10, instead of what the list of sites says"),
    stateFile: stateOption,
  },
  examples: [
    ["sites mirrors", "when each was visited, and is visited next"],
    ["sites mirrors https://example.org/ --pause", "also while they are followed"],
    ["sites mirrors https://example.org/ --resume --priority 9", "before others from now on"],
  ],
  plan: ({ pause = false, resume = false, ...given }, args, fail) => {
    const [url] = siteArguments(args, "url");
    if (pause && resume) fail("--pause and --resume exclude each other.");
    if (url === undefined && (pause || resume || given.priority !== undefined))
      fail("It is not said which site: url is missing.");
    return {
      ...given,
      into: argument(args, "dir"),
      ...(url === undefined ? {} : { url }),
      ...(pause || resume ? { isPaused: pause } : {}),
    };
  },
  load: async () => (await import("./sites-run.ts")).runSites,
});
