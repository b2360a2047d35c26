/** A name and a password. */
export interface Login {
  readonly user: string;
  readonly password: string;
}

// A word may be quoted, as curl and wget read it.
const word = /"((?:[^"\\]|\\.)*)"|\S+/g;

function splitWords(text: string): string[] {
  const words: string[] = [];
  let isMacro = false;
  for (const line of text.split(/\r?\n/)) {
    // Macros of ftp end at an empty line.
    if (line.trim() === "") isMacro = false;
    else if (/^\s*macdef(?:\s|$)/.test(line)) isMacro = true;
    // A password may begin with a hash: only a whole line is a comment.
    if (isMacro || /^\s*#/.test(line)) continue;
    for (const [all, quoted] of line.matchAll(word)) words.push(quoted?.replace(/\\(.)/g, "$1") ?? all);
  }
  return words;
}

/**
 * Finds the login for a host in a netrc file: that of the first `machine` with its name, or of `default`.
 *
 * @param host - without a port
 * @returns undefined if there is none with a password
 * @see netrc(5)
 */
export function findNetrcLogin(text: string, host: string): Login | undefined {
  const words = splitWords(text);
  let isMeant = false;
  let user: string | undefined;
  let password: string | undefined;
  const found = (): Login | undefined =>
    isMeant && password !== undefined ? { user: user ?? "", password } : undefined;
  for (let at = 0; at < words.length; at++) {
    const name = words[at];
    if (name === "machine" || name === "default") {
      const login = found();
      if (login !== undefined) return login;
      user = undefined;
      password = undefined;
      isMeant = name === "default" || words[++at]?.toLowerCase() === host.toLowerCase();
    } else if (name === "login") user = words[++at];
    else if (name === "password") password = words[++at];
    else if (name === "account") at++;
  }
  return found();
}
