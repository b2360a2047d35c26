import { stat } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";

const lookEveryMs = 1000;

async function lookAt(file: string): Promise<string> {
  try {
    const { mtimeMs, ctimeMs, size, ino } = await stat(file);
    return `${mtimeMs} ${ctimeMs} ${size} ${ino}`;
  } catch {
    return "";
  }
}

/**
 * Tells when a file became another or is there no more, until the signal. Looked at each second: that also works where
 * files are put in place by renaming, and on disks of other machines.
 *
 * @param pause - what passes between two looks. Default: a second
 */
export async function* changesOfFile(
  file: string,
  signal: AbortSignal,
  pause: () => Promise<unknown> = () => wait(lookEveryMs, undefined, { signal }),
): AsyncGenerator<void, void, void> {
  let known = await lookAt(file);
  let isAway = false;
  while (!signal.aborted) {
    await pause().catch(() => undefined);
    const now = await lookAt(file);
    const wasAway = isAway;
    isAway = now === "";
    // Away for a moment, as while an editor puts another in its place.
    if (signal.aborted || now === known || (isAway && !wasAway)) continue;
    known = now;
    yield;
  }
}
