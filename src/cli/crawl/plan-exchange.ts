import { omitUndefined, parseHttpUrl } from "../../core/index.ts";
import { isSharing, rhoOfMode, type ShareEventsOptions, type SharingMode } from "../../share/index.ts";

/** What the command line says about merging and sharing while sites are followed. */
export interface ExchangeArguments {
  readonly peers: readonly string[];
  readonly rho: number | "auto" | "model";
  readonly intervalMs?: number;
  /** Where what was seen is shared. */
  readonly share?: Pick<ShareEventsOptions, "into" | "url" | "special" | "contact" | "peers" | "keyFile">;
}

/** The options of an exchange, as they are read. */
interface ExchangeOptionsRead {
  readonly peers?: readonly string[];
  readonly mode?: SharingMode;
  readonly rho?: string;
  readonly exchangeMs?: number;
  readonly shareInto?: string;
  readonly shareUrl?: string;
  readonly shareSpecial?: readonly string[];
  readonly shareContact?: string;
  readonly shareSign?: string;
  readonly isNaming?: boolean;
}

/** @returns undefined if the crawl neither merges nor shares */
export function planExchange(
  { peers = [], mode, rho, exchangeMs, shareInto, shareUrl, ...sharing }: ExchangeOptionsRead,
  fail: (message: string) => never,
): ExchangeArguments | undefined {
  const { shareSpecial: special, shareContact: contact, shareSign: keyFile, isNaming = false } = sharing;
  if (mode === undefined && peers.length === 0 && shareInto === undefined) {
    const [given] = Object.entries({
      ...{ rho, exchange: exchangeMs, "share-url": shareUrl, "share-special": special },
      ...{ "share-contact": contact, "share-sign": keyFile, "share-peers": isNaming || undefined },
    }).filter(([, value]) => value !== undefined);
    return given === undefined ? undefined : fail(`--${given[0]} needs --peer, --mode or --share-into.`);
  }
  for (const [option, urls] of [
    ["peer", peers],
    ["share-special", special ?? []],
  ] as const)
    for (const url of urls) if (parseHttpUrl(url) === undefined) fail(`--${option} ${url} is not a URL.`);
  if (contact !== undefined && !/^[!-~]+@[!-~]+$/.test(contact))
    fail(`--share-contact ${contact} is not a mail address.`);
  if ((shareInto === undefined) !== (shareUrl === undefined)) fail("--share-into and --share-url need each other.");
  if (shareInto === undefined && ([special, contact, keyFile].some((given) => given !== undefined) || isNaming))
    fail("--share-special, --share-contact, --share-sign and --share-peers need --share-into.");
  if (mode !== undefined && isSharing(mode) !== (shareInto !== undefined))
    fail(`--mode ${mode} ${isSharing(mode) ? "needs" : "excludes"} --share-into.`);
  const fixed = mode === undefined ? undefined : rhoOfMode(mode);
  if (fixed !== undefined && rho !== undefined) fail(`--mode ${mode} has a rho of its own: ${fixed}.`);
  if (fixed !== 1 && mode !== undefined && peers.length === 0) fail(`--mode ${mode} needs --peer.`);
  const chosen =
    rho === undefined || rho === "auto"
      ? "auto"
      : rho === "model"
        ? rho
        : /^(?:0|1|[01]?\.\d{1,6})$/.test(rho)
          ? Number(rho)
          : -1;
  if (typeof chosen === "number" && !(chosen >= 0 && chosen <= 1))
    fail(`--rho ${rho} is not a number from 0 to 1, nor auto or model.`);
  const isHybrid = mode !== undefined && fixed === undefined;
  if (isHybrid && (chosen === 0 || chosen === 1)) fail(`--mode ${mode} needs a --rho between 0 and 1.`);
  return {
    ...{ peers, rho: fixed ?? chosen },
    ...(exchangeMs === undefined ? {} : { intervalMs: exchangeMs }),
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
