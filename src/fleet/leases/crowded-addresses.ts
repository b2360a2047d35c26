/** Parked sites become due by themselves in this time, should nobody wake them. */
export const parkedMs = 3_600_000;

/** A site whose time has come. */
export interface DueSite {
  readonly site: number;
  /** Whose lease of it ended. */
  readonly owner: string | null;
  readonly address: string | null;
}

/** Until when an address is taken: held by a site's lease, or at rest. */
export interface BusyAddress<Time> {
  readonly until: Time;
  readonly isHeld: boolean;
}

/** What a claim does with due sites. */
export interface ClaimPlan<Time> {
  readonly taken: DueSite[];
  /** Become due when their address is free. */
  readonly postponed: Array<DueSite & { readonly until: Time }>;
  /** Wait until their address is given back, and one of them is woken. */
  readonly parked: DueSite[];
}

/**
 * Chooses among due sites, in their order: one an address. A claim looks at each other site once: it becomes due again when it can be
 * claimed, however many sites have one address.
 *
 * @param locked - addresses that no other claim decides about at this moment; sites of others are left as they are
 * @param claimed - addresses of sites that the claim has taken already
 */
export function planClaim<Time>(
  due: readonly DueSite[],
  {
    atMost,
    locked,
    busy,
    claimed,
  }: {
    readonly atMost: number;
    readonly locked: ReadonlySet<string>;
    readonly busy: ReadonlyMap<string, BusyAddress<Time>>;
    readonly claimed: ReadonlySet<string>;
  },
): ClaimPlan<Time> {
  const plan: ClaimPlan<Time> = { taken: [], postponed: [], parked: [] };
  const crowded = new Set(claimed);
  for (const site of due) {
    const { address } = site;
    if (address === null) {
      if (plan.taken.length < atMost) plan.taken.push(site);
      continue;
    }
    if (!locked.has(address)) continue;
    const until = busy.get(address);
    if (crowded.has(address) || until?.isHeld === true) plan.parked.push(site);
    else if (until !== undefined) plan.postponed.push({ ...site, until: until.until });
    else if (plan.taken.length < atMost) plan.taken.push(site);
    else continue;
    crowded.add(address);
  }
  return plan;
}
