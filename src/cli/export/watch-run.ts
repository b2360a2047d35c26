import { omitUndefined, TidemarkError } from "../../core/index.ts";
import type { ExportSettings } from "../../exporter/index.ts";
import { type WatchedRound, watchSite } from "../../exporter/index.ts";
import { printEvent, type RunContext } from "../terminal/command.ts";
import { type ExitCode, exitCodes } from "../terminal/exit-code.ts";
import { formatNoun } from "../terminal/quantity.ts";
import { findSites, type SiteChoice } from "../terminal/site-choice.ts";
import { ExportPrinter } from "./export-printer.ts";
import type { ExportRun } from "./export-run.ts";

/** Watches sites until a signal, and prints what each publication comes to. One that cannot go on ends all. */
export async function runWatch(options: SiteChoice, run: ExportRun, context: RunContext): Promise<ExitCode> {
  const sites = await findSites(options);
  if (sites.some(({ urls }) => urls === "-")) {
    throw new TidemarkError("bad-option", "A watch reads its lists again and again, and standard input ends.", {
      hint: "Give --urls a file.",
    });
  }
  const end = new AbortController();
  const signal = AbortSignal.any([context.signal, end.signal]);
  const watches = sites.map((site) => new SiteWatching(site, run, { ...context, signal }, sites.length > 1));
  const ends = await Promise.allSettled(
    watches.map(async (watch) => {
      try {
        await watch.run();
      } finally {
        end.abort();
      }
    }),
  );
  for (const one of ends) if (one.status === "rejected") throw one.reason;
  const rounds = watches.reduce((sum, watch) => sum + watch.rounds, 0);
  const publications = watches.reduce((sum, watch) => sum + watch.publications, 0);
  if (context.json) context.out.writeJson({ event: "summary", rounds, publications });
  return exitCodes.done;
}

class SiteWatching {
  readonly #site: ExportSettings;
  readonly #run: ExportRun;
  readonly #context: RunContext;
  readonly #printer: ExportPrinter;
  readonly #mark: { readonly site?: string };
  rounds = 0;
  publications = 0;

  /** @param isOneOfSeveral - then each event says of which site it is */
  constructor(site: ExportSettings, run: ExportRun, context: RunContext, isOneOfSeveral: boolean) {
    this.#site = site;
    this.#run = run;
    this.#context = context;
    this.#printer = new ExportPrinter(context.err, context.quiet, false);
    this.#mark = isOneOfSeveral ? { site: site.baseUrl } : {};
  }

  async run(): Promise<void> {
    const { signal, json } = this.#context;
    try {
      await watchSite({
        ...this.#site,
        ...omitUndefined({ settleMs: this.#run.settleMs, rescanMs: this.#run.rescanMs }),
        signal,
        onEvent: (event) => {
          printEvent(this.#context, event, this.#mark);
          this.#printer.show(event, json);
        },
        onRound: async (round) => {
          this.#printer.end();
          await this.#show(round);
        },
      });
    } finally {
      this.#printer.end();
    }
  }

  async #show(round: WatchedRound): Promise<void> {
    const { json, quiet, out } = this.#context;
    if (round.kind === "exported") await this.#tell(round);
    else if (round.kind === "failed") this.#fail(round.error);
    else if (json) out.writeJson({ event: "watching", folders: round.folders, ...this.#mark });
    else if (!quiet) this.#printer.say(`watching ${formatNoun(round.folders, "folder")} (Ctrl-C ends)`);
  }

  #fail({ code, message, hint }: TidemarkError): void {
    printEvent(this.#context, { event: "warning", code, message, ...this.#mark });
    if (this.#context.json) return;
    this.#printer.say(`failed: ${message} It is tried again.${hint === undefined ? "" : ` ${hint}`}`);
  }

  async #tell({ summary, because }: Extract<WatchedRound, { kind: "exported" }>): Promise<void> {
    const { json, quiet, out } = this.#context;
    this.rounds += 1;
    if (summary.published) this.publications += 1;
    if (json) out.writeJson({ event: "round", because, ...summary });
    else if (!quiet && (summary.published || this.rounds === 1)) out.write(this.#printer.result(summary));
    if (!this.#run.indexNow) return;
    const { tellOfExport } = await import("./index-now-run.ts");
    await tellOfExport(this.#site, this.#run, summary, this.#context, this.#printer);
  }
}
