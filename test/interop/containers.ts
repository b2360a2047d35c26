import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { repositoryFolder } from "../repository-folder.ts";
import { requireCached, requireProgram, skipWithout, skipWithoutCached } from "./programs.ts";

const cached = "containers-1";
const longestMs = 110_000;

/** Containers with images and networks of these tests' own, in the cache of `setup.sh`. */
export class Containers {
  readonly #folder = requireCached(cached);
  readonly #environment: NodeJS.ProcessEnv;

  /** @param environment - what the compose file asks for */
  constructor(environment: Readonly<Record<string, string>> = {}) {
    this.#environment = {
      ...{ ...process.env, ...environment },
      CONTAINERS_CONF: join(this.#folder, "containers.conf"),
      CONTAINERS_STORAGE_CONF: join(this.#folder, "storage.conf"),
      PATH: `${process.env.PATH ?? ""}:/usr/sbin:/sbin`,
    };
  }

  /** What `node:test` takes as `skip` where no containers can run. */
  static skip(): string | false {
    if (process.getuid?.() !== 0) return "needs root to start containers";
    return skipWithout("podman", "buildah", "runc") || skipWithoutCached(cached);
  }

  /**
   * Builds the image of the `Dockerfile`; what `setup.sh` built of it before is taken from its layers.
   *
   * @throws if the build fails
   */
  build(tag: string): void {
    const options = ["--isolation=chroot", "--network=host", "--layers", "--pull-never"];
    // The stage of the build has a name, so that its layers outlive what is pruned.
    for (const stage of [
      ["--target", "build", "--tag", "localhost/tidemark-build"],
      ["--tag", tag],
    ])
      this.#run(requireProgram("buildah"), ["build", ...options, ...stage, repositoryFolder()]);
  }

  /** @returns what it wrote to stdout. @throws if it fails */
  podman(...args: readonly string[]): string {
    return this.#run(requireProgram("podman"), args);
  }

  /** What a container or a command in one came to. */
  tryPodman(...args: readonly string[]): { readonly status: number | null; readonly output: string } {
    const { status, stdout, stderr } = this.#spawn(requireProgram("podman"), args);
    return { status, output: stdout + stderr };
  }

  /** Runs podman-compose on `container/compose.yaml`. @throws if it fails */
  compose(project: string, ...args: readonly string[]): string {
    const file = join(repositoryFolder(), "container", "compose.yaml");
    return this.#run(join(this.#folder, "compose", "bin", "podman-compose"), [
      ...["--project-name", project, "--file", file],
      ...args,
    ]);
  }

  #run(program: string, args: readonly string[]): string {
    const { status, stdout, stderr } = this.#spawn(program, args);
    if (status !== 0)
      throw new Error(`${program} ${args.join(" ")}: ${status}\n${stdout.slice(-2000)}${stderr.slice(-4000)}`);
    return stdout;
  }

  #spawn(program: string, args: readonly string[]) {
    return spawnSync(program, args, {
      encoding: "utf8",
      env: this.#environment,
      timeout: longestMs,
      maxBuffer: 2 ** 26,
    });
  }
}
