import { setTimeout as wait } from "node:timers/promises";
import postgres, { type Sql, type TransactionSql } from "postgres";
import { TidemarkError } from "../../core/index.ts";

const attemptSeconds = 30;
const longestPauseMs = 5000;

/** Failures after which a transaction is worth another attempt: of the connection, of a server that stops, of locks. */
const passing =
  /^(?:CONNECTION_|CONNECT_TIMEOUT|ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_AGAIN|08|57P0|53300|40001|40P01|55P03|57014|25P0[34])/;

/** Connections to PostgreSQL, made anew when they break. */
export class PostgresConnection implements AsyncDisposable {
  readonly #sql: Sql;
  readonly #where: string;
  readonly #retryMs: number;

  /** @param retryMs - how long transactions are attempted while the server cannot be reached */
  constructor(url: URL, { schema, retryMs }: { readonly schema: string; readonly retryMs: number }) {
    this.#where = `${url.host}${url.pathname}`;
    this.#retryMs = retryMs;
    this.#sql = postgres(url.href, {
      max: 4,
      onnotice: () => undefined,
      connect_timeout: 10,
      idle_timeout: 60,
      connection: {
        application_name: "tidemark",
        search_path: schema,
        statement_timeout: attemptSeconds * 1000,
        lock_timeout: 10_000,
        idle_in_transaction_session_timeout: attemptSeconds * 1000,
      },
    });
  }

  /**
   * Runs a transaction, also again when the connection breaks. If it breaks while the transaction is being committed, the server is
   * asked what became of it, so that nothing is done twice.
   */
  async transact<T>(act: (sql: TransactionSql) => Promise<T>): Promise<T> {
    return await this.#retry(async () => {
      let id: string | undefined;
      let done: { readonly result: T } | undefined;
      try {
        await this.#sql.begin(async (sql) => {
          const asked = sql<{ id: string }[]>`SELECT pg_current_xact_id()::text AS id`;
          const [[row], result] = await Promise.all([asked, act(sql)]);
          id = row?.id;
          done = { result };
        });
      } catch (error) {
        if (done === undefined || id === undefined || !isPassing(error)) throw error;
        if (!(await this.#isCommitted(id))) throw error;
      }
      if (done === undefined) throw new TypeError("a transaction without a result was committed");
      return done.result;
    });
  }

  /** Runs statements that only read, over one snapshot. */
  async read<T>(act: (sql: TransactionSql) => Promise<T>): Promise<T> {
    return (await this.#retry(async () => this.#sql.begin("isolation level repeatable read read only", act))) as T;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sql.end({ timeout: 5 });
  }

  async #isCommitted(id: string): Promise<boolean> {
    return await this.#retry(async () => {
      for (let pauseMs = 10; ; pauseMs = Math.min(longestPauseMs, 2 * pauseMs)) {
        const [row] = await this.#sql<{ status: string | null }[]>`SELECT pg_xact_status(${id}::xid8) AS status`;
        if (row?.status !== "in progress") return row?.status === "committed";
        await wait(pauseMs);
      }
    });
  }

  async #retry<T>(act: () => Promise<T>): Promise<T> {
    const endMs = performance.now() + this.#retryMs;
    for (let pauseMs = 50; ; pauseMs = Math.min(longestPauseMs, 2 * pauseMs)) {
      try {
        return await act();
      } catch (error) {
        const nextMs = pauseMs * (0.5 + Math.random() / 2);
        if (!isPassing(error) || performance.now() + nextMs > endMs) throw this.#wrap(error);
        await wait(nextMs);
      }
    }
  }

  #wrap(error: unknown): unknown {
    if (!(error instanceof Error) || typeof (error as { code?: unknown }).code !== "string") return error;
    if (error instanceof TidemarkError) return error;
    return new TidemarkError(
      "site-unavailable",
      `PostgreSQL at ${this.#where}: ${error.message || String((error as { code?: unknown }).code)}`,
      {
        hint: "Look at the server, its database and the rights of the user; run the same command again.",
        details: { server: this.#where },
        cause: error,
      },
    );
  }
}

function isPassing(error: unknown): boolean {
  return passing.test(String((error as { code?: unknown } | undefined)?.code));
}
