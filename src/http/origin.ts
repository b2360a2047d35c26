import { Connection, type ConnectionSettings } from "./connection.ts";

/** Waits for a connection. */
export interface Waiter {
  /**
   * Called with a connection that belongs to the waiter until it is released.
   *
   * @returns false if none is needed any more
   */
  accept(connection: Connection): boolean;
}

/** The connections to one origin and the queue for them. */
export class Origin {
  readonly #origin: string;
  readonly #maxConnections: number;
  readonly #settings: ConnectionSettings;
  readonly #onEmpty: () => void;
  readonly #connections = new Set<Connection>();
  readonly #idle: Connection[] = [];
  readonly #waiting: Waiter[] = [];

  /** @param onEmpty - called when no connection is left */
  constructor(origin: string, maxConnections: number, settings: ConnectionSettings, onEmpty: () => void) {
    this.#origin = origin;
    this.#maxConnections = maxConnections;
    this.#settings = settings;
    this.#onEmpty = onEmpty;
  }

  /** Gives the waiter a connection, now or when one is released; first come, first served. */
  admit(waiter: Waiter): void {
    const connection = this.#idle.pop() ?? this.#open();
    if (connection === undefined) this.#waiting.push(waiter);
    else if (!waiter.accept(connection)) this.#idle.push(connection);
  }

  /** Takes back a connection. */
  release(connection: Connection): void {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      if (next.accept(connection)) return;
    }
    this.#idle.push(connection);
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    await Promise.all([...this.#connections].map((connection) => connection.close()));
  }

  #open(): Connection | undefined {
    if (this.#connections.size >= this.#maxConnections) return undefined;
    const connection = new Connection(this.#origin, this.#settings, (lost) => this.#forget(lost));
    this.#connections.add(connection);
    return connection;
  }

  // undici reconnects a connection in use; an idle lost one must be removed.
  #forget(connection: Connection): void {
    const at = this.#idle.indexOf(connection);
    if (at === -1) return;
    this.#idle.splice(at, 1);
    this.#connections.delete(connection);
    if (this.#connections.size === 0) this.#onEmpty();
  }
}
