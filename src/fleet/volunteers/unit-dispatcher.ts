import type { EpochMs } from "../../core/index.ts";

/** A work unit that a volunteer was given. */
export interface AssignedUnit {
  /** Names this copy of the unit: 1 to 64 of `a-z`, `0-9`, `_` and `-`. No other copy ever has the name. */
  readonly name: string;
  /** The unit as `src/formats/work-unit` writes it. */
  readonly bytes: Uint8Array;
  /** A result that comes later is refused. */
  readonly deadline: EpochMs;
  /** A result of more bytes is malformed. */
  readonly maxResultBytes: number;
}

/**
 * What became of a result: `accepted` (kept; it is compared and used later), `late` (after its deadline), `duplicate`
 * (the copy has its result already), `unknown` (no such copy, or one of another volunteer: the two are not told apart),
 * `malformed` (not a result of this unit), `refused` (well formed and yet wrong: nonce, times, pages whose answers are
 * known; or a volunteer that is barred).
 */
export type Submission = "accepted" | "late" | "duplicate" | "unknown" | "malformed" | "refused";

/** Hands out work units and takes their results. Each call is durable when it returns; none asks the network. */
export interface UnitDispatcher {
  /**
   * Makes a volunteer known who may have work from now on. Nothing happens to one who is known.
   *
   * @param volunteer 1 to 64 of `a-z`, `0-9`, `_` and `-`.
   */
  register(volunteer: string, now: EpochMs): void;
  /**
   * Gives a volunteer copies of units.
   *
   * @param atMost How many, at least 1.
   * @returns None, if there is no work that is due, or if the volunteer is unknown, barred, or has as many as one may have.
   */
  assign(volunteer: string, atMost: number, now: EpochMs): readonly AssignedUnit[];
  /** Takes the result of a copy. */
  submit(name: string, volunteer: string, result: Uint8Array, now: EpochMs): Submission;
  /** Gives a copy back without a result; its site rests as after a visit. Nothing happens if the copy is not the volunteer's. */
  fail(name: string, volunteer: string, now: EpochMs): void;
}
