import { spawn } from "node:child_process";
import { once } from "node:events";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The pager that a terminal's user wants: `TIDEMARK_PAGER`, else `PAGER`, else less.
 *
 * @returns undefined if there is to be none: the variable is empty or `cat`, or the terminal cannot move its cursor
 */
export function choosePager({ TIDEMARK_PAGER, PAGER, TERM }: Environment): string | undefined {
  const pager = (TIDEMARK_PAGER ?? PAGER ?? "less -FRX").trim();
  return pager === "" || pager === "cat" || TERM === "dumb" ? undefined : pager;
}

/** Whether a text has more lines, as a terminal breaks them, than fit above the prompt that follows. */
export function isLongerThan(
  text: string,
  { columns, rows }: { readonly columns: number; readonly rows: number },
): boolean {
  let lines = 0;
  for (const line of text.split("\n")) {
    lines += Math.max(1, Math.ceil(line.length / columns));
    if (lines > rows) return true;
  }
  return false;
}

/** How a pager ended: it is not there, SIGINT or the given signal ended it, or its user did. */
export type PagerEnd = "missing" | "interrupted" | "closed";

/**
 * Shows a text, until its reader closes the pager.
 *
 * @param pager - a command line of a shell
 * @param signal - ends it
 */
export async function showInPager(
  text: string,
  pager: string,
  environment: Environment,
  signal: AbortSignal,
): Promise<PagerEnd> {
  // Quits if all fits after all, shows colours, leaves the text on the screen: as git calls it.
  const env = { ...environment, LESS: environment.LESS ?? "FRX" };
  const isPlain = /^[\w./+-]+(?: +[\w./+=,:-]+)*$/.test(pager);
  const [program = pager, ...args] = isPlain ? pager.split(/ +/) : [pager];
  const child = spawn(program, args, { env, shell: !isPlain, stdio: ["pipe", "inherit", "inherit"] });
  const kill = (): void => void child.kill();
  signal.addEventListener("abort", kill);
  // Who closes it early does not read the rest.
  child.stdin.on("error", () => undefined);
  child.stdin.end(text);
  try {
    const [code, by] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
    // What a shell says of a command that it does not find, or cannot run.
    if (code === 127 || code === 126) return "missing";
    return signal.aborted || by === "SIGINT" || code === 130 ? "interrupted" : "closed";
  } catch {
    return "missing";
  } finally {
    signal.removeEventListener("abort", kill);
  }
}
