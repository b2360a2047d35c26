import { execFile } from "node:child_process";
import type { EpochMs } from "../../core/index.ts";

/** When systemd will run an export, and by which timer. */
export interface NextRun {
  readonly timer: string;
  readonly atMs: EpochMs;
}

const property = "NextElapseUSecRealtime";

/**
 * Asks systemd when the timer of `systemd/tidemark-export@.timer` for a site elapses next.
 *
 * @param site - an origin; its host is the timer's instance
 * @returns undefined without systemd, without such a timer, or without an answer within two seconds
 */
export async function findNextRun(site: string): Promise<NextRun | undefined> {
  const { hostname } = new URL(site);
  if (!/^[a-z0-9][a-z0-9.-]*$/.test(hostname)) return undefined;
  const timer = `tidemark-export@${hostname}.timer`;
  const text = await new Promise<string>((resolve) => {
    execFile(
      "systemctl",
      ["show", timer, `--property=${property}`, "--timestamp=unix", "--no-pager"],
      { timeout: 2000, maxBuffer: 64 * 1024, windowsHide: true },
      (error, stdout) => resolve(error === null ? stdout : ""),
    );
  });
  const atMs = parseNextElapse(text);
  return atMs === undefined ? undefined : { timer, atMs };
}

/** Parses the output of `systemctl show --timestamp=unix` for a timer; a disabled one has no time. */
export function parseNextElapse(text: string): EpochMs | undefined {
  const seconds = new RegExp(`^${property}=@(\\d{1,12})$`, "m").exec(text)?.[1];
  return seconds === undefined || Number(seconds) === 0 ? undefined : Number(seconds) * 1000;
}
