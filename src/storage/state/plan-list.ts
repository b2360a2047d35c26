import type { VisitPlan } from "../../core/index.ts";
import { type Connection, prepareStatement, transact } from "../sqlite/database.ts";
import { inDatabase } from "../sqlite/database-error.ts";

const sql = {
  read: "SELECT plan FROM visit_plan WHERE origin = ?",
  write: `INSERT INTO visit_plan (origin, plan) VALUES (?, ?)
    ON CONFLICT DO UPDATE SET plan = excluded.plan`,
  all: `SELECT origin, plan ->> '$.at', plan ->> '$.lookedAt', plan ->> '$.failures', priority, is_paused
    FROM (SELECT origin, iif(json_valid(plan), plan, NULL) AS plan, priority, is_paused
      FROM visit_plan WHERE origin > ? ORDER BY origin LIMIT 1000)`,
  pause: `INSERT INTO visit_plan (origin, is_paused) VALUES (?1, ?2)
    ON CONFLICT DO UPDATE SET is_paused = excluded.is_paused`,
  prefer: `INSERT INTO visit_plan (origin, priority) VALUES (?1, ?2)
    ON CONFLICT DO UPDATE SET priority = excluded.priority`,
  // A site without a plan is due anyway.
  expedite:
    "UPDATE visit_plan SET plan = json_set(plan, '$.at', min(plan ->> '$.at', ?2)) WHERE origin = ?1 AND json_valid(plan)",
} as const;

/** What is remembered of a site that is followed, beside its plan. */
export interface PlannedSite {
  readonly origin: string;
  /** When it is visited next, in milliseconds since 1970; undefined if it never was. */
  readonly at: number | undefined;
  /** When the last visit began that could look at it; undefined if none did. */
  readonly lookedAt: number | undefined;
  /** Failed visits in a row. */
  readonly failures: number;
  /** What somebody decided; undefined if nobody did. */
  readonly priority: number | undefined;
  readonly isPaused: boolean;
}

type Row = [
  origin: string,
  at: unknown,
  lookedAt: unknown,
  failures: unknown,
  priority: number | null,
  isPaused: number,
];

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

/** Reads a plan. @returns undefined for one that is damaged: then the site counts as one that was never visited */
function parsePlan(text: string): unknown {
  try {
    const plan = JSON.parse(text);
    const { at, lookedAt, failures, changes, rhythm = { times: [], waits: [] } } = plan;
    const numbers = [at, lookedAt, failures, ...changes, ...rhythm.times, ...rhythm.waits];
    return numbers.every(Number.isFinite) ? plan : undefined;
  } catch {
    return undefined;
  }
}

/** Gives all that is remembered of sites that are followed, in the order of origins. */
export function* readPlannedSites(connection: Connection): Generator<PlannedSite, void, void> {
  for (let after = ""; ; ) {
    const rows = prepareStatement(connection, sql.all).all(after) as Row[];
    for (const [origin, at, lookedAt, failures, priority, isPaused] of rows)
      yield {
        origin,
        at: numberOf(at),
        lookedAt: numberOf(lookedAt) || undefined,
        failures: numberOf(failures) ?? 0,
        priority: priority ?? undefined,
        isPaused: isPaused === 1,
      };
    const last = rows.at(-1);
    if (last === undefined) return;
    [after] = last;
  }
}

/** When sites are visited next, and what somebody decided of them. */
export class PlanList {
  readonly #connection: Connection;
  readonly #file: string;

  constructor(connection: Connection, file: string) {
    this.#connection = connection;
    this.#file = file;
  }

  /** The plan of a site as it was given to {@link write}; undefined if there is none, or it is damaged. */
  read(origin: string): unknown {
    return inDatabase(this.#file, () => {
      const row = prepareStatement(this.#connection, sql.read).get(origin) as [string | null] | undefined;
      return typeof row?.[0] === "string" ? parsePlan(row[0]) : undefined;
    });
  }

  /** Remembers a plan, with anything besides that JSON carries. */
  write(origin: string, plan: VisitPlan): void {
    inDatabase(this.#file, () => prepareStatement(this.#connection, sql.write).run(origin, JSON.stringify(plan)));
  }

  /** Remembers decisions of one site, all at once; what is left out stays. Its next visit is due at `at` at the latest. */
  decide(
    origin: string,
    { isPaused, priority, at }: { readonly isPaused?: boolean; readonly priority?: number; readonly at?: number },
  ): void {
    inDatabase(this.#file, () =>
      transact(this.#connection, () => {
        if (isPaused !== undefined) prepareStatement(this.#connection, sql.pause).run(origin, isPaused ? 1 : 0);
        if (priority !== undefined) prepareStatement(this.#connection, sql.prefer).run(origin, priority);
        if (at !== undefined) prepareStatement(this.#connection, sql.expedite).run(origin, at);
      }),
    );
  }

  /** Everything that is remembered, read at once. */
  all(): PlannedSite[] {
    return inDatabase(this.#file, () => [...readPlannedSites(this.#connection)]);
  }
}
