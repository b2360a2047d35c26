import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { TidemarkError } from "../../core/index.ts";
import { type ProposeSiteOptions, proposeSite, type SiteProposal } from "../../exporter/index.ts";
import { writeTextFile } from "../../fs/index.ts";
import { ExportPrinter } from "../export/export-printer.ts";
import { printSummary, type RunContext } from "../terminal/command.ts";
import { type ExitCode, exitCodes } from "../terminal/exit-code.ts";
import { wrapText } from "../terminal/text-layout.ts";

/** What the command line says about a configuration that is to be proposed. */
interface InitArguments extends ProposeSiteOptions {
  readonly writeFile?: string;
  readonly force?: boolean;
}

/** Proposes a configuration, prints it with what it would do, and writes it if that was asked for. */
export async function runInit(options: InitArguments, context: RunContext): Promise<ExitCode> {
  const { out, signal } = context;
  const { writeFile, force = false, ...asked } = options;
  const file = writeFile === undefined ? undefined : resolve(writeFile);
  if (file !== undefined && !force && existsSync(file)) {
    throw new TidemarkError("bad-option", `${file} exists already.`, {
      hint: "Name another file, or overwrite this one with --force.",
    });
  }
  const printer = new ExportPrinter(context, true);
  const onEvent: ProposeSiteOptions["onEvent"] = (event) => printer.take(event);
  const proposal = await printer.during(proposeSite({ ...asked, signal, onEvent }));
  const configuration = formatConfiguration(proposal);
  if (file !== undefined) await writeTextFile(file, configuration, { overwrite: force });
  printSummary(context, { ...proposal, configuration: JSON.parse(configuration), file }, () =>
    formatProposal(proposal, configuration, printer.result(proposal.summary), {
      file,
      server: asked.serverUrl,
      columns: Math.min(100, out.columns),
    }),
  );
  return exitCodes.done;
}

const sources = {
  option: "from the command line",
  "robots.txt": "found in robots.txt; check it",
  "home page": "found in the home page; check it",
  server: "the server's own address; check it",
} as const;

/** A configuration file with one site. */
function formatConfiguration({ settings }: SiteProposal): string {
  const schema = findSchema();
  return `${JSON.stringify({ ...(schema === undefined ? {} : { $schema: schema }), sites: [settings] }, undefined, 2)}\n`;
}

/** Editors take an address of the file system too; the package may be anywhere. */
function findSchema(): string | undefined {
  let folder = new URL(".", import.meta.url);
  while (!existsSync(new URL("package.json", folder)) && folder.pathname !== "/") folder = new URL("..", folder);
  const schema = new URL("docs/tidemark.schema.json", folder);
  return existsSync(fileURLToPath(schema)) ? schema.href : undefined;
}

interface ProposalView {
  /** Where the configuration was written to. */
  readonly file: string | undefined;
  /** The address of the server, if one was given. */
  readonly server: string | undefined;
  readonly columns: number;
}

/**
 * A proposal, for people.
 *
 * @param dryRun - what an export would do
 */
function formatProposal(proposal: SiteProposal, configuration: string, dryRun: string, view: ProposalView): string {
  const { file, columns } = view;
  const { settings, baseUrlFrom, findings } = proposal;
  const notes = [
    wrapText(`${settings.baseUrl} (${sources[baseUrlFrom]})`, columns, "  site    ", "          "),
    wrapText(settings.docroot, columns, "  docroot ", "          "),
    wrapText(
      settings.serverUser === undefined
        ? "no web server's user was found: only files that everybody may read are published"
        : `seems to run as ${settings.serverUser}; files that this user cannot read are held back`,
      columns,
      "  server  ",
      "          ",
    ),
    ...findings.map(({ isFine, message }) =>
      wrapText(message, columns, isFine ? "  ok      " : "  CHECK   ", "          "),
    ),
    ...(findings.length === 0 ? ["  server  was not asked; name it with --base-url or --server\n"] : []),
  ];
  const where = file === undefined ? "The configuration (--write FILE writes it):" : `The configuration, in ${file}:`;
  return `${notes.join("")}\n${where}\n\n${configuration}\n${dryRun}\n${formatNext(proposal, view)}`;
}

function formatNext({ settings }: SiteProposal, { file, server }: ProposalView): string {
  const { docroot, baseUrl, stateDir, serverUser, exclude = [], index = [], cleanUrls, map = [], ssi } = settings;
  const host = new URL(baseUrl).hostname;
  const config = shellWord(file ?? "/etc/tidemark.json");
  const lines = ["Next:"];
  if (file === undefined) {
    const state = stateDir === undefined ? "" : ` --state ${shellWord(stateDir)}`;
    const asked = server === undefined ? "" : ` --server ${shellWord(server)}`;
    lines.push(`  tidemark init ${shellWord(docroot)} --base-url ${baseUrl}${asked}${state} --write ${config}`);
  }
  lines.push(`  tidemark export --config ${config}`, `  tidemark status --config ${config}`);
  const given = [
    ...(serverUser === undefined ? [] : [`--server-user ${serverUser}`]),
    ...exclude.map((path) => `--exclude ${path}`),
    ...index.map((name) => `--index ${name}`),
    ...(cleanUrls === true ? ["--clean-urls"] : []),
    ...map.map(({ urlPrefix, folder }) => `--map ${urlPrefix}=${folder}`),
    ...(ssi === undefined ? [] : [`--ssi ${ssi}`]),
  ];
  const options = [
    ...(baseUrl === `https://${host}/` ? [] : [`BASE_URL=${baseUrl}`]),
    ...(given.length === 0 ? [] : [`OPTIONS=${given.join(" ")}`]),
  ];
  lines.push(
    "",
    "To export every night with systemd, with options instead of the file, prepare",
    "the machine as in docs/operations.md of the package; then:",
    `  ln -s ${shellWord(docroot)} /etc/tidemark/${host}`,
    ...options.map((option) => `  echo '${option}' >> /etc/tidemark/${host}.conf`),
    `  systemctl enable --now tidemark-export@${host}.timer`,
    "Or with a line for cron and the file:",
    `  17 2 * * * tidemark export --config ${config} --quiet`,
  );
  return `${lines.join("\n")}\n`;
}

function shellWord(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
