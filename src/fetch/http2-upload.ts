import { encodeFrame, frameFlags as flags, maxPayloadBytes, frameTypes as types } from "./http2-frame.ts";
import { firstSettings, firstWindowBytes, maxWindowBytes } from "./http2-settings.ts";

const nothing = Buffer.alloc(0);

/** The body of a request, sent as far as the server opens its windows (RFC 9113 section 5.2). */
export class Upload {
  #rest: Buffer = nothing;
  #streamId = 0;
  #connectionBytes = firstWindowBytes;
  #streamBytes = firstSettings.windowBytes;

  /** Whether there is more to send. */
  get isUnfinished(): boolean {
    return this.#rest.length > 0;
  }

  /** Begins with another stream. */
  begin(streamId: number, body: Buffer, windowBytes: number): void {
    this.#streamId = streamId;
    this.#rest = body;
    this.#streamBytes = windowBytes;
  }

  /** Notes that a window was opened. @returns false if it would be wider than any may be */
  open(streamId: number, bytes: number): boolean {
    if (streamId === 0) this.#connectionBytes += bytes;
    else if (streamId === this.#streamId) this.#streamBytes += bytes;
    return Math.max(this.#connectionBytes, this.#streamBytes) <= maxWindowBytes;
  }

  /** @returns the frames that may be sent now */
  take(): Buffer[] {
    const frames: Buffer[] = [];
    while (this.isUnfinished) {
      const bytes = Math.min(this.#rest.length, this.#connectionBytes, this.#streamBytes, maxPayloadBytes);
      if (bytes <= 0) break;
      const isLast = bytes === this.#rest.length;
      frames.push(encodeFrame(types.data, isLast ? flags.end : 0, this.#streamId, this.#rest.subarray(0, bytes)));
      this.#rest = this.#rest.subarray(bytes);
      this.#connectionBytes -= bytes;
      this.#streamBytes -= bytes;
    }
    return frames;
  }

  /** Gives up what was not sent. */
  stop(): void {
    this.#rest = nothing;
  }
}
