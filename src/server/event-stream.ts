import type { ServerResponse } from "node:http";

/** Named texts of one state; a listener is sent those that differ from what it has. */
export type EventState = ReadonlyMap<string, string>;

/** So many may listen at once. */
const mostListeners = 32;
/** Within this time something is sent, so that whoever is in between does not take the connection for dead. */
const heartbeatMs = 15_000;
/** A listener that takes nothing for so long makes room for others. */
const mostSilenceMs = 60_000;

interface Listener {
  readonly response: ServerResponse;
  sent: EventState;
  sentAt: number;
}

/**
 * Sends states to listeners as server-sent events. A listener that has not taken what it was sent is sent nothing more
 * until it has, and then the newest state: memory does not grow with slow listeners.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export class EventStream implements Disposable {
  readonly #listeners = new Set<Listener>();
  readonly #timer: NodeJS.Timeout;
  #state: EventState = new Map();

  constructor() {
    this.#timer = setInterval(() => this.#beat(), heartbeatMs).unref();
  }

  get isFull(): boolean {
    return this.#listeners.size >= mostListeners;
  }

  get isHeard(): boolean {
    return this.#listeners.size > 0;
  }

  /** Begins to answer a listener. @param headers - beside those of event streams */
  add(response: ServerResponse, headers: Readonly<Record<string, string>>): void {
    response.writeHead(200, { ...headers, "Content-Type": "text/event-stream; charset=utf-8" });
    response.write("retry: 3000\n\n");
    const listener: Listener = { response, sent: new Map(), sentAt: performance.now() };
    this.#listeners.add(listener);
    response.on("drain", () => this.#send(listener)).once("close", () => this.#listeners.delete(listener));
    this.#send(listener);
  }

  /** Sets the state, and sends it to all who listen. */
  set(state: EventState): void {
    this.#state = state;
    for (const listener of this.#listeners) this.#send(listener);
  }

  #send(listener: Listener): void {
    const { response, sent } = listener;
    if (response.writableNeedDrain || sent === this.#state) return;
    const changed = [...this.#state].filter(([name, text]) => sent.get(name) !== text);
    listener.sent = this.#state;
    if (changed.length > 0) this.#write(listener, `data: ${JSON.stringify(Object.fromEntries(changed))}\n\n`);
  }

  #beat(): void {
    for (const listener of this.#listeners) {
      const silenceMs = performance.now() - listener.sentAt;
      if (listener.response.writableNeedDrain) {
        if (silenceMs >= mostSilenceMs) listener.response.destroy();
      } else if (silenceMs >= heartbeatMs / 2) this.#write(listener, ":\n\n");
    }
  }

  #write(listener: Listener, text: string): void {
    listener.sentAt = performance.now();
    listener.response.write(text);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    for (const { response } of this.#listeners) response.end();
  }
}
