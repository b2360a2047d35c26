import { serveFolder } from "../serve/index.ts";
import type { RunContext } from "./command.ts";
import { type ExitCode, exitCodes } from "./exit-code.ts";
import type { ServeArguments } from "./serve-command.ts";

/** Serves until a signal comes, which is how it is meant to end. */
export async function runServe(options: ServeArguments, context: RunContext): Promise<ExitCode> {
  const { out, err, json, quiet, signal } = context;
  const counts = { requests: 0, notModified: 0, bytes: 0 };
  const server = await serveFolder({
    ...options,
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
    else if (!quiet) err.write(`serving ${options.folder} at ${server.url} (Ctrl-C ends)\n`);
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  } finally {
    await server.close();
  }
  if (json) out.writeJson({ event: "summary", ...counts });
  return exitCodes.done;
}
