import { path, settingRow as row, siteUrl, text, texts, wholeNumber } from "../../config/index.ts";
import type { ShareEventsOptions } from "../../share/index.ts";
import { type Command, defineCommand, mirrorsFolder } from "../terminal/command.ts";
import { readSiteUrl } from "../terminal/option.ts";
import { packageVersion } from "../terminal/package-version.ts";

/** `tidemark share` */
export const shareCommand: Command = defineCommand({
  usage: "share",
  describe: "Publish the web events that a crawler saw, for other crawlers to merge",
  positionals: {},
  options: {
    from: row("from DIR", path, `${mirrorsFolder}, or its state file`, { default: "required" }),
    into: row("into DIR", path, "Document root of the web server that serves the files", { default: "required" }),
    url: row("url URL", siteUrl, "Root of that web server, such as https://crawler.example/", { default: "required" }),
    moniker: row("name NAME", text, "Name of the crawler, as in its User-Agent", { default: "`tidemark/VERSION`" }),
    contact: row("contact ADDRESS", text, "Mail address of the operator"),
    special: row("special URL", texts, "Address that the crawler knows especially well"),
    sites: row("site URL", texts, "Share only events of this site", { default: "all" }),
    days: row("days N", wholeNumber(1, 3650), "Days whose files are kept, today included", { default: "30" }),
  },
  examples: [
    [
      "share --from mirrors --into /srv/share --url https://crawler.example/",
      "publish what was seen since the last run",
    ],
  ],
  plan: ({ from, into, url, special, sites, ...given }, _args, fail): ShareEventsOptions => {
    if (from === undefined || into === undefined || url === undefined)
      return fail("--from, --into and --url are required.");
    const contact = given.contact ?? "";
    if (contact !== "" && !/^[!-~]+@[!-~]+$/.test(contact)) fail(`--contact ${contact} is not a mail address.`);
    const urls = (option: string, some: readonly string[] | undefined): readonly string[] | undefined =>
      some?.map((one) => readSiteUrl(`--${option}`, one));
    const listed = { special: urls("special", special), sites: urls("site", sites) };
    const { special: specialUrls, sites: siteUrls } = listed;
    return {
      moniker: `tidemark/${packageVersion()}`,
      ...given,
      from,
      into,
      url,
      ...(specialUrls === undefined ? {} : { special: specialUrls }),
      ...(siteUrls === undefined ? {} : { sites: siteUrls }),
    };
  },
  load: async () => (await import("./share-run.ts")).runShare,
});
