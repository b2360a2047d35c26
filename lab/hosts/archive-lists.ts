import type { Change } from "../../src/core/change.ts";
import type { Page } from "../../src/core/page.ts";
import type { EpochMs, EpochSeconds } from "../../src/core/time.ts";
import { indexFileName, publishedFolder } from "../../src/formats/archive/archive-index.ts";
import { VirtualPublisher } from "../brandman/virtual-publisher.ts";
import { encodeText } from "../experiment/byte-text.ts";
import type { PageCourse } from "./page-course.ts";
import { writePage } from "./page-text.ts";
import type { HostFile, HostLists, HostPorts } from "./virtual-host.ts";

/** When a site publishes. */
export interface PublicationRhythm {
  readonly first: EpochSeconds;
  readonly everySeconds: number;
}

/** What a site that runs the exporter serves: each publication is made by the production code when it is first asked for. */
export class ArchiveLists implements HostLists {
  readonly #origin: string;
  readonly #courses: readonly PageCourse[];
  readonly #rhythm: PublicationRhythm;
  readonly #digestOf: HostPorts["digestOf"];
  readonly #publisher: VirtualPublisher;
  readonly #versions: Int32Array;
  readonly #pages = new Map<string, Page>();
  #next: EpochSeconds;
  #publishing: Promise<void> = Promise.resolve();
  #robots = { text: "", body: encodeText("") };

  /** @param courses - in the order of their paths */
  constructor(origin: string, courses: readonly PageCourse[], rhythm: PublicationRhythm, ports: HostPorts) {
    this.#origin = origin;
    this.#courses = courses;
    this.#rhythm = rhythm;
    this.#digestOf = ports.digestOf;
    this.#publisher = new VirtualPublisher(ports.pack, origin);
    this.#versions = new Int32Array(courses.length).fill(-1);
    this.#next = rhythm.first;
  }

  async find(path: string, now: EpochMs): Promise<HostFile | undefined> {
    if (path !== "/robots.txt" && !path.startsWith(publishedFolder)) return undefined;
    this.#publishing = this.#publishing.then(() => this.#catchUp(now));
    await this.#publishing;
    const { latest } = this.#publisher;
    if (latest === undefined) return undefined;
    const changedAt = latest.index.publication * 1000;
    if (path === "/robots.txt") {
      const { robotsText: text, basePublication } = latest;
      if (this.#robots.text !== text) this.#robots = { text, body: encodeText(text) };
      return { body: this.#robots.body, mediaType: "text/plain", changedAt: basePublication * 1000 };
    }
    const name = path.slice(publishedFolder.length);
    if (name === indexFileName) return { body: latest.indexContent, mediaType: undefined, changedAt };
    const body = this.#publisher.serve(name);
    return body && { body, mediaType: undefined, changedAt };
  }

  async #catchUp(now: EpochMs): Promise<void> {
    for (; this.#next * 1000 <= now; this.#next += this.#rhythm.everySeconds) {
      const changes = this.#takeChanges(this.#next);
      await this.#publisher.publish(this.#pages, changes, this.#next);
    }
  }

  #takeChanges(time: EpochSeconds): Change[] {
    const changes: Change[] = [];
    for (const [at, course] of this.#courses.entries()) {
      const version = course.versionAt(time * 1000);
      const known = this.#versions[at] ?? -1;
      if (version === known || course.beginOf(0) > time) continue;
      const body = writePage(this.#origin, course, version, []);
      const page: Page = {
        path: course.path,
        sizeBytes: body.length,
        lastModified: time,
        mediaType: "text/html",
        digest: this.#digestOf(body),
      };
      this.#versions[at] = version;
      this.#pages.set(course.path, page);
      changes.push({ kind: known < 0 ? "created" : "updated", page });
    }
    return changes;
  }
}
