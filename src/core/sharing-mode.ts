/**
 * The six ways in which a crawler can take part.
 *
 * @see G. L. McLearn, Autonomous Cooperating Web Crawlers, M.Math. thesis, Waterloo 2002, section 4.1
 */
export const sharingModes = [
  "current-day",
  "altruistic",
  "parasitic",
  "mirroring",
  "non-sharing-hybrid",
  "sharing-hybrid",
] as const;
/** One of {@link sharingModes}. */
export type SharingMode = (typeof sharingModes)[number];

/** Whether a crawler of this mode publishes what it saw. */
export function isSharing(mode: SharingMode): boolean {
  return mode === "altruistic" || mode === "mirroring" || mode === "sharing-hybrid";
}

/** The rho of a mode: 1 polls only, 0 merges only; undefined for those that do both. */
export function rhoOfMode(mode: SharingMode): 0 | 1 | undefined {
  if (mode === "current-day" || mode === "altruistic") return 1;
  return mode === "parasitic" || mode === "mirroring" ? 0 : undefined;
}
