/** A request that can be stopped. */
export interface Stoppable {
  /** Called when the signal is aborted. */
  onAbort(): void;
}

/** Adds one listener per signal, however many requests share it: Node warns of more than ten listeners. */
export class SignalWatch {
  readonly #watched = new Map<AbortSignal, { readonly members: Set<Stoppable>; readonly listener: () => void }>();

  /** Starts watching for one request; the signal must not be aborted yet. */
  add(signal: AbortSignal, member: Stoppable): void {
    const known = this.#watched.get(signal);
    if (known !== undefined) {
      known.members.add(member);
      return;
    }
    const members = new Set([member]);
    const listener = (): void => {
      for (const each of [...members]) each.onAbort();
    };
    this.#watched.set(signal, { members, listener });
    signal.addEventListener("abort", listener);
  }

  /** Stops watching. */
  remove(signal: AbortSignal, member: Stoppable): void {
    const known = this.#watched.get(signal);
    if (known === undefined || !known.members.delete(member) || known.members.size > 0) return;
    signal.removeEventListener("abort", known.listener);
    this.#watched.delete(signal);
  }
}
