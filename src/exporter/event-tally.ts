import type { ExportEvent, ExportSummary, WithholdRule } from "../core/index.ts";

/** Counts events while passing them on. */
export class EventTally {
  readonly #listener: ((event: ExportEvent) => void) | undefined;
  #rules: Partial<Record<WithholdRule, number>> = {};
  #errors = 0;
  #warnings = 0;

  constructor(listener: ((event: ExportEvent) => void) | undefined) {
    this.#listener = listener;
  }

  /** A scan that starts over also restarts the counts. */
  restart(): void {
    this.#rules = {};
    this.#errors = 0;
  }

  readonly onEvent = (event: ExportEvent): void => {
    if (event.event === "withheld") this.#rules[event.rule] = (this.#rules[event.rule] ?? 0) + 1;
    else if (event.event === "item-error") this.#errors += 1;
    else if (event.event === "warning") this.#warnings += 1;
    this.#listener?.(event);
  };

  get counts(): Pick<ExportSummary, "withheld" | "withheldByRule" | "errors" | "warnings"> {
    const withheld = Object.values(this.#rules).reduce((sum, count) => sum + count, 0);
    return { withheld, withheldByRule: { ...this.#rules }, errors: this.#errors, warnings: this.#warnings };
  }
}
