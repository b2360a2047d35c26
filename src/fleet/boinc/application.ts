import { createHash, createPublicKey, type KeyObject } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { TidemarkError, wrapSystemError } from "../../core/index.ts";
import { makeMissingFolder, writeDurably } from "../../fs/index.ts";
import { formatCodeSignKey, isSignedBy, signFile } from "./code-signing.ts";

/** The name by which clients know the application, also in `app_info.xml`. */
export const applicationName = "tidemark_work";

/** A signed file of the application. */
export interface SignedFile {
  readonly name: string;
  readonly sizeBytes: number;
  readonly md5: string;
  readonly signature: string;
  readonly isMain: boolean;
}

/** The application that volunteers download. */
export interface Application {
  readonly versionNum: number;
  /** BOINC's names of the platforms that it runs on. */
  readonly platforms: readonly string[];
  /** The public key in PEM, and as clients read it. */
  readonly publicKey: string;
  readonly codeSignKey: string;
  readonly files: readonly SignedFile[];
}

/** Platforms with a POSIX shell; BOINC's names. */
export const shellPlatforms: readonly string[] = [
  "x86_64-pc-linux-gnu",
  "aarch64-unknown-linux-gnu",
  "arm-unknown-linux-gnueabihf",
  "x86_64-apple-darwin",
  "arm64-apple-darwin",
];

const manifestName = "application.json";

function describeMain(script: string): string {
  return [
    "#!/bin/sh",
    "# One task: reads the file unit, writes the file result.",
    'here=$(dirname "$0")',
    // Where Node is, though not in the short PATH of a service.
    'PATH="$PATH:/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin"',
    "rm -f result",
    `node "$here/${script}" --in unit --out result`,
    "status=$?",
    // A result may say that its site could not be reached. Without the last file the client starts a task again.
    "[ -s result ] || exit $((status ? status : 1))",
    "echo 0 >boinc_finish_called",
    "",
  ].join("\n");
}

/**
 * Signs a program as the application of volunteers and writes it where the server finds it. The client starts a shell
 * script, and that Node with the program.
 *
 * @param program - JavaScript, whole in one file, started with `--in unit --out result`: files of a unit and of its result
 * @param versionNum - grows with each program: clients never download a file of the same name again
 */
export async function writeApplication(
  folder: string,
  program: Uint8Array,
  versionNum: number,
  key: KeyObject,
): Promise<Application> {
  const main = `${applicationName}_${versionNum}`;
  const script = `${main}.mjs`;
  const contents: ReadonlyArray<readonly [string, Uint8Array]> = [
    [main, Buffer.from(describeMain(script))],
    [script, program],
  ];
  const files = contents.map(([name, bytes]): SignedFile => {
    const md5 = createHash("md5").update(bytes).digest("hex");
    return { name, sizeBytes: bytes.length, md5, signature: signFile(md5, key), isMain: name === main };
  });
  const application: Application = {
    versionNum,
    platforms: shellPlatforms,
    publicKey: createPublicKey(key as never).export({ type: "spki", format: "pem" }) as string,
    codeSignKey: formatCodeSignKey(key),
    files,
  };
  makeMissingFolder(folder);
  for (const [name, bytes] of contents) await writeDurably(join(folder, name), bytes);
  await writeDurably(join(folder, manifestName), Buffer.from(`${JSON.stringify(application, undefined, 2)}\n`));
  return application;
}

/**
 * Reads what {@link writeApplication} wrote.
 *
 * @returns the application, and the bytes of its files by their names
 * @throws TidemarkError `not-found`; `state-corrupt` if a file is not as it was signed
 */
export function readApplication(folder: string): {
  readonly application: Application;
  readonly applicationBytes: ReadonlyMap<string, Uint8Array>;
} {
  const file = join(folder, manifestName);
  let application: Application;
  try {
    application = JSON.parse(readFileSync(file, "utf8")) as Application;
  } catch (error) {
    if (error instanceof SyntaxError) throw damaged(file);
    throw wrapSystemError(error, `read ${file}`, { file });
  }
  const key = createPublicKey(application.publicKey);
  const applicationBytes = new Map<string, Uint8Array>();
  for (const { name, md5, signature } of application.files) {
    const path = join(folder, name);
    const bytes = readSigned(path);
    const found = createHash("md5").update(bytes).digest("hex");
    if (found !== md5 || !isSignedBy(key, md5, signature)) throw damaged(path);
    applicationBytes.set(name, bytes);
  }
  return { application, applicationBytes };
}

function readSigned(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (error) {
    throw wrapSystemError(error, `read ${file}`, { file });
  }
}

function damaged(file: string): TidemarkError {
  return new TidemarkError("state-corrupt", `The application is not as it was signed: ${file}`, {
    hint: "Run `tidemark volunteers init` again, on the machine that has the signing key.",
    details: { file },
  });
}
