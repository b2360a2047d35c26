import type { EpochMs } from "../../../src/core/index.ts";
import type { AssignedUnit, Submission, UnitDispatcher } from "../../../src/fleet/volunteers/unit-dispatcher.ts";

/** Hands out the units of a list, each once, and keeps their results. */
export class ListedUnits implements UnitDispatcher {
  readonly results: Map<string, Uint8Array> = new Map<string, Uint8Array>();
  readonly failed: string[] = [];
  readonly #waiting: AssignedUnit[];
  readonly #given = new Map<string, { readonly unit: AssignedUnit; readonly volunteer: string }>();
  readonly #known = new Set<string>();

  constructor(units: readonly AssignedUnit[]) {
    this.#waiting = [...units];
  }

  register(volunteer: string): void {
    this.#known.add(volunteer);
  }

  assign(volunteer: string, atMost: number, now: EpochMs): readonly AssignedUnit[] {
    if (!this.#known.has(volunteer)) return [];
    const units = this.#waiting.filter(({ deadline }) => deadline > now).slice(0, atMost);
    for (const unit of units) {
      this.#waiting.splice(this.#waiting.indexOf(unit), 1);
      this.#given.set(unit.name, { unit, volunteer });
    }
    return units;
  }

  submit(name: string, volunteer: string, result: Uint8Array, now: EpochMs): Submission {
    const given = this.#given.get(name);
    if (given?.volunteer !== volunteer) return "unknown";
    if (this.results.has(name)) return "duplicate";
    if (given.unit.deadline < now) return "late";
    this.results.set(name, result);
    return "accepted";
  }

  fail(name: string): void {
    this.failed.push(name);
  }
}
