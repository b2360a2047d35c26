import { loadSuites, type SuiteResult } from "./suite.ts";

const width = 44;
const results: { readonly name: string; readonly source: string; readonly result: SuiteResult }[] = [];
for (const suite of await loadSuites())
  results.push({ name: suite.name, source: suite.source, result: await suite.run() });

const lines: string[] = [`${"suite".padEnd(width)} passed/total`];
for (const { name, source, result } of results) {
  const { passed, total, skipped } = result;
  lines.push(`${name.padEnd(width)} ${passed}/${total}`, `  ${source}`);
  if (skipped !== undefined) lines.push(`  not run: ${skipped}`);
}
const unintended = results.flatMap(({ result }) => result.differences.filter(({ why }) => why === undefined));
for (const { name, result } of results) {
  if (result.differences.length > 0) lines.push("", `Where ours differs from ${name}:`);
  const byReason = new Map<string, string[]>();
  for (const difference of result.differences) {
    const why = difference.why ?? "NOT INTENDED";
    byReason.set(why, [...(byReason.get(why) ?? []), `    ${difference.name}`]);
  }
  for (const [why, names] of byReason) lines.push(`  ${why}`, ...names);
}
lines.push("", unintended.length === 0 ? "Every difference is intended." : `${unintended.length} are not intended.`);
process.stdout.write(`${lines.join("\n")}\n`);
if (unintended.length > 0) process.exitCode = 1;
