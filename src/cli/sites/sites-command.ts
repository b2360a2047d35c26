import { flag, settingRow as row, wholeNumber } from "../../config/index.ts";
import { type Command, defineCommand, mirrorsFolder, stateOption } from "../terminal/command.ts";
import { argument, siteArguments } from "../terminal/option.ts";

/** `tidemark sites` */
export const sitesCommand: Command = defineCommand({
  usage: "sites <dir> [url]",
  describe: "List the sites that a crawler follows; pause, resume, prioritize or visit one",
  positionals: { dir: mirrorsFolder, url: "Only this site, such as https://example.org/" },
  options: {
    pause: row("pause", flag, "Stop visiting the site; a running visit is stopped in order"),
    resume: row("resume", flag, "Visit the site again, on its schedule"),
    priority: row(
      "priority N",
      wholeNumber(0, 10),
      "Priority from 0 to 10, instead of that in the list of sites: of the sites that are due, those with a higher one come first",
    ),
    visit: row("visit", flag, "Visit the site as soon as a connection is free; a paused one once it is resumed"),
    stateFile: stateOption,
  },
  examples: [
    ["sites mirrors", "show each site's last and next visit"],
    ["sites mirrors https://example.org/ --pause", "pause a site, also while the crawler runs"],
    ["sites mirrors https://example.org/ --resume --priority 9", "resume it, and put it before others"],
  ],
  isPaged: () => true,
  plan: ({ pause = false, resume = false, visit = false, ...given }, args, fail) => {
    const [url] = siteArguments(args, "url");
    if (pause && resume) fail("--pause and --resume exclude each other.");
    if (url === undefined && (pause || resume || visit || given.priority !== undefined))
      fail("No site is named: url is missing.");
    return {
      ...given,
      into: argument(args, "dir"),
      ...(url === undefined ? {} : { url }),
      ...(pause || resume ? { isPaused: pause } : {}),
      ...(visit ? { isDue: visit } : {}),
    };
  },
  load: async () => (await import("./sites-run.ts")).runSites,
});
