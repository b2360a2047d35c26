import { readFileSync } from "node:fs";

/** What `fs.inotify.max_queued_events` is where nobody set it, inotify(7). */
const usualQueueSize = 16_384;
/** Identical events in a row are one in the queue, and a watch that has just ended takes its events along. */
const fullShare = 0.9;

/**
 * Notices that the kernel's event queue may have overflowed. inotify says so (IN_Q_OVERFLOW, inotify(7)), yet
 * libuv drops that event as one of no watch: of 20,000 writes while the loop was busy 16,384 events came,
 * then none, and no error. But the queue is emptied in one turn of the event loop, so that a turn with
 * about as many events as the queue holds is one after which some may be missing.
 *
 * All watches of a thread share one queue, so there is one gauge a thread.
 */
export class QueueGauge {
  readonly #fullAt: number;
  readonly #listeners = new Set<() => void>();
  #eventsThisTurn = 0;

  /** @param queueSize - events that the queue holds; default what the kernel says */
  constructor(queueSize: number = readQueueSize()) {
    this.#fullAt = Math.max(1, Math.floor(queueSize * fullShare));
  }

  /** Counts an event, before anything is known of it. */
  count(): void {
    if (this.#eventsThisTurn++ > 0) return;
    setImmediate(() => {
      const isFull = this.#eventsThisTurn >= this.#fullAt;
      this.#eventsThisTurn = 0;
      if (isFull) for (const listener of this.#listeners) listener();
    });
  }

  /** Calls when events may be missing. Gives what ends it. */
  onFull(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

function readQueueSize(): number {
  try {
    const size = Number(readFileSync("/proc/sys/fs/inotify/max_queued_events", "latin1"));
    return Number.isSafeInteger(size) && size > 0 ? size : usualQueueSize;
  } catch {
    return usualQueueSize; // No Linux, or no /proc.
  }
}

/** The gauge of this thread's queue. */
export const threadQueue: QueueGauge = new QueueGauge();
