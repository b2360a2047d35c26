import { parseHttpUrl } from "../../core/index.ts";
import { isSharing, rhoOfMode, type SharingMode } from "../../share/index.ts";

/** What the command line says about merging and sharing while sites are followed. */
export interface ExchangeArguments {
  readonly peers: readonly string[];
  readonly rho: number | "auto";
  readonly intervalMs?: number;
  /** Where what was seen is shared. */
  readonly share?: { readonly into: string; readonly url: string };
}

/** The options of an exchange, as they are read. */
interface ExchangeOptionsRead {
  readonly peers?: readonly string[];
  readonly mode?: SharingMode;
  readonly rho?: string;
  readonly exchangeMs?: number;
  readonly shareInto?: string;
  readonly shareUrl?: string;
}

/** @returns undefined if the crawl neither merges nor shares */
export function planExchange(
  { peers = [], mode, rho, exchangeMs, shareInto, shareUrl }: ExchangeOptionsRead,
  fail: (message: string) => never,
): ExchangeArguments | undefined {
  if (mode === undefined && peers.length === 0 && shareInto === undefined) {
    const [given] = Object.entries({ rho, exchange: exchangeMs, "share-url": shareUrl }).filter(
      ([, value]) => value !== undefined,
    );
    return given === undefined ? undefined : fail(`--${given[0]} needs --peer, --mode or --share-into.`);
  }
  const wrong = peers.find((peer) => parseHttpUrl(peer) === undefined);
  if (wrong !== undefined) fail(`--peer ${wrong} is not a URL.`);
  if ((shareInto === undefined) !== (shareUrl === undefined)) fail("--share-into and --share-url need each other.");
  if (mode !== undefined && isSharing(mode) !== (shareInto !== undefined))
    fail(`--mode ${mode} ${isSharing(mode) ? "needs" : "excludes"} --share-into.`);
  const fixed = mode === undefined ? undefined : rhoOfMode(mode);
  if (fixed !== undefined && rho !== undefined) fail(`--mode ${mode} has a rho of its own: ${fixed}.`);
  if (fixed !== 1 && mode !== undefined && peers.length === 0) fail(`--mode ${mode} needs --peer.`);
  const chosen = rho === undefined || rho === "auto" ? "auto" : /^(?:0|1|[01]?\.\d{1,6})$/.test(rho) ? Number(rho) : -1;
  if (chosen !== "auto" && !(chosen >= 0 && chosen <= 1)) fail(`--rho ${rho} is not a number from 0 to 1, nor auto.`);
  const isHybrid = mode !== undefined && fixed === undefined;
  if (isHybrid && (chosen === 0 || chosen === 1)) fail(`--mode ${mode} needs a --rho between 0 and 1.`);
  return {
    ...{ peers, rho: fixed ?? chosen },
    ...(exchangeMs === undefined ? {} : { intervalMs: exchangeMs }),
    ...(shareInto === undefined || shareUrl === undefined ? {} : { share: { into: shareInto, url: shareUrl } }),
  };
}
