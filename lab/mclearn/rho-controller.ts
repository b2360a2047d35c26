import { type CostState, modelRho, type SharingController } from "../../src/share/engine/model-rho.ts";
import { bangBang, firstRho, type RhoState } from "../../src/share/engine/rho.ts";

/** A share of polls that never changes, and all peers. */
export function fixedRho(rho: number): SharingController<undefined> {
  return {
    first: undefined,
    observe: () => undefined,
    plan: (_, { peers }) => [{ rho, peers }, undefined],
  };
}

/** Bang-bang as crawlers run it: each operation is told to it, and all peers are read. */
export const bangBangRho: SharingController<RhoState> = {
  first: firstRho,
  observe: (state, { kind, fresh }) =>
    bangBang(state, kind === "poll" ? { kind: "polls", count: 1, events: fresh } : { kind: "merge", events: fresh }),
  plan: (state, { peers }) => [{ rho: state.rho, peers }, state],
};

/**
 * Brings the community's mean share of polls to what {@link modelRho} plans, where others do not: a crawler whose peers advertise that
 * they poll less polls more.
 */
export function advertisedRho(): SharingController<CostState> {
  const model = modelRho();
  return {
    ...model,
    plan(state, situation) {
      const [plan, next] = model.plan(state, situation);
      const { peersRho, peers } = situation;
      if (peersRho === undefined || peers === 0) return [plan, next];
      const rho = Math.max(0.02, Math.min(0.98, plan.rho + (plan.rho - peersRho)));
      return [{ ...plan, rho }, next];
    },
  };
}
