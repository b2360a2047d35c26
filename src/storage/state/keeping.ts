import type { Clock } from "../../core/index.ts";
import type { Mirror } from "../mirror/mirror.ts";
import type { ObjectBodies } from "../objects/object-bodies.ts";
import type { ObjectWriter } from "../objects/object-index.ts";
import type { ObjectStore } from "../objects/object-store.ts";
import type { PassingBodies } from "../warc/warc-bodies.ts";
import type { WarcFiles } from "../warc/warc-files.ts";
import type { ContentDecoder } from "../warc/warc-payload.ts";
import type { WarcRecorder } from "../warc/warc-recorder.ts";
import type { BodyTaker, CallbackBodyStore } from "./callback-body-store.ts";
import type { KeptReading } from "./kept-reading.ts";
import type { StoredSite } from "./site-memory.ts";
import type { StoredUrls } from "./url-list.ts";

/** How bodies are kept: a file each, in WARC files, as objects, by somebody else, or not at all. */
export type Keeping =
  | { readonly kind: "callback"; readonly taker: BodyTaker }
  | { readonly kind: "mirror" }
  | { readonly kind: "metadata" }
  | {
      readonly kind: "objects";
      readonly store: ObjectStore;
      /** Default: the state has a crawl of its own, whose epochs are counted. Needed if several workers have the site in turn. */
      readonly writer?: ObjectWriter;
    }
  | {
      readonly kind: "warc";
      /** What `warcinfo` says beside the format: names and values. */
      readonly info: Readonly<Record<string, string>>;
      readonly clock: Clock;
      /** Undoes content codings, in which bodies are recorded as they came. */
      readonly decode: ContentDecoder;
      /** A WARC file that has reached this is closed. Default 1,000,000,000. */
      readonly maxBytes?: number;
    };

/** The WARC files of a site. */
export interface SiteWarc {
  readonly files: WarcFiles;
  /**
   * Ends what a killed run left, and makes pages due of which that recorded something else than is remembered; before
   * anything is recorded.
   */
  readonly recover: () => Promise<void>;
  /** Requests go through it; closed by who opened the site. */
  readonly recorder: WarcRecorder;
}

/** What is kept of one site. */
export interface SiteStore<Kept = Mirror | PassingBodies | ObjectBodies | CallbackBodyStore> {
  readonly memory: StoredSite;
  /** Undefined where the state ends with the process. */
  readonly reading: KeptReading | undefined;
  readonly urls: StoredUrls;
  readonly bodies: Kept;
  readonly warc: SiteWarc | undefined;
  /** The site's folder. */
  readonly folder: string;
  /** Gives back what the site alone holds of the machine. Nothing may be on its way. */
  close(): void;
}
