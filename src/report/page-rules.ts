import { themeRules } from "./theme.ts";

/** CSS of a page of text, tables and figures, for light and dark, from the width of a telephone on. What is wider scrolls in `.wide`. */
export const pageRules: string = [
  themeRules(":root"),
  "body{margin:0 auto;max-width:58rem;padding:1.5rem 1rem 4rem;font:16px/1.5 system-ui,'DejaVu Sans',sans-serif;",
  "color:var(--ink);background:var(--background)}",
  "h1{font-size:1.6rem;line-height:1.25;overflow-wrap:anywhere}h2{font-size:1.25rem;margin-top:3rem;border-top:1px solid var(--quiet);padding-top:1rem}",
  "p{max-width:46rem;overflow-wrap:anywhere}.quiet,figcaption{color:var(--quiet);font-size:.9rem}figure{margin:1.5rem 0}",
  "figure svg{display:block;width:100%;height:auto;min-width:40rem;max-width:45rem}a{color:var(--series-0)}",
  "figure .telephone{display:none}.telephone svg{min-width:0;max-width:22.5rem}",
  "@media screen and (max-width:44rem){figure .desk{display:none}figure .telephone{display:block}}",
  ".wide{overflow-x:auto}table{border-collapse:collapse;font-size:.9rem;margin:1rem 0}",
  "th,td{text-align:left;vertical-align:top;padding:.35rem .9rem .35rem 0;border-bottom:1px solid var(--quiet)}",
  "td.n,th.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}",
  ".lead{font-size:1.15rem}.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(10.5rem,1fr));gap:.75rem;margin:1.5rem 0}",
  ".tiles div{border:1px solid var(--quiet);border-radius:.4rem;padding:.6rem .9rem}.tiles dt{color:var(--quiet);font-size:.9rem}",
  ".tiles dd{margin:0}.tiles strong{display:block;font-size:1.5rem;line-height:1.3;font-variant-numeric:tabular-nums}",
  "pre{white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid var(--quiet);border-radius:.4rem;padding:.6rem .9rem;font-size:.85rem}",
  "@media print{body{max-width:none;padding:0}figure,table,.tiles,pre{break-inside:avoid}.wide{overflow:visible}}",
  "td.address{overflow-wrap:anywhere;min-width:6.5rem}.at{white-space:nowrap}nav ol{padding-left:1.5rem}nav li{padding:.15rem 0}h3{font-size:1rem;margin:1.5rem 0 .5rem}",
  "table.verdicts{table-layout:fixed;width:100%;max-width:46rem;margin-top:0}.verdicts th[colspan]{font-weight:400;border:0;padding:.6rem 0 0}",
  ".verdicts th,.verdicts td{box-sizing:border-box;padding-right:.5rem;overflow-wrap:break-word}.verdicts thead th:first-child{width:22%}.verdicts thead th:nth-child(2){width:18%}",
  ".verdicts thead th:nth-child(3){width:37%}",
  ".verdicts tbody tr:nth-child(2):not(:last-child) td{border-bottom:0}tr.why td{color:var(--quiet);padding-top:0}",
  ".met{color:var(--series-2)}.explained{color:var(--series-1)}.missed{color:var(--theirs);font-weight:600}",
].join("");
