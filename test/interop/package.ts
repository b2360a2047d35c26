import { execFile } from "node:child_process";
import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { repositoryFolder } from "../repository-folder.ts";
import { cacheFolder, requireProgram } from "./programs.ts";

const run = promisify(execFile);

/** What `npm pack` made. */
export interface Package {
  /** The file to install. */
  readonly file: string;
  readonly sizeBytes: number;
  /** Paths of the files in it. */
  readonly paths: readonly string[];
}

interface PackReport {
  readonly filename: string;
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

/** The npm of this machine as a file, to be run by any Node, and packed into other machines. */
export function findNpmCli(): string {
  return realpathSync(requireProgram("npm"));
}

/** Where npm keeps what it fetched for these tests. */
export function npmCacheFolder(): string {
  return join(cacheFolder(), "npm");
}

/** Packs the project as it is built, as it would be published. */
export async function packProject(destination: string): Promise<Package> {
  const args = [findNpmCli(), "pack", "--ignore-scripts", "--json", "--pack-destination", destination];
  const { stdout } = await run(process.execPath, args, { cwd: repositoryFolder(), maxBuffer: 16 * 1024 * 1024 });
  const [report] = JSON.parse(stdout) as PackReport[];
  if (report === undefined) throw new Error(`npm pack says ${stdout}`);
  const paths = report.files.map((file) => file.path);
  return { file: join(destination, report.filename), sizeBytes: report.size, paths };
}

/** The environment of somebody who has this Node, the programs of every system, and nothing else. */
export function bareEnvironment(node: string, home: string): NodeJS.ProcessEnv {
  return { PATH: `${dirname(node)}:/usr/sbin:/sbin:/bin`, HOME: home, NO_COLOR: "1" };
}

/**
 * Installs the package into a folder of its own, as its users do.
 *
 * @param node - the Node that installs
 * @returns the installed command
 */
export async function installPackage(node: string, packed: Package, folder: string): Promise<string> {
  const options = ["--prefix", folder, "--cache", npmCacheFolder(), "--prefer-offline", "--no-audit", "--no-fund"];
  // How the registry is reached is this machine's affair: proxies, certificates, settings of npm.
  const env = { ...process.env, ...bareEnvironment(node, folder) };
  await run(node, [findNpmCli(), "install", ...options, packed.file], { env, cwd: folder, timeout: 60_000 });
  return join(folder, "node_modules", ".bin", "tidemark");
}
