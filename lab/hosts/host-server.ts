import type { EpochMs } from "../../src/core/time.ts";
import { formatHttpDate } from "../../src/formats/http/http-date.ts";
import type { PageCourse } from "./page-course.ts";
import { writePage } from "./page-text.ts";
import type { HostAnswer, HostFile, HostPlan, HostPorts, HostRequest } from "./virtual-host.ts";

const nothing = new Uint8Array();
const absent: HostAnswer = { kind: "answer", status: 404, fields: {}, body: nothing };

/** What is answered for a file while it stays as it is. */
interface FileAnswers {
  readonly changedAt: EpochMs;
  readonly etag: string;
  readonly lastModified: string;
  readonly whole: HostAnswer;
  readonly unmodified: HostAnswer;
}

/** Answers what one site is asked, as a static web server does: with validators, and 304 where they hold. */
export class HostServer {
  readonly plan: HostPlan;
  readonly #courses: ReadonlyMap<string, PageCourse>;
  readonly #digestOf: HostPorts["digestOf"];
  /** The version of each page that was asked for last. */
  readonly #pages = new Map<string, { readonly version: number; readonly file: HostFile }>();
  readonly #answers = new WeakMap<Uint8Array, FileAnswers>();

  constructor(plan: HostPlan, ports: HostPorts) {
    this.plan = plan;
    this.#courses = new Map(plan.pages.map((page) => [page.path, page]));
    this.#digestOf = ports.digestOf;
  }

  /** @see RFC 9110 section 13.2.2 */
  async answer(request: HostRequest, now: EpochMs): Promise<HostAnswer> {
    const trouble = this.#troubleAt(now);
    if (trouble !== undefined) return trouble;
    const file = this.#findPage(request.path, now) ?? (await this.plan.lists.find(request.path, now));
    if (file === undefined) return absent;
    const { etag, lastModified, whole, unmodified } = this.#answersOf(file);
    const { ifNoneMatch, ifModifiedSince } = request;
    const isHeld = ifNoneMatch === undefined ? ifModifiedSince === lastModified : ifNoneMatch === etag;
    return isHeld ? unmodified : whole;
  }

  #answersOf(file: HostFile): FileAnswers {
    const known = this.#answers.get(file.body);
    if (known?.changedAt === file.changedAt) return known;
    const { body, mediaType, changedAt } = file;
    const etag = `"${this.#digestOf(body)}"`;
    const lastModified = formatHttpDate(changedAt);
    const fields = { etag, "last-modified": lastModified };
    const type = mediaType === undefined ? {} : { "content-type": mediaType };
    const all = { ...fields, ...type, "content-length": String(body.length) };
    const answers: FileAnswers = {
      changedAt,
      etag,
      lastModified,
      whole: { kind: "answer", status: 200, fields: all, body },
      unmodified: { kind: "answer", status: 304, fields, body: nothing },
    };
    this.#answers.set(body, answers);
    return answers;
  }

  #troubleAt(now: EpochMs): HostAnswer | undefined {
    const { trouble } = this.plan;
    if (trouble === undefined || now < trouble.from || now >= trouble.to) return undefined;
    const { kind, retryAfterSeconds } = trouble;
    if (kind !== "overloaded") return { kind };
    return { kind: "answer", status: 503, fields: { "retry-after": String(retryAfterSeconds) }, body: nothing };
  }

  #findPage(path: string, now: EpochMs): HostFile | undefined {
    const course = this.#courses.get(path);
    if (course === undefined) return undefined;
    const version = course.versionAt(now);
    const known = this.#pages.get(path);
    if (known?.version === version) return known.file;
    const { origin, kind, pages } = this.plan;
    const body = writePage(origin, course, version, kind === "links" && path === "/" ? pages : []);
    const file: HostFile = { body, mediaType: "text/html", changedAt: course.beginOf(version) * 1000 };
    this.#pages.set(path, { version, file });
    return file;
  }
}
