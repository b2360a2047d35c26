import { formatHttpDate } from "../../format/index.ts";
import type { EpochMs } from "../../model/index.ts";
import type { PageCourse } from "./page-course.ts";
import { writePage } from "./page-text.ts";
import type { HostAnswer, HostFile, HostPlan, HostPorts, HostRequest } from "./virtual-host.ts";

const nothing = new Uint8Array();

/** Answers what one site is asked, as a static web server does: with validators, and 304 where they hold. */
export class HostServer {
  readonly plan: HostPlan;
  readonly #courses: ReadonlyMap<string, PageCourse>;
  readonly #digestOf: HostPorts["digestOf"];

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
    if (file === undefined) return { kind: "answer", status: 404, fields: {}, body: nothing };
    const etag = `"${this.#digestOf(file.body)}"`;
    const lastModified = formatHttpDate(file.changedAt);
    const type = file.mediaType === undefined ? {} : { "content-type": file.mediaType };
    const fields = { etag, "last-modified": lastModified };
    const { ifNoneMatch, ifModifiedSince } = request;
    const isHeld = ifNoneMatch === undefined ? ifModifiedSince === lastModified : ifNoneMatch === etag;
    if (isHeld) return { kind: "answer", status: 304, fields, body: nothing };
    const length = String(file.body.length);
    return { kind: "answer", status: 200, fields: { ...fields, ...type, "content-length": length }, body: file.body };
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
    const { origin, kind, pages } = this.plan;
    const body = writePage(origin, course, version, kind === "links" && path === "/" ? pages : []);
    return { body, mediaType: "text/html", changedAt: course.beginOf(version) * 1000 };
  }
}
