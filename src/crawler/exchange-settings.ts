import {
  choice,
  duration,
  flag,
  mustBe,
  numberBetween,
  path,
  type SettingKind,
  type SettingTable,
  settingRow,
  siteUrl,
  siteUrls,
  text,
  wholeNumber,
} from "../config/index.ts";
import { type SharingMode, sharingModes } from "../core/index.ts";

/** What of merging and sharing with other crawlers can be set. It holds for all sites together. */
export interface ExchangeSettings {
  /** URLs of the web servers of peers. */
  readonly peers?: readonly string[];
  readonly mode?: SharingMode;
  readonly rho?: number | "auto" | "model";
  readonly exchangeMs?: number;
  /** Most crawlers that are merged because proven peers name them. */
  readonly maxNamed?: number;
  /** Document root of the share. */
  readonly shareInto?: string;
  readonly shareUrl?: string;
  readonly shareSpecial?: readonly string[];
  readonly shareContact?: string;
  /** A file's path. */
  readonly shareSign?: string;
  /** Whether robots.shr names the peers. */
  readonly isNaming?: boolean;
}

const rhoExpects = "a number from 0 to 1, auto or model";
const controllers = ["auto", "model"] as const;
const rho: SettingKind<number | "auto" | "model"> = {
  expects: rhoExpects,
  form: "value",
  parseText: (given) =>
    controllers.find((name) => name === given) ??
    (/^(?:0|1|[01]?\.\d{1,6})$/.test(given) && Number(given) <= 1 ? Number(given) : undefined),
  schema: (zod) => zod.union([numberBetween(0, 1).schema(zod), zod.enum(controllers)], mustBe(rhoExpects)),
};

const addressExpects = "a mail address";
const addressForm = /^[!-~]+@[!-~]+$/;
const mailAddress: SettingKind<string> = {
  ...text,
  expects: addressExpects,
  parseText: (given) => (addressForm.test(given) ? given : undefined),
  schema: (zod) => zod.string(mustBe(addressExpects)).regex(addressForm, mustBe(addressExpects)),
};

const row: typeof settingRow = (usage, kind, describe, more) =>
  settingRow(usage, kind, describe, { ofRun: true, ...more });

/** Settings of an exchange: rows of `crawlSettings`. */
export const exchangeSettings: SettingTable<ExchangeSettings> = {
  peers: row(
    "peer URL",
    siteUrls,
    "With --forever: merge the events of this crawler, such as https://crawler.example/",
    {
      doc: "with `--forever`: [merge what another crawler saw](#with-other-crawlers), such as `https://crawler.example/`; repeatable",
    },
  ),
  mode: row("mode NAME", choice(...sharingModes), "With --forever: whether to poll, to merge peers and to share", {
    default: "by the other options",
    doc: `with \`--forever\`: ${sharingModes.map((name) => `\`${name}\``).join(", ")}; see [With other crawlers](#with-other-crawlers)`,
  }),
  rho: row("rho N", rho, "With --peer: share of requests among requests and merges, 0 to 1, auto or model", {
    default: "`auto`",
    doc: "with `--peer`: share of polls among polls and merges, from 0 to 1; `auto` lets it follow from what both bring, `model` from what both cost",
  }),
  exchangeMs: row(
    "exchange DURATION",
    duration(90 * 86_400_000),
    "Shortest time between two merges of a peer, or shares",
    { default: "`10m`" },
  ),
  maxNamed: row(
    "named-peers N",
    wholeNumber(0, 1000),
    "With --peer: also merge at most N crawlers that proven peers name",
    {
      default: "0",
      doc: "with `--peer`: also merge at most N crawlers that [proven](protocol.md#trust) peers name; with `--allow-private` also at private addresses",
    },
  ),
  shareInto: row(
    "share-into DIR",
    path,
    "With --forever: share what was seen, as tidemark share does, into this folder",
    {
      doc: "with `--forever`: [share](#tidemark-share) what was seen into this document root, needs `--share-url`",
    },
  ),
  shareUrl: row("share-url URL", siteUrl, "Root of the web server that serves --share-into"),
  shareSpecial: row("share-special URL", siteUrls, "With --share-into: address that the crawler knows especially well"),
  shareContact: row("share-contact ADDRESS", mailAddress, "With --share-into: mail address of the operator"),
  shareSign: row(
    "share-sign FILE",
    path,
    "With --share-into: sign the files with this Ed25519 key: PEM (PKCS #8), or that of tidemark identity",
  ),
  isNaming: row("share-peers", flag, "With --share-into: name the peers in robots.shr", { key: "sharePeers" }),
};
