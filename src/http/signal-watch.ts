/** What can be stopped. */
export interface Stoppable {
  /** Called when the signal is aborted. */
  onAbort(): void;
}

/** Listens once to each signal, however many requests share it: Node warns of more than ten listeners. */
export class SignalWatch {
  readonly #watched = new Map<AbortSignal, { readonly members: Set<Stoppable>; readonly listener: () => void }>();

  /** Begins to watch for one; the signal must not be aborted yet. */
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

  /** Ends it. */
  remove(signal: AbortSignal, member: Stoppable): void {
    const known = this.#watched.get(signal);
    if (known === undefined || !known.members.delete(member) || known.members.size > 0) return;
    signal.removeEventListener("abort", known.listener);
    this.#watched.delete(signal);
  }
}
