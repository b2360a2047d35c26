import type { ClaimKind, EpochSeconds } from "../../../core/index.ts";

/** Why a peer loses trust: a claim of a kind was false, its dates were impossible, or it sent more than is taken. */
export const faults = ["false-create", "false-update", "false-delete", "false-same", "misdated", "flood"] as const;
/** One of {@link faults}. */
export type Fault = (typeof faults)[number];

/** What is remembered of a peer: plain data. */
export interface PeerTrust {
  /** Weights of what spoke for and against it; both fade. */
  readonly good: number;
  readonly bad: number;
  /** When they were weighed last. */
  readonly at: EpochSeconds;
  readonly isQuarantined: boolean;
  /** Claims that were proved, and how often each fault was found, in all. */
  readonly proved: number;
  readonly faults: Readonly<Partial<Record<Fault, number>>>;
  /** Claims that were acted upon on a day, in days since 1970. */
  readonly acted: { readonly day: number; readonly count: number };
}

// The prior is Beta(8, 2): three false claims of an unknown peer outweigh it.
const prior = { good: 8, bad: 2 };
/** A false claim weighs as much as so many true ones: trust falls faster than it rises. */
const faultWeight = 4;
/** Each outcome fades by this share with the next: what a peer did long ago does not pay for lies. */
const fading = 1 / 60;
const halfLifeSeconds = 30 * 86_400;
const quarantineBelow = 0.4;
const releaseAbove = 0.6;

/** Bounds on claims whose outcome is open. */
const firstWindow = 64;
const windowPerProof = 16;
const firstSiteWindow = 16;
const siteWindowPerProof = 8;
const quarantineWindow = 4;
/** Of these windows one in so many is for new URLs, and as many are for promises. */
const newUrlShare = 4;
/** A day may bring so many windows. */
const windowsPerDay = 24;

/** How far an unknown peer is trusted. */
export const firstTrust: PeerTrust = {
  good: 0,
  bad: 0,
  at: 0,
  isQuarantined: false,
  proved: 0,
  faults: {},
  acted: { day: 0, count: 0 },
};

/** The mean of the Beta distribution of the share of true claims, from 0 to 1. */
export function scoreOf({ good, bad }: PeerTrust): number {
  return (prior.good + good) / (prior.good + prior.bad + good + bad);
}

/** How much a claim weighs beside those of others, from 0 to 1: by what was proved alone, so that unknown peers weigh nothing. */
export function weightOf({ good, bad, isQuarantined }: PeerTrust): number {
  return isQuarantined ? 0 : good / (good + bad + 4);
}

/** Whether enough was proved that most of what the peer says need not be checked. */
export function isProven(trust: PeerTrust): boolean {
  return !trust.isQuarantined && trust.good >= 16 && scoreOf(trust) >= 0.8;
}

/** Most claims of a peer at a time. */
export interface ClaimAllowance {
  /** Claims whose outcome is open. */
  readonly open: number;
  /** Those of one site. */
  readonly perSite: number;
  /** Claims that are acted upon in a day. */
  readonly perDay: number;
}

/** How much a peer may claim of a kind: new URLs and promises cost more than an update that turns out to be none. */
export function allowanceOf({ good, isQuarantined }: PeerTrust, kind: ClaimKind): ClaimAllowance {
  if (isQuarantined) return { open: kind === "same" ? 0 : quarantineWindow, perSite: 1, perDay: quarantineWindow };
  const all = Math.round(firstWindow + windowPerProof * good);
  const site = Math.round(firstSiteWindow + siteWindowPerProof * good);
  const share = kind === "create" || kind === "same" ? newUrlShare : 1;
  return { open: Math.ceil(all / share), perSite: Math.ceil(site / share), perDay: windowsPerDay * all };
}

function fade({ good, bad, at, ...rest }: PeerTrust, now: EpochSeconds): PeerTrust {
  const kept = (1 - fading) * 2 ** (-Math.max(0, now - at) / halfLifeSeconds);
  return { ...rest, good: good * kept, bad: bad * kept, at: Math.max(at, now) };
}

function place(trust: PeerTrust): PeerTrust {
  const score = scoreOf(trust);
  const isQuarantined = score < quarantineBelow || (trust.isQuarantined && score <= releaseAbove);
  return { ...trust, isQuarantined };
}

/** A claim of the peer was proved. */
export function noteProof(trust: PeerTrust, now: EpochSeconds): PeerTrust {
  const faded = fade(trust, now);
  return place({ ...faded, good: faded.good + 1, proved: faded.proved + 1 });
}

/** A fault of the peer was found. */
export function noteFault(trust: PeerTrust, fault: Fault, now: EpochSeconds): PeerTrust {
  const faded = fade(trust, now);
  const counted = { ...faded.faults, [fault]: (faded.faults[fault] ?? 0) + 1 };
  return place({ ...faded, bad: faded.bad + faultWeight, faults: counted });
}

/** Claims of the peer were acted upon. */
export function noteActed(trust: PeerTrust, day: number): PeerTrust {
  const count = trust.acted.day === day ? trust.acted.count + 1 : 1;
  return { ...trust, acted: { day, count } };
}

/** What is told of a peer's trust. */
export interface TrustSummary extends Pick<PeerTrust, "isQuarantined" | "proved" | "faults"> {
  /** Mean of the share of its claims that are true, from 0 to 1. */
  readonly score: number;
  /** Whether enough was proved that most of what it says is not checked, and that other crawlers that it names may be merged. */
  readonly isProven: boolean;
}

/** Says how far a peer is trusted. */
export function summarizeTrust(trust: PeerTrust): TrustSummary {
  const { isQuarantined, proved, faults: found } = trust;
  const score = Math.round(100 * scoreOf(trust)) / 100;
  return { score, isProven: isProven(trust), isQuarantined, proved, faults: found };
}

/** The fault of a false claim. */
export function faultOf(kind: ClaimKind): Fault {
  return `false-${kind}`;
}
