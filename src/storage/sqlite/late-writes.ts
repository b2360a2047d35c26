import { type Connection, transact } from "./database.ts";

/**
 * What is to be remembered of one site and can wait for its next transaction, so that a visit is not a transaction, and on a disk a
 * wait, for each thing that it remembers. Only for what a visit that dies may as well not have learned: robots.txt is asked for
 * again, lists are read again. It is written before or with whatever came of it.
 */
export class LateWrites {
  readonly #connection: Connection;
  /** By what they write: of two that write the same the later one holds. */
  readonly #writes = new Map<string, () => void>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Notes a write, in the place of an earlier one of the same. */
  add(what: string, write: () => void): void {
    this.#writes.set(what, write);
  }

  /** Whether a write waits that was noted as this. */
  has(what: string): boolean {
    return this.#writes.has(what);
  }

  /** Runs statements as one transaction, after what waits. */
  transact<T>(act: () => T): T {
    const result = transact(this.#connection, () => {
      for (const write of this.#writes.values()) write();
      return act();
    });
    this.#writes.clear();
    return result;
  }

  flush(): void {
    if (this.#writes.size > 0) this.transact(() => undefined);
  }
}
