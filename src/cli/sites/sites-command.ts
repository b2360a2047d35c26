import { TidemarkError } from "../../core/index.ts";
import { type Command, valueOption } from "../terminal/command.ts";
import { flagOption, integerOption, type RawArguments, siteUrl, textOption } from "../terminal/option.ts";
import type { SitesArguments } from "./sites-run.ts";

function planSites(args: RawArguments): SitesArguments {
  const url = textOption(args, "url");
  const [pause, resume] = [flagOption(args, "pause"), flagOption(args, "resume")];
  const priority = integerOption(args, "priority", 0, 10);
  const fail = (message: string): never => {
    throw new TidemarkError("bad-option", message, { hint: "See `tidemark sites --help`." });
  };
  if (pause && resume) fail("--pause and --resume exclude each other.");
  if (url === undefined && (pause || resume || priority !== undefined))
    fail("It is not said which site: url is missing.");
  if (url !== undefined) siteUrl(url, "The address");
  return {
    into: textOption(args, "dir") ?? "",
    url,
    stateFile: textOption(args, "state"),
    isPaused: pause || resume ? pause : undefined,
    priority,
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
  options: {
    pause: { type: "boolean", describe: "Visit it no more, until it is resumed; what is under way ends in order" },
    resume: { type: "boolean", describe: "Visit it again" },
    priority: valueOption("From 0 to 10: of sites that are due those with more go first"),
    state: valueOption("File of the crawler's state (in the folder), as it was given to crawl --state"),
  },
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
