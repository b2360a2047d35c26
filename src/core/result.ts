/** A value, or why there is none. For untrusted input, where errors are ordinary. */
export type Result<T, E = Problem> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: E };

/** What is wrong with untrusted bytes, and where. */
export interface Problem {
  /** A code for programs, such as `bad-line`. */
  readonly code: string;
  /** A sentence for people, with the offending text shortened. */
  readonly message: string;
}

/** Wraps a value. */
export function ok<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

/** Wraps a {@link Problem}. */
export function problem(code: string, message: string): { readonly ok: false; readonly error: Problem } {
  return { ok: false, error: { code, message } };
}

/** Shortens untrusted text for a message: at most `max` characters, control characters made visible. */
export function excerpt(text: string, max = 80): string {
  const cut = text.length > max ? `${text.slice(0, max)}…` : text;
  return JSON.stringify(cut);
}

/** Text for messages, without the logins of URLs in it. */
export function hideLogins(text: string): string {
  return text.replace(/\/\/[^/?#\s"]*@/g, "//…@");
}

/**
 * A path for messages. If it is too long, its middle is cut: the first folder and the file name identify it best.
 *
 * @param max - characters, 5 or more
 */
export function shortenPath(path: string, max: number): string {
  if (path.length <= max) return path;
  const head = Math.floor((max - 1) / 2);
  return `${path.slice(0, head)}…${path.slice(head + 1 - max)}`;
}
