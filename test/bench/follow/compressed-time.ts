import type { EpochMs } from "../../../src/core/time.ts";

/** Time that runs faster than that of the machine. */
export interface CompressedTime {
  /** What it shows when the machine shows `from`. */
  readonly start: EpochMs;
  readonly from: EpochMs;
  readonly times: number;
}

/** What a compressed clock shows when the machine shows `realMs`. */
export function compress({ start, from, times }: CompressedTime, realMs: EpochMs): EpochMs {
  return Math.floor(start + (realMs - from) * times);
}

/** The name of the variable of the environment in which a process is told its time. */
export const timeVariable = "TIDEMARK_COMPRESSED_TIME";

/** The name of the variable that names a file for the size of the heap after each whole collection, in bytes, a line each. */
export const heapVariable = "TIDEMARK_HEAP_FILE";

export function formatTime({ start, from, times }: CompressedTime): string {
  return `${start} ${from} ${times}`;
}

/** @throws if it is none */
export function parseTime(text: string | undefined): CompressedTime {
  const [start = Number.NaN, from = Number.NaN, times = Number.NaN] = (text ?? "").split(" ").map(Number);
  if (!(start > 0 && from > 0 && times > 0)) throw new TypeError(`no compressed time: ${text}`);
  return { start, from, times };
}
