import type { EpochMs } from "../../src/core/time.ts";
import type { LabPorts } from "../experiment/ports.ts";
import type { PageCourse } from "./page-course.ts";

/** What a server is asked. */
export interface HostRequest {
  /** Path with query. */
  readonly path: string;
  /** Values of If-None-Match and If-Modified-Since as they came. */
  readonly ifNoneMatch: string | undefined;
  readonly ifModifiedSince: string | undefined;
}

/** What a server in memory does with a request. */
export type HostAnswer =
  | {
      readonly kind: "answer";
      readonly status: number;
      /** By name in lower case. */
      readonly fields: Readonly<Record<string, string>>;
      /** Empty unless the status is 200. */
      readonly body: Uint8Array;
    }
  /** It says nothing, and keeps the connection. */
  | { readonly kind: "silence" }
  /** It closes the connection. */
  | { readonly kind: "closed" };

/** What tells a crawler what a site has. */
export const hostKinds = ["archives", "sitemap", "links"] as const;

/** One of {@link hostKinds}. */
export type HostKind = (typeof hostKinds)[number];

/** A file as a site has it now. */
export interface HostFile {
  readonly body: Uint8Array;
  readonly mediaType: string | undefined;
  readonly changedAt: EpochMs;
}

/** What hosts need of the world. */
export type HostPorts = Pick<LabPorts, "pack" | "digestOf">;

/** What a site serves beside its pages. */
export interface HostLists {
  /** @returns undefined if there is no such file */
  find(path: string, now: EpochMs): Promise<HostFile | undefined> | HostFile | undefined;
}

/** Something is wrong with a site for a while. */
export interface HostTrouble {
  readonly kind: "silence" | "closed" | "overloaded";
  readonly from: EpochMs;
  readonly to: EpochMs;
  /** What a site with too much to do asks for. */
  readonly retryAfterSeconds: number;
}

/** A site of the virtual web. */
export interface HostPlan {
  readonly origin: string;
  readonly kind: HostKind;
  readonly pages: readonly PageCourse[];
  readonly lists: HostLists;
  readonly trouble: HostTrouble | undefined;
}
