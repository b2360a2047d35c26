// Bundles what users run and what programs import into dist/lib: node scripts/bundle.mjs
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import wabt from "wabt";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const statement = /^(import|export) (type )?\{([^}]*)\} from "(\.[^"]+)";/gm;

const namesIn = (list) =>
  list
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");

/** Of each door of src (an index.ts below a folder): what it exports, and from which module. */
const doors = new Map();
for (const name of readdirSync(join(root, "src"), { recursive: true })) {
  if (!name.endsWith("/index.ts")) continue;
  const door = join(root, "src", name);
  const origins = new Map();
  for (const [, , , list, specifier] of readFileSync(door, "utf8").matchAll(statement))
    for (const one of namesIn(list)) origins.set(one.replace(/^type /, ""), join(dirname(door), specifier));
  doors.set(door, origins);
}

/** Imports from modules themselves instead of doors: behind a door esbuild takes all of a folder for what any of it needs. */
const withoutDoors = (change = (source) => source) => ({
  name: "without-doors",
  setup({ onLoad }) {
    onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => {
      const contents = change(readFileSync(path, "utf8")).replace(statement, (whole, keyword, type = "", list, specifier) => {
        const origins = doors.get(join(dirname(path), specifier));
        if (origins === undefined) return whole;
        const modules = new Map();
        // A module of which only types are taken is not loaded.
        for (const one of namesIn(list).filter((name) => type !== "" || !name.startsWith("type "))) {
          const origin = origins.get(one.replace(/^type /, "").split(" as ")[0]);
          if (origin === undefined) throw new Error(`${path}: ${specifier} has no ${one}`);
          modules.set(origin, [...(modules.get(origin) ?? []), one]);
        }
        const from = (origin) => `./${relative(dirname(path), origin)}`;
        return [...modules].map(([to, names]) => `${keyword} ${type}{ ${names.join(", ")} } from "${from(to)}";`).join(" ");
      });
      return { contents, loader: "ts" };
    });
  },
});

/** Bundles what modules load while they run, where otherwise it is installed beside them. */
const withRequired = (source) =>
  source
    .replace("const require = createRequire(import.meta.url);", "")
    .replaceAll("createRequire(import.meta.url)(", "require(");

/** Leaves out what yargs would lay its help out with, 20 ms of tables of Unicode at each start: the help is our own. */
const withoutLayout = {
  name: "without-layout",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(cliui|string-width)$/ }, ({ path }) => ({ path, namespace: "without-layout" }));
    onLoad({ filter: /./, namespace: "without-layout" }, ({ path }) => ({
      contents: `export default () => { throw new TypeError("${path} is not in the bundle"); };`,
    }));
  },
};

/** Leaves out what talks to object stores: a task keeps nothing. */
const withoutObjectStores = {
  name: "without-object-stores",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^@aws-sdk\// }, ({ path }) => ({ path, namespace: "without-object-stores" }));
    onLoad({ filter: /./, namespace: "without-object-stores" }, () => ({ contents: "module.exports = {};" }));
  },
};

const options = {
  absWorkingDir: root,
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20",
  // Dev dependencies are bundled: what draws figures is a tenth of its packages, and yargs starts in half the time.
  // DuckDB is installed by who wants it.
  external: [...Object.keys(dependencies), "canvas", "@duckdb/node-api"],
  // The client of S3 would tell users on standard error that its later versions need a later Node.
  define: { "process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED": '"true"' },
  minifyWhitespace: true,
  // The client of S3 has modules that can be taken in part only under this name.
  mainFields: ["module", "main"],
  outdir: "dist/lib",
  entryNames: "[name]",
  logLevel: "warning",
  plugins: [withoutDoors(), withoutLayout],
};
const threads = [
  "exporter/walk/listing-worker",
  "exporter/digest/digest-worker",
  "storage/mirror/file-worker",
  "analysis/rank-worker",
  "crawler/web/batch-worker",
];

rmSync(join(root, "dist", "lib"), { recursive: true, force: true });
const { metafile } = await build({
  ...options,
  entryPoints: ["src/index.ts", "src/cli/main.ts"],
  splitting: true,
  chunkNames: "part-[hash]",
  metafile: true,
});
await build({ ...options, entryPoints: threads.map((name) => `src/${name}.ts`) });
// What BOINC's clients run is one file, but for the native half of the database: TIDEMARK_LIBSQL says where that lies.
const { metafile: task } = await build({
  ...options,
  entryPoints: ["src/cli/work/task-worker.ts"],
  external: [],
  plugins: [withoutDoors(withRequired), withoutObjectStores],
  banner: {
    js: `import { createRequire as requireFrom } from "node:module";
const requireHere = requireFrom(import.meta.url);
const require = (name) => requireHere(name.startsWith("@libsql/") ? process.env.TIDEMARK_LIBSQL : name);`,
  },
  metafile: true,
});

// The loop in WebAssembly lies beside the thread that loads it: what users run, and what tests run.
const { parseWat } = await wabt();
const loop = readFileSync(join(root, "src", "analysis", "rank-kernel.wat"), "utf8");
const { buffer } = parseWat("rank-kernel.wat", loop, { threads: true }).toBinary({});
for (const folder of ["lib", "src/analysis"]) writeFileSync(join(root, "dist", folder, "rank-kernel.wasm"), buffer);

const packagesIn = ({ inputs }) =>
  Object.keys(inputs).flatMap((path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []);

// Which packages each file holds: the tests look what a command loads.
const contents = Object.entries({ ...metafile.outputs, ...task.outputs }).map(([path, output]) => [path, [...new Set(packagesIn(output))]]);
writeFileSync(join(root, "dist", "bundle.json"), JSON.stringify(Object.fromEntries(contents)));

// The licenses of what is bundled ask to be passed on with it.
const packages = new Set(contents.flatMap(([, folders]) => folders));
const licenses = [...packages].sort().map((folder) => {
  const { name, version, license } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
  const file = readdirSync(join(root, folder)).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file === undefined ? "" : readFileSync(join(root, folder, file), "utf8").trim();
  return `${name} ${version} (${license})\n\n${text}\n`;
});
writeFileSync(join(root, "dist", "lib", "third-party-licenses.txt"), licenses.join(`\n${"-".repeat(80)}\n\n`));
