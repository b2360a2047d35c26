import { isListName } from "./list-folder.ts";
import type { StandardsState } from "./standards-state.ts";

type Fields = Readonly<Record<string, unknown>>;
type Form = (value: unknown) => boolean;

const text: Form = (value) => typeof value === "string";
const count: Form = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const name: Form = (value) => typeof value === "string" && isListName(value);
const listOf =
  (form: Form): Form =>
  (value) =>
    Array.isArray(value) && value.every(form);
const optional =
  (form: Form): Form =>
  (value) =>
    value === undefined || form(value);
const fields =
  (forms: Readonly<Record<string, Form>>): Form =>
  (value) =>
    typeof value === "object" &&
    value !== null &&
    Object.entries(forms).every(([key, form]) => form((value as Fields)[key]));

const dumpPackage = fields({ name, from: count, until: count, sizeBytes: count });

const standardsState = fields({
  epoch: text,
  publication: count,
  hasSitemap: (value) => typeof value === "boolean",
  resourceSync: optional(
    fields({
      changeLists: listOf(fields({ name, from: count, until: optional(count), entries: count, digest: text })),
      changeDumps: listOf(dumpPackage),
      resourceDump: optional(fields({ at: count, completed: count, packages: listOf(dumpPackage) })),
    }),
  ),
  shards: listOf(fields({ from: text, pages: count, lastModified: count, digest: text, at: count })),
  listed: listOf(name),
  retired: listOf(fields({ name, publications: count, since: (value) => Number.isFinite(value) })),
});

/** Whether what was read is a state: one that is not would stop each run at the same place. */
export function isStandardsState(value: unknown): value is StandardsState {
  return standardsState(value);
}
