import { isSharing, omitUndefined, rhoOfMode } from "../../core/index.ts";
import { type ExchangeSettings, exchangeSettings } from "../../crawler/index.ts";
import type { ShareEventsOptions } from "../../share/index.ts";

/** What is merged and shared while sites are followed. */
export interface ExchangeArguments {
  readonly peers: readonly string[];
  readonly rho: number | "auto" | "model";
  readonly intervalMs?: number;
  readonly maxNamed?: number;
  /** Where what was seen is shared. */
  readonly share?: Pick<ShareEventsOptions, "into" | "url" | "special" | "contact" | "peers" | "keyFile">;
}

/** @returns undefined if the crawl neither merges nor shares */
export function planExchange(
  settings: ExchangeSettings,
  fail: (message: string) => never,
): ExchangeArguments | undefined {
  const { peers = [], mode, rho, exchangeMs, maxNamed, shareInto, shareUrl, isNaming = false } = settings;
  const { shareSpecial: special, shareContact: contact, shareSign: keyFile } = settings;
  if (mode === undefined && peers.length === 0 && shareInto === undefined) {
    const { peers: _, ...others } = exchangeSettings;
    const given = Object.entries(others).find(([key]) => (settings[key as keyof typeof others] ?? false) !== false);
    return given && fail(`--${given[1].option} needs --peer, --mode or --share-into.`);
  }
  if ((shareInto === undefined) !== (shareUrl === undefined)) fail("--share-into and --share-url need each other.");
  if (shareInto === undefined && ([special, contact, keyFile].some((given) => given !== undefined) || isNaming))
    fail("--share-special, --share-contact, --share-sign and --share-peers need --share-into.");
  if (mode !== undefined && isSharing(mode) !== (shareInto !== undefined))
    fail(`--mode ${mode} ${isSharing(mode) ? "needs" : "excludes"} --share-into.`);
  const fixed = mode === undefined ? undefined : rhoOfMode(mode);
  if (fixed !== undefined && rho !== undefined) fail(`--mode ${mode} has a rho of its own: ${fixed}.`);
  if (fixed !== 1 && mode !== undefined && peers.length === 0) fail(`--mode ${mode} needs --peer.`);
  if (maxNamed !== undefined && peers.length === 0) fail("--named-peers needs --peer.");
  const isHybrid = mode !== undefined && fixed === undefined;
  if (isHybrid && (rho === 0 || rho === 1)) fail(`--mode ${mode} needs a --rho between 0 and 1.`);
  return {
    ...{ peers, rho: fixed ?? rho ?? "auto" },
    ...omitUndefined({ intervalMs: exchangeMs, maxNamed }),
    ...(shareInto === undefined || shareUrl === undefined
      ? {}
      : {
          share: {
            ...{ into: shareInto, url: shareUrl },
            ...omitUndefined({ special, contact, keyFile }),
            ...(isNaming ? { peers } : {}),
          },
        }),
  };
}
