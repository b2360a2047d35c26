import { flag, path, settingRow as row, wholeNumber } from "../../config/index.ts";
import { TidemarkError } from "../../core/index.ts";
import type { Command } from "../terminal/command.ts";
import { type RawArguments, readSettings, siteUrl, textOption } from "../terminal/option.ts";
import type { SitesArguments } from "./sites-run.ts";

const settings = {
  pause: row("pause", flag, "Visit it no more, until it is resumed; what is under way ends in order", {
    doc: "visit the site no more; a visit that is under way ends in order",
  }),
  resume: row("resume", flag, "Visit it again", { doc: "visit it again, as it was planned" }),
  priority: row("priority N", wholeNumber(0, 10), "From 0 to 10: of sites that are due those with more go first", {
    doc: "0 to 10, instead of what the list of sites says",
  }),
  stateFile: row("state FILE", path, "File of the crawler's state, as it was given to crawl --state", {
    default: "`DIR/.tidemark/state.db`",
    doc: "as it was given to crawl",
  }),
};

function planSites(args: RawArguments): SitesArguments {
  const url = textOption(args, "url");
  const { pause = false, resume = false, ...options } = readSettings(args, settings);
  const fail = (message: string): never => {
    throw new TidemarkError("bad-option", message, { hint: "See `tidemark sites --help`." });
  };
  if (pause && resume) fail("--pause and --resume exclude each other.");
  if (url === undefined && (pause || resume || options.priority !== undefined))
    fail("It is not said which site: url is missing.");
  return {
    ...options,
    into: textOption(args, "dir") ?? "",
    ...(url === undefined ? {} : { url: siteUrl(url, "The address") }),
    ...(pause || resume ? { isPaused: pause } : {}),
  };
}

/** `tidemark sites` */
export const sitesCommand: Command = {
  usage: "sites <dir> [url]",
  describe: "List the sites that are followed, pause and resume them, and say which go first",
  positionals: {
    dir: "Folder of the mirrors, as it was given to crawl --into",
    url: "Only this site, such as https://example.org/",
  },
  options: settings,
  examples: [
    ["sites mirrors", "when each was visited, and is visited next"],
    ["sites mirrors https://example.org/ --pause", "also while they are followed"],
    ["sites mirrors https://example.org/ --resume --priority 9", "before others from now on"],
  ],
  plan: (args) => {
    const options = planSites(args);
    return async (context) => (await import("./sites-run.ts")).runSites(options, context);
  },
};
