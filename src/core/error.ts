/** Codes of {@link TidemarkError}. `docs/cli.md` lists each with its exit code. */
export const errorCodes = [
  "bad-option",
  "not-found",
  "not-a-folder",
  "no-permission",
  "disk-full",
  "locked",
  "state-corrupt",
  "state-version",
  "archive-corrupt",
  "robots-unreadable",
  "read-only",
  "address-in-use",
  "no-archives",
  "site-unavailable",
  "aborted",
  "io",
] as const;
export type ErrorCode = (typeof errorCodes)[number];

/** What an error carries besides its message. */
export interface ErrorFacts {
  /** How to fix it: a sentence in the imperative. */
  readonly hint?: string;
  /** Plain JSON facts: which file, which process. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/**
 * An operation failed for a reason outside the program: bad configuration, a held lock, a full disk, a corrupt file.
 */
export class TidemarkError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, facts: ErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = "TidemarkError";
    this.code = code;
    this.hint = facts.hint;
    this.details = facts.details ?? {};
  }
}

const systemCodes: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  ENOSPC: ["disk-full", "Free some space and run the same command again: nothing that was published is harmed."],
  EDQUOT: ["disk-full", "Raise the quota and run the same command again: nothing that was published is harmed."],
  EACCES: ["no-permission", "Run as a user who may do that, or change the permissions of the path."],
  EPERM: ["no-permission", "Run as a user who may do that, or change the permissions of the path."],
  EROFS: ["read-only", "Mount the file system writable, or name another folder."],
  ENOENT: ["not-found", "Check the path."],
  ENOTDIR: ["not-a-folder", "Name a folder."],
  EISDIR: ["io", "That is a folder: name a file."],
  EEXIST: ["io", "Something else has that name: move it away, or choose another name."],
  EMFILE: ["io", "Raise the limit of open files (ulimit -n) and run the same command again."],
  EADDRINUSE: ["address-in-use", "Choose another port with --port, or 0 for any free one."],
};

/**
 * Converts a system error into a {@link TidemarkError} that says what was being done.
 *
 * @param doing - what failed, such as "write the index"; a {@link TidemarkError} is returned unchanged
 */
export function wrapSystemError(error: unknown, doing: string, details: Readonly<Record<string, unknown>> = {}): Error {
  if (error instanceof TidemarkError) return error;
  if (!(error instanceof Error)) return new TypeError(String(error));
  // Programming errors, including those that Node reports with a code.
  if (error instanceof TypeError || error instanceof RangeError) return error;
  if (error.name === "AbortError") return new TidemarkError("aborted", "Stopped before the end.", { cause: error });
  const code = (error as { code?: unknown }).code;
  if (typeof code !== "string") return error;
  const [kind, hint] =
    systemCodes[code] ?? (["io", "Look at the file system and its disk, and run the same command again."] as const);
  return new TidemarkError(kind, `Could not ${doing}: ${error.message}`, {
    hint,
    details: { ...details, errno: code },
    cause: error,
  });
}

/** Whether an error comes from the file system or the network, and not from a mistake in the program. */
export function isSystemError(error: unknown): boolean {
  return error instanceof Error && "syscall" in error && "code" in error && String(error.code) in systemCodes;
}

/** What failed first, where more failed when things were let go of after it: a `SuppressedError` is about the last. */
export function firstErrorOf(error: unknown): unknown {
  let first = error;
  while (first instanceof Error && first.name === "SuppressedError" && "suppressed" in first) first = first.suppressed;
  return first;
}
