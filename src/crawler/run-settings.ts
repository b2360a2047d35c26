import type { Setting } from "../config/index.ts";
import { crawlSettings } from "./crawl-settings.ts";
import type { ExchangeSettings } from "./exchange-settings.ts";

/** A setting of all sites together. */
export type RunSetting = keyof ExchangeSettings | "listen" | "allowHosts";

/** Leaves out what holds for all sites together. @param given - settings, or a part of their table */
export function omitRunSettings<T extends object>(given: T): Omit<T, RunSetting> {
  const rows = crawlSettings as Readonly<Record<string, Setting>>;
  return Object.fromEntries(Object.entries(given).filter(([name]) => rows[name]?.ofRun !== true)) as Omit<
    T,
    RunSetting
  >;
}
