import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { requireProgram } from "./programs.ts";

// The client would wait while the machine is busy or in use.
const preferences = `<global_preferences>
<run_on_batteries>1</run_on_batteries>
<run_if_user_active>1</run_if_user_active>
<suspend_cpu_usage>0</suspend_cpu_usage>
<work_buf_min_days>0.2</work_buf_min_days>
<work_buf_additional_days>0.2</work_buf_additional_days>
<disk_max_used_gb>5</disk_max_used_gb>
</global_preferences>
`;

const configuration = `<cc_config>
<log_flags><task>1</task><file_xfer>1</file_xfer><sched_ops>1</sched_ops><sched_op_debug>1</sched_op_debug></log_flags>
<options>
<report_results_immediately>1</report_results_immediately>
<max_file_xfers>16</max_file_xfers>
<max_file_xfers_per_project>16</max_file_xfers_per_project>
<ncpus>4</ncpus>
<no_gpus>1</no_gpus>
</options>
</cc_config>
`;

/** Debian's BOINC client, as it is, with a folder of its own. */
export interface BoincClient {
  /** What it logged until now. */
  log(): string;
  /** Waits until something is so. @throws with the log if it is not within the time */
  waitFor(isSo: () => boolean, timeoutMs: number): Promise<void>;
  stop(): Promise<void>;
}

/** A port that was free a moment ago. */
export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/**
 * Starts a client that attaches to a project.
 *
 * @param folder - does not exist yet
 * @param ca - certificates in PEM that it trusts
 * @param own - files of its own application: `app_info.xml` and what that names
 */
export async function startBoincClient(
  folder: string,
  masterUrl: string,
  accountKey: string,
  ca: string,
  own: Readonly<Record<string, string | Uint8Array>> = {},
): Promise<BoincClient> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "cc_config.xml"), configuration);
  writeFileSync(join(folder, "global_prefs_override.xml"), preferences);
  writeFileSync(join(folder, "ca-bundle.crt"), ca);
  // The folder's name is the URL without its scheme; what is no letter, digit or dot becomes `_`.
  const { host } = new URL(masterUrl);
  const project = join(folder, "projects", host.replace(/[^\w.-]/g, "_"));
  mkdirSync(project, { recursive: true });
  for (const [name, content] of Object.entries(own)) writeFileSync(join(project, name), content, { mode: 0o755 });
  const logFile = join(folder, "client.log");
  const descriptor = openSync(logFile, "w");
  const child: ChildProcess = spawn(
    requireProgram("boinc"),
    [
      ...["--dir", folder, "--allow_multiple_clients", "--no_info_fetch", "--skip_cpu_benchmarks", "--no_gpus"],
      ...["--gui_rpc_port", String(await findFreePort()), "--attach_project", masterUrl, accountKey],
    ],
    {
      cwd: folder,
      stdio: ["ignore", descriptor, descriptor],
      detached: true,
      env: { ...process.env, TIDEMARK_ALLOW_PRIVATE: "1" },
    },
  );
  closeSync(descriptor);
  const log = (): string => readFileSync(logFile, "utf8");
  return {
    log,
    async waitFor(isSo, timeoutMs) {
      for (const end = performance.now() + timeoutMs; !isSo(); ) {
        if (performance.now() > end) throw new Error(`the client took longer than ${timeoutMs} ms:\n${log()}`);
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const closed = once(child, "exit");
      child.kill("SIGTERM");
      const late = setTimeout(() => child.kill("SIGKILL"), 10_000);
      await closed;
      clearTimeout(late);
      try {
        // Tasks that it left behind.
        process.kill(-(child.pid ?? 0), "SIGKILL");
      } catch {}
    },
  };
}
