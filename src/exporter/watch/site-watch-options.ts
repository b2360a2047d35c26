import type { ExportEvent } from "../../core/index.ts";
import type { LinkRules } from "../walk/link-target.ts";
import type { WatchFolder } from "./folder-watch.ts";
import type { QueueGauge } from "./queue-gauge.ts";
import type { WatchTimers } from "./watch-timers.ts";

/** What a watcher needs to know. What is withheld is judged as by the walk, and then not watched. */
export interface SiteWatchOptions extends LinkRules {
  /** The document root; a link to it may later lead elsewhere. */
  readonly docroot: string;
  /** Longest encoded path that is published, as for the walk. @default 2048 */
  readonly maxPathLength?: number;
  /** How long nothing must happen before a round, in milliseconds. @default 30000 */
  readonly settleMs?: number;
  /** A round comes so long after the first change even if changes go on. @default 10 * settleMs */
  readonly maxSettleMs?: number;
  /** How often everything is looked at whatever was told. @default 86400000, a day */
  readonly rescanMs?: number;
  /** The same while folders cannot be watched. @default 300000, five minutes */
  readonly fallbackRescanMs?: number;
  /** How often the root itself is looked at: no event tells that another was mounted or linked there. @default 10000 */
  readonly rootCheckMs?: number;
  /** If more folders change before a round, it is a scan. @default 10000 */
  readonly maxDirtyFolders?: number;
  /** Is told warnings: `inotify-watches`, `inotify-instances`, `watch-failed`, `watch-overflow`, `root-missing`, `root-replaced`. */
  readonly onEvent: (event: ExportEvent) => void;
  /** Ends the watch, as disposing does. */
  readonly signal?: AbortSignal;
  /** @default the machine's */
  readonly timers?: WatchTimers;
  /** @default `fs.watch` */
  readonly watchFolder?: WatchFolder;
  /** @default this thread's */
  readonly gauge?: QueueGauge;
}
