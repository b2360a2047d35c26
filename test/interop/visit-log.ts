/** What a crawler was told to do, as the servers of a trial see it. */
export interface Spacing {
  /** Requests to a site before it is given a rest. */
  readonly pagesBeforeRest: number;
  readonly restMs: number;
}

/** A run of the crawler as the trial knows it. */
export interface Run {
  readonly name: string;
  /** When it was killed, in milliseconds; undefined while it runs, and if it ended by itself. */
  killedAt?: number;
  /** Called at each request. */
  onRequest?: (() => void) | undefined;
}

/** A request that is being answered. */
export interface OpenRequest {
  readonly run: string;
}

// Two ends of a connection look at the clock at different moments.
const toleranceMs = 10;
/** Who is killed so soon after an answer may not have read it. */
const unheardMs = 250;

/** The requests to one site, by all the runs of a trial; says at once which of them should not have been made. */
export class VisitLog {
  readonly violations: string[] = [];
  readonly #site: string;
  readonly #spacing: Spacing;
  readonly #runs: ReadonlyMap<string, Run>;
  readonly #open = new Set<OpenRequest>();
  #pages = 0;
  #endedAt = Number.NEGATIVE_INFINITY;
  #notBefore = 0;
  #told: { readonly run: string; readonly at: number } | undefined;
  requests = 0;
  /** Answers that named a time before which nothing was to be asked. */
  told = 0;
  /** Of those, the ones that a killed run left and a later one kept to. */
  inherited = 0;

  constructor(site: string, spacing: Spacing, runs: ReadonlyMap<string, Run>) {
    this.#site = site;
    this.#spacing = spacing;
    this.#runs = runs;
  }

  begin(run: string, now: number): OpenRequest {
    const { restMs, pagesBeforeRest } = this.#spacing;
    this.requests++;
    const known = this.#runs.get(run);
    if (known === undefined) this.#say(run, "asked, but is no run of the trial", 0);
    known?.onRequest?.();
    for (const other of this.#open) this.#say(run, `asked while ${other.run} was being answered`, 0);
    this.#checkTold(run, now);
    if (now - this.#endedAt >= restMs - toleranceMs) this.#pages = 0;
    if (++this.#pages > pagesBeforeRest) this.#say(run, "asked without a rest", restMs - (now - this.#endedAt));
    const request = { run };
    this.#open.add(request);
    return request;
  }

  end(request: OpenRequest, now: number, retryAfterMs?: number): void {
    if (!this.#open.delete(request)) return;
    this.#endedAt = now;
    if (retryAfterMs === undefined) return;
    this.told++;
    this.#notBefore = now + retryAfterMs;
    this.#told = { run: request.run, at: now };
  }

  /** A request that got no answer is sent again at once, on a new connection (RFC 9112 section 9.3.1): the two are one page. */
  endWithoutAnswer(request: OpenRequest, now: number): void {
    if (this.#open.has(request)) this.#pages--;
    this.end(request, now);
  }

  /** What a run had under way when it died is over. */
  died(run: string, now: number): void {
    for (const request of this.#open) if (request.run === run) this.end(request, now);
  }

  #checkTold(run: string, now: number): void {
    const told = this.#told;
    if (told === undefined) return;
    this.#told = undefined;
    const earlyMs = this.#notBefore - now;
    const isOther = told.run !== run;
    if (earlyMs <= toleranceMs) {
      if (isOther) this.inherited++;
      return;
    }
    const killedAt = this.#runs.get(told.run)?.killedAt ?? Number.POSITIVE_INFINITY;
    if (isOther && killedAt - told.at < unheardMs) return;
    this.#say(run, `asked before the time that ${told.run} was told`, earlyMs);
  }

  #say(run: string, what: string, ms: number): void {
    if (this.violations.length < 20) this.violations.push(`${this.#site}: ${run} ${what} (${Math.round(ms)} ms)`);
  }
}
