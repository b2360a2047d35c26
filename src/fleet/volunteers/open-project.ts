import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type EpochMs, omitUndefined } from "../../core/index.ts";
import {
  createPoliteness,
  UnitWork,
  type UnitWorkOptions,
  type VisitUnitOptions,
  visitUnit,
} from "../../crawler/index.ts";
import type { ProjectEvent, ProjectOptions } from "./project-options.ts";
import { VolunteerProject } from "./volunteer-project.ts";
import { VolunteerStore } from "./volunteer-store.ts";

/** A project of volunteers on the folder of a crawl. */
export interface OpenProjectOptions
  extends ProjectOptions,
    Omit<UnitWorkOptions, "isDone" | "busyUntil">,
    Pick<VisitUnitOptions, "ca" | "proxy"> {
  readonly onEvent?: ((event: ProjectEvent) => void) | undefined;
  /** Is told of what went wrong in the project's own work; it goes on. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** A project that runs until it is disposed of. */
export interface OpenProject extends AsyncDisposable {
  readonly project: VolunteerProject;
}

const settleMs = 250;

/**
 * Opens a project: the folder of a crawl of the Web, or a new one, whose pages volunteers fetch from now on.
 *
 * @throws TidemarkError `bad-option`, `locked` if a crawl uses the folder, `state-corrupt`, `state-version`
 */
export async function openVolunteerProject(options: OpenProjectOptions): Promise<OpenProject> {
  const { into, allowPrivate, ca, proxy, clock = Date.now, random, onEvent, onError, knownPages = [] } = options;
  const { userAgent, crawlDelayMs, pageBytes, pageLinks, deadlineMs, restMs = 15_000 } = options;
  const { slotMs, holdMs, maxOut, auditShare, auditPages, revisitMs } = options;
  const ending = new AbortController();
  const { signal } = ending;
  const store = new VolunteerStore(join(resolve(into), ".tidemark", "volunteers.db"));
  let project: VolunteerProject | undefined;
  const busyUntil = new Map<string, EpochMs>(store.openUnits().map(({ origin }) => [origin, Number.POSITIVE_INFINITY]));
  let work: UnitWork;
  try {
    work = await UnitWork.open({ ...options, restMs, busyUntil, isDone: (url) => project?.isDone(url) === true });
  } catch (error) {
    store[Symbol.dispose]();
    throw error;
  }
  const politeness = createPoliteness({ restMs, ...omitUndefined({ crawlDelayMs, clock }) });
  const opened = new VolunteerProject(
    {
      ...{ userAgent, restMs, crawlDelayMs, pageBytes, pageLinks, deadlineMs, slotMs, holdMs, maxOut },
      ...{ auditShare, auditPages, revisitMs },
    },
    {
      ...{ store, work, clock, random, onEvent, busyUntil },
      visit: async (unit) => {
        const means = omitUndefined({ allowPrivate, ca, proxy, clock });
        const result = await visitUnit(unit, { politeness, signal, ...means });
        // What was cut off says nothing: the next run makes the visit again.
        signal.throwIfAborted();
        return result;
      },
    },
  );
  project = opened;
  const fail = (error: unknown): void => {
    if (!signal.aborted) onError?.(error);
  };
  // A slow site keeps no other unit waiting.
  const running = new Set<Promise<void>>();
  const settling = (async () => {
    await opened.learnKnown(knownPages, clock());
    while (!signal.aborted) {
      const settled = opened
        .settle(clock())
        .catch(fail)
        .finally(() => running.delete(settled));
      running.add(settled);
      await delay(settleMs, undefined, { signal }).catch(() => undefined);
    }
  })().catch(fail);
  return {
    project: opened,
    [Symbol.asyncDispose]: async () => {
      ending.abort();
      await settling;
      await Promise.all(running);
      await work[Symbol.asyncDispose]();
      store[Symbol.dispose]();
    },
  };
}
