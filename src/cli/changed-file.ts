import { stat } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";

const lookEveryMs = 1000;

async function lookAt(file: string): Promise<string> {
  try {
    const { mtimeMs, ctimeMs, size, ino } = await stat(file);
    return `${mtimeMs} ${ctimeMs} ${size} ${ino}`;
  } catch {
    // Away for a moment, as while an editor puts another in its place.
    return "";
  }
}

/**
 * Tells when a file became another, until the signal. Looked at each second: that also works where files are put in
 * place by renaming, and on disks of other machines.
 */
export async function* changesOfFile(file: string, signal: AbortSignal): AsyncGenerator<void, void, void> {
  let known = await lookAt(file);
  while (!signal.aborted) {
    await wait(lookEveryMs, undefined, { signal }).catch(() => undefined);
    const now = await lookAt(file);
    if (signal.aborted || now === "" || now === known) continue;
    known = now;
    yield;
  }
}
