import { setTimeout as wait } from "node:timers/promises";
import postgres, { type Sql } from "postgres";
import { TidemarkError } from "../../core/index.ts";

const longestPauseMs = 5000;
const tellAfterMs = 800;

/** Failures after which a transaction is worth another attempt: of the connection, of a server that stops, of locks. */
const passing =
  /^(?:CONNECTION_|CONNECT_TIMEOUT|ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_AGAIN|08|57P0|53300|40001|40P01|55P03|57014|25P0[34])/;

/** How long a database is waited for. */
export interface DatabasePatience {
  /** How long transactions are attempted while the server cannot be reached. */
  readonly retryMs: number;
  /** How long one attempt may take: then its connection is given up. */
  readonly attemptMs: number;
  /** After it, nothing is tried again. */
  readonly signal: AbortSignal | undefined;
  /** Called once while it is tried again, with why. */
  readonly onWait: ((why: string) => void) | undefined;
}

/** Connections to PostgreSQL, few, and made anew when they break. */
export class PostgresConnection implements AsyncDisposable {
  readonly #url: URL;
  readonly #schema: string;
  readonly #patience: DatabasePatience;
  #sql: Sql;
  #isWaiting = false;

  constructor(url: URL, schema: string, patience: DatabasePatience) {
    this.#url = url;
    this.#schema = schema;
    this.#patience = patience;
    this.#sql = this.#connect();
  }

  /**
   * Runs a transaction, also again when the connection breaks. If it breaks while the transaction is being committed, the server is
   * asked what became of it, so that nothing is done twice.
   */
  async transact<T>(act: (sql: Sql) => Promise<T>): Promise<T> {
    return await this.#retry(async () => {
      let id: string | undefined;
      let done: { readonly result: T } | undefined;
      const begin = async (pool: Sql): Promise<void> =>
        runTransaction(pool, "BEGIN", async (sql) => {
          const asked = sql<{ id: string }[]>`SELECT pg_current_xact_id()::text AS id`;
          const [[row], result] = await Promise.all([asked, act(sql)]);
          id = row?.id;
          done = { result };
        });
      try {
        await this.#attempt(begin);
      } catch (error) {
        if (done === undefined || id === undefined || !isPassing(error)) throw error;
        if (!(await this.#isCommitted(id))) throw error;
      }
      if (done === undefined) throw new TypeError("a transaction without a result was committed");
      return done.result;
    });
  }

  /** Runs statements that only read, over one snapshot. */
  async read<T>(act: (sql: Sql) => Promise<T>): Promise<T> {
    const begin = async (pool: Sql): Promise<T> =>
      runTransaction(pool, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", act);
    return await this.#retry(async () => this.#attempt(begin));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // All transactions are over. The package would wait for connections that broke.
    await this.#sql.end({ timeout: 0 });
  }

  #connect(): Sql {
    const { attemptMs } = this.#patience;
    return postgres(this.#url.href, {
      max: 4,
      onnotice: () => undefined,
      connect_timeout: Math.ceil(attemptMs / 1000),
      idle_timeout: 60,
      backoff: () => 0,
      connection: {
        application_name: "tidemark",
        search_path: this.#schema,
        // Statements are short, and to compile one takes longer.
        jit: false,
        // Shorter than an attempt: what was given up on this side soon ends on the other.
        statement_timeout: Math.ceil(attemptMs * 0.7),
        lock_timeout: Math.ceil(attemptMs * 0.3),
        idle_in_transaction_session_timeout: Math.ceil(attemptMs * 0.7),
      },
    });
  }

  /** Gives up a connection that does not answer, with all others of the pool. */
  async #attempt<T>(act: (pool: Sql) => Promise<T>): Promise<T> {
    const pool = this.#sql;
    let timer: NodeJS.Timeout | undefined;
    const timeUp = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(Object.assign(new Error("no answer in time"), { code: "ETIMEDOUT" }));
        if (this.#sql !== pool) return;
        this.#sql = this.#connect();
        pool.end({ timeout: 0 }).catch(() => undefined);
      }, this.#patience.attemptMs);
    });
    try {
      return await Promise.race([act(pool), timeUp]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #isCommitted(id: string): Promise<boolean> {
    const ask = async (pool: Sql) => pool<{ status: string | null }[]>`SELECT pg_xact_status(${id}::xid8) AS status`;
    return await this.#retry(async () => {
      for (let pauseMs = 10; ; pauseMs = Math.min(longestPauseMs, 2 * pauseMs)) {
        const [row] = await this.#attempt(ask).catch(orUnknown);
        if (row?.status !== "in progress") return row?.status === "committed";
        await wait(pauseMs);
      }
    });
  }

  async #retry<T>(act: () => Promise<T>): Promise<T> {
    const { retryMs, signal, onWait } = this.#patience;
    const endMs = performance.now() + retryMs;
    for (let pauseMs = 50; ; pauseMs = Math.min(longestPauseMs, 2 * pauseMs)) {
      try {
        const result = await act();
        this.#isWaiting = false;
        return result;
      } catch (error) {
        const nextMs = pauseMs * (0.5 + Math.random() / 2);
        const isOver = performance.now() + nextMs > endMs || signal?.aborted === true;
        if (!isPassing(error) || isOver) throw this.#wrap(error);
        // Locks and the like pass at once.
        if (!this.#isWaiting && pauseMs >= tellAfterMs) {
          this.#isWaiting = true;
          onWait?.((this.#wrap(error) as Error).message);
        }
        await wait(nextMs, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  #wrap(error: unknown): unknown {
    if (!(error instanceof Error) || typeof (error as { code?: unknown }).code !== "string") return error;
    if (error instanceof TidemarkError) return error;
    const where = `${this.#url.host || "its usual place"}${this.#url.pathname}`;
    const what = error.message || String((error as { code?: unknown }).code);
    return new TidemarkError("site-unavailable", `PostgreSQL at ${where}: ${what}`, {
      hint: "Look at the server, its database and the rights of the user; run the same command again.",
      details: { server: where },
      cause: error,
    });
  }
}

/**
 * Runs a transaction on a connection of its own. After the connection broke nothing is sent over it: the package would write to a
 * socket that is no more, which ends the process (its own `begin` does so, in version 3.4.9).
 */
async function runTransaction<T>(pool: Sql, begin: string, act: (sql: Sql) => Promise<T>): Promise<T> {
  const sql = await pool.reserve();
  let result: T;
  try {
    await sql.unsafe(begin);
    result = await act(sql);
    await sql.unsafe("COMMIT");
  } catch (error) {
    if (error instanceof postgres.PostgresError && error.severity !== "FATAL") {
      await sql.unsafe("ROLLBACK");
      sql.release();
    }
    throw error;
  }
  sql.release();
  return result;
}

/** After a crash the server knows nothing of a transaction that left no trace in its log, and says that its number is yet to come. */
function orUnknown(error: unknown): [] {
  if ((error as { code?: unknown }).code === "22023") return [];
  throw error;
}

function isPassing(error: unknown): boolean {
  return passing.test(String((error as { code?: unknown } | undefined)?.code));
}
