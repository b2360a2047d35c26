import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { repositoryFolder } from "../repository-folder.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { readDocumentCode } from "./document-code.ts";
import { installPackage, npmCacheFolder, type Package, packProject } from "./package.ts";
import { requireCached, requireProgram, skipWithout, skipWithoutCached } from "./programs.ts";

const tree = "fresh-1";
const longestMs = 150_000;
const machineName = `tidemark-${process.pid}`;

// The trial is a unit, so that it has a whole systemd to speak to; when it ends, so does the machine.
const trialUnit = `[Unit]
Requires=basic.target
After=basic.target
SuccessAction=poweroff-force
FailureAction=poweroff-force
[Service]
Type=oneshot
ExecStart=/bin/bash /trial/fresh-machine.sh
`;

/** Control groups of a process's own, that vanish with their scope. */
interface ControlGroup {
  /** The words of a command that runs another in them. */
  readonly wrap: (...command: readonly string[]) => string[];
  readonly [Symbol.dispose]: () => void;
}

const mounts = ["/sys/fs/cgroup/systemd", "/sys/fs/cgroup/unified"];

function removeTree(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) removeTree(join(folder, entry.name));
  rmdirSync(folder);
}

/**
 * Makes a control group in each hierarchy that a machine's systemd wants to work in, so that two machines do
 * not share one. None where the host runs a systemd, which does this itself.
 */
function makeControlGroup(name: string): ControlGroup {
  const own = existsSync("/run/systemd/system") ? [] : mounts.filter((mount) => existsSync(mount));
  const folders = own.map((mount) => join(mount, name));
  for (const folder of folders) mkdirSync(folder);
  return {
    wrap: (...command) => {
      const enter = folders.map((folder) => `echo $$ >${folder}/cgroup.procs; `).join("");
      return ["sh", "-c", `${enter}exec "$@"`, "sh", ...command];
    },
    [Symbol.dispose]: () => {
      for (const folder of folders) removeTree(folder);
    },
  };
}

/** What a step of `fresh-machine.sh` said and how it ended. */
export interface Step {
  readonly text: string;
  readonly exitCode: number;
}

/** A machine of the cached tree, but for what it is to do. */
function machineCommand(): string[] {
  // Where nobody can be asked for a control group, it makes do with the one it is in.
  const unit = existsSync("/run/systemd/system") ? [] : ["--keep-unit"];
  const network = ["--private-network", "--resolv-conf=off"];
  const layers = ["--directory", requireCached(tree), "--volatile=overlay", "--machine", machineName];
  return [
    requireProgram("systemd-nspawn"),
    "--quiet",
    "--register=no",
    ...unit,
    "--link-journal=no",
    ...network,
    ...layers,
  ];
}

/** What `node:test` takes as `skip` where no machine can be made and started; in CI, and as root, never. */
export function skipWithoutMachine(): string | false {
  if (process.getuid?.() !== 0) return "needs root to start a machine";
  const missing = skipWithout("systemd-nspawn", "npm") || skipWithoutCached(tree, "node-24");
  if (missing !== false || process.env.CI === "true") return missing;
  using group = makeControlGroup(machineName);
  const [program = "", ...args] = group.wrap(...machineCommand(), "--as-pid2", "/bin/true");
  const { status, stderr } = spawnSync(program, args, { encoding: "utf8" });
  return status === 0 ? false : `no machine can be started here: ${stderr}`;
}

/**
 * Runs one program on such a machine, without its systemd; it sees a folder as /trial.
 *
 * @returns what it printed
 */
export function runOnMachine(trial: string, ...command: readonly string[]): string {
  using group = makeControlGroup(machineName);
  const bind = ["--bind", `${trial}:/trial`, "--as-pid2", "--"];
  const [program = "", ...args] = group.wrap(...machineCommand(), ...bind, ...command);
  const { stdout, stderr } = spawnSync(program, args, { encoding: "utf8", timeout: longestMs });
  return stdout + stderr;
}

/** The machine has no network: what the package needs must be in npm's cache. Once for each list of dependencies. */
async function fillNpmCache(packed: Package, folder: string): Promise<void> {
  const lockFile = readFileSync(join(repositoryFolder(), "package-lock.json"), "utf8");
  const mark = join(npmCacheFolder(), "filled-for");
  if (existsSync(mark) && readFileSync(mark, "utf8") === lockFile) return;
  const installed = join(folder, "installed");
  mkdirSync(installed);
  await installPackage(join(requireCached("node-24"), "node_modules", "node", "bin", "node"), packed, installed);
  writeFileSync(mark, lockFile);
}

/**
 * Starts a fresh Debian with its own systemd, runs `fresh-machine.sh` in it, and throws it away.
 *
 * The machine is the cached tree under a layer of memory, in namespaces of its own (systemd-nspawn): its own
 * processes, users, mounts and loopback, and this machine's kernel. The units run under every restriction that
 * they state. Not covered: IPAddressDeny and DevicePolicy, which need a control group that a machine in a
 * machine may not have (PrivateNetwork, RestrictAddressFamilies and PrivateDevices hold beside them), and that
 * the timer fires: its next time is asked for, and not waited for.
 *
 * @returns the steps by name
 * @throws if the machine does not start, or did not come to its end
 */
export async function runFreshMachine(): Promise<(name: string) => Step> {
  using temp = makeTempFolder("fresh-machine");
  const trial = join(temp.path, "trial");
  mkdirSync(join(trial, "out"), { recursive: true });
  const packed = await packProject(temp.path);
  copyFileSync(packed.file, join(trial, "tidemark.tgz"));
  await fillNpmCache(packed, temp.path);
  cpSync(npmCacheFolder(), join(trial, "npm"), { recursive: true });
  for (const name of ["fresh-machine.sh", "fresh-machine-probe.sh"])
    copyFileSync(join(repositoryFolder(), "test", "interop", name), join(trial, name));
  for (const name of ["install", "upgrade", "remove-site", "remove-program", "cron-user"])
    writeFileSync(join(trial, `${name}.sh`), readDocumentCode("docs/operations.md", `sh ${name}`));
  writeFileSync(join(trial, "cron.txt"), readDocumentCode("docs/operations.md", "cron"));
  writeFileSync(join(trial, "nginx.conf"), readDocumentCode("docs/nginx.md", "nginx"));
  writeFileSync(join(trial, "apache.conf"), readDocumentCode("docs/apache.md", "apache"));
  writeFileSync(join(trial, "trial.service"), trialUnit);

  using group = makeControlGroup(machineName);
  const [program = "", ...args] = group.wrap(
    ...machineCommand(),
    ...["--bind", `${trial}:/trial`, "--bind-ro", `${trial}/trial.service:/etc/systemd/system/trial.service`],
    ...["--boot", "--", "systemd.unit=trial.service", "--show-status=0"],
  );
  const machine = spawn(program, args, {
    stdio: ["ignore", "pipe", "pipe"],
    timeout: longestMs,
    killSignal: "SIGKILL",
  });
  let said = "";
  for (const stream of [machine.stdout, machine.stderr])
    stream.on("data", (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-4000);
    });
  await once(machine, "close");
  const read = (name: string): string => readFileSync(join(trial, "out", name), "utf8");
  if (!existsSync(join(trial, "out", "end"))) throw new Error(`the machine did not come to its end: ${said}`);
  const steps = new Map<string, Step>();
  for (const file of readdirSync(join(trial, "out"))) {
    const name = file.replace(/\.code$/, "");
    if (name !== file) steps.set(name, { text: read(name), exitCode: Number(read(file)) });
  }
  return (name) => {
    const step = steps.get(name);
    if (step === undefined) throw new Error(`no step ${name}`);
    return step;
  };
}
