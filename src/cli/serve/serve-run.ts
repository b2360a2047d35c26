import { isUtf8 } from "node:buffer";
import { omitUndefined, TidemarkError } from "../../core/index.ts";
import { formatNginxMap, type ServeOptions, serveFolder } from "../../server/index.ts";
import { type MirroredPage, openMirroredPages } from "../../storage/index.ts";
import type { RunContext } from "../terminal/command.ts";
import { type ExitCode, exitCodes } from "../terminal/exit-code.ts";

/** What the command line says about a server. */
interface ServeArguments extends Pick<ServeOptions, "folder" | "host" | "port"> {
  readonly allowHosts?: readonly string[];
  /** The crawler's state of a mirror; undefined for the one beside it. */
  readonly stateFile?: string;
  /** Whether a map for nginx is printed instead. */
  readonly nginx?: boolean;
}

/** Prints the map of a mirror. */
function printNginxMap(folder: string, pages: Iterable<MirroredPage> | undefined, { out, err }: RunContext): ExitCode {
  if (pages === undefined)
    throw new TidemarkError("not-found", `${folder} is not a mirror: no crawler's state belongs to it.`, {
      hint: "Name a site's folder below that of tidemark crawl --into, such as mirrors/example.org; name its state with --state.",
      details: { folder },
    });
  const nameOf = ({ names }: MirroredPage): Buffer => Buffer.from(names, "latin1");
  // What is printed is text.
  function* texts(from: Iterable<MirroredPage>): Generator<MirroredPage, void, void> {
    for (const page of from) if (isUtf8(nameOf(page))) yield { ...page, names: nameOf(page).toString() };
  }
  let left = 0;
  for (const page of pages) if (!isUtf8(nameOf(page))) left++;
  for (const piece of formatNginxMap(() => texts(pages))) out.write(piece);
  if (left === 0) return exitCodes.done;
  err.write(`${left} ${left === 1 ? "page is" : "pages are"} left out, because the file name is not UTF-8\n`);
  return exitCodes.itemsFailed;
}

/** Serves until a signal comes, which is how it is meant to end. */
export async function runServe(options: ServeArguments, context: RunContext): Promise<ExitCode> {
  const { out, err, json, quiet, signal } = context;
  const { folder, host, allowHosts: allowedHosts, port = 8080, stateFile, nginx } = options;
  using pages = openMirroredPages(folder, stateFile);
  if (nginx) return printNginxMap(folder, pages, context);
  const counts = { requests: 0, notModified: 0, bytes: 0 };
  const server = await serveFolder({
    folder,
    ...omitUndefined({ host, allowedHosts }),
    port,
    pages,
    onRequest: (entry) => {
      counts.requests++;
      counts.bytes += entry.bytes;
      if (entry.status === 304) counts.notModified++;
      if (json) out.writeJson({ event: "request", ...entry });
      else if (!quiet) out.write(`${entry.method} ${entry.path} ${entry.status} ${entry.bytes}\n`);
    },
  });
  try {
    if (json) out.writeJson({ event: "listening", url: server.url, port: server.port });
    else if (!quiet) err.write(`serving ${folder} at ${server.url} (Ctrl-C ends)\n`);
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  } finally {
    await server.close();
  }
  if (json) out.writeJson({ event: "summary", ...counts });
  return exitCodes.done;
}
