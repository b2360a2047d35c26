import { isDeepStrictEqual } from "node:util";
import { type ExportEvent, omitUndefined, TidemarkError } from "../../core/index.ts";
import { type ExportSettings, type WatchedRound, watchSite } from "../../exporter/index.ts";
import { WatchedFiles } from "../../fs/index.ts";
import { printEvent, type RunContext } from "../terminal/command.ts";
import { type ExitCode, exitCodes, reportError } from "../terminal/exit-code.ts";
import { formatNoun } from "../terminal/quantity.ts";
import { findSites } from "../terminal/site-choice.ts";
import { ExportPrinter } from "./export-printer.ts";
import { checkPurgeFile, type ExportArguments, type ExportRun, resultOutput, tellIfAsked } from "./export-run.ts";

/**
 * Watches sites until a signal, and prints what each publication comes to. One that cannot go on ends all, but for those that an
 * edited configuration brought.
 */
export async function runWatch(options: ExportArguments, context: RunContext): Promise<ExitCode> {
  const { configFile, run } = options;
  await using edited = new WatchedFiles();
  // Before it is read, so that no change after that is missed.
  if (configFile !== undefined) edited.follow([configFile]);
  const watches = new SiteWatches(run, context);
  watches.begin(await findWatchedSites(options));
  if (configFile !== undefined) void takeEdits(watches, edited, configFile, options);
  const { rounds, publications } = await watches.end();
  if (context.json) context.out.writeJson({ event: "summary", rounds, publications });
  return exitCodes.done;
}

async function findWatchedSites(options: ExportArguments): Promise<ExportSettings[]> {
  const sites = await findSites(options);
  checkPurgeFile(options.run, sites.length);
  if (sites.some(({ urls }) => urls === "-")) {
    throw new TidemarkError(
      "bad-option",
      "--watch reads the list of --urls more than once, which standard input does not allow.",
      {
        hint: "Give --urls a file.",
      },
    );
  }
  return sites;
}

/** Takes the configuration again whenever it has changed. One with mistakes is told, and the one before holds on. */
async function takeEdits(
  watches: SiteWatches,
  edited: WatchedFiles,
  file: string,
  options: ExportArguments,
): Promise<void> {
  while ((await edited.next()) !== undefined) {
    try {
      const sites = await findWatchedSites(options);
      watches.tellEdit(file, sites.length);
      await watches.change(sites);
    } catch (error) {
      watches.fail(error, true);
    }
  }
}

interface RunningWatch {
  readonly site: ExportSettings;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

/** The watches of several sites, which an edited configuration changes. */
class SiteWatches {
  readonly #run: ExportRun;
  readonly #context: RunContext;
  readonly #printer: ExportPrinter;
  readonly #running = new Set<RunningWatch>();
  readonly #sum = { rounds: 0, publications: 0 };
  readonly #end = new AbortController();
  readonly #signal: AbortSignal;
  #failure: { readonly error: unknown } | undefined;

  constructor(run: ExportRun, context: RunContext) {
    this.#run = run;
    this.#context = context;
    this.#printer = new ExportPrinter(context, false);
    this.#signal = AbortSignal.any([context.signal, this.#end.signal]);
  }

  begin(sites: readonly ExportSettings[], isEdit = false): void {
    for (const site of sites) this.#begin(site, isEdit);
  }

  /** Ends the watches of sites that are not listed as they were, and begins those that are new. */
  async change(sites: readonly ExportSettings[]): Promise<void> {
    const left = [...this.#running].filter((watch) => !sites.some((site) => isDeepStrictEqual(site, watch.site)));
    for (const { stop } of left) stop.abort();
    await Promise.all(left.map(({ ended }) => ended));
    if (this.#signal.aborted) return;
    const known = [...this.#running].map(({ site }) => site);
    this.begin(
      sites.filter((site) => !known.some((one) => isDeepStrictEqual(one, site))),
      true,
    );
  }

  tellEdit(file: string, sites: number): void {
    if (this.#context.json) this.#context.out.writeJson({ event: "sites", file, sites });
    else this.#printer.say(`${file}: ${formatNoun(sites, "site")}`);
  }

  /** @param isEdit - it came of an edit: it is told, and what else is watched goes on */
  fail(error: unknown, isEdit: boolean, site?: string): void {
    const { code, message } = reportError(error);
    if (!isEdit || code === "bug") {
      this.#failure ??= { error };
      this.#end.abort();
      return;
    }
    const mark = site === undefined ? {} : { site };
    printEvent(this.#context, { event: "warning", code: "config-file", message, ...mark });
    if (!this.#context.json) this.#printer.say(`warning: ${site === undefined ? "" : `${site}: `}${message}`);
  }

  /** Waits for the signal, or for a watch that cannot go on, and then for all to end. */
  async end(): Promise<{ readonly rounds: number; readonly publications: number }> {
    await new Promise<void>((resolve) => {
      if (this.#signal.aborted) resolve();
      else this.#signal.addEventListener("abort", () => resolve(), { once: true });
    });
    await Promise.all([...this.#running].map(({ ended }) => ended));
    if (this.#failure !== undefined) throw this.#failure.error;
    return this.#sum;
  }

  #begin(site: ExportSettings, isEdit: boolean): void {
    const stop = new AbortController();
    const signal = AbortSignal.any([this.#signal, stop.signal]);
    const ended = this.#watch(site, signal)
      .catch((error: unknown) => {
        // What search engines were not told is told by the next watch.
        const isStopped = signal.aborted && error instanceof TidemarkError && error.code === "aborted";
        if (!isStopped) this.fail(error, isEdit, site.baseUrl);
      })
      .finally(() => this.#running.delete(running));
    const running: RunningWatch = { site, stop, ended };
    this.#running.add(running);
  }

  async #watch(site: ExportSettings, signal: AbortSignal): Promise<void> {
    const context = { ...this.#context, signal };
    const { json, quiet, out } = context;
    const { settleMs, rescanMs, indexNow } = this.#run;
    const printer = new ExportPrinter(context, false);
    // Tells several sites apart.
    const markOf = (): object => (this.#running.size > 1 ? { site: site.baseUrl } : {});
    let hasTold = false;
    const tell = async ({ summary, because }: Extract<WatchedRound, { kind: "exported" }>): Promise<void> => {
      this.#sum.rounds += 1;
      if (summary.published) this.#sum.publications += 1;
      // What a round without changes listed would replace the URLs of the last publication.
      const told = summary.published ? await tellIfAsked(site, this.#run, summary, context, printer) : {};
      if (json) out.writeJson({ event: "round", because, ...summary, ...told });
      else if (!quiet && (summary.published || !hasTold))
        resultOutput(this.#run, context).write(printer.result(summary));
      hasTold = true;
      if (!indexNow) return;
      const { tellOfExport } = await import("./index-now-run.ts");
      await tellOfExport(site, this.#run, summary, context, printer);
    };
    const onRound = async (round: WatchedRound): Promise<void> => {
      printer.clear();
      if (round.kind === "exported") await tell(round);
      else if (round.kind === "failed") {
        const { code, message, hint } = round.error;
        printEvent(context, { event: "warning", code, message, ...markOf() });
        if (!json)
          printer.say(
            `failed: ${message.replace(/\.$/, "")}. It will be tried again.${hint === undefined ? "" : ` ${hint}`}`,
          );
      } else if (json) out.writeJson({ event: "watching", folders: round.folders, ...markOf() });
      else if (!quiet) printer.say(`watching ${formatNoun(round.folders, "folder")} (Ctrl-C ends)`);
    };
    const onEvent = (event: ExportEvent): void => printer.take(event, markOf());
    await printer.during(watchSite({ ...site, ...omitUndefined({ settleMs, rescanMs }), signal, onEvent, onRound }));
  }
}
