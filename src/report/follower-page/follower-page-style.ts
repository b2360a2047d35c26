import { themeRules } from "../theme.ts";

/** The style sheet of a follower's page. */
export const followerPageStyle: string = `${themeRules(":root")}
*{box-sizing:border-box}
body{margin:0 auto;max-width:72rem;padding:1rem;background:var(--background);color:var(--ink);font:1rem/1.45 system-ui,sans-serif;overflow-wrap:anywhere}
h1{font-size:1.4rem;margin:0}
h2{font-size:1.05rem;margin:0 0 .5rem}
p{margin:.25rem 0}
header p,.facts,.count,dd span,dt{color:var(--quiet)}
a{color:var(--series-0)}
time{white-space:nowrap}
section{margin-top:1.5rem}
#answer{position:sticky;top:0;background:var(--background);border-left:.25rem solid var(--series-0);padding:.25rem .75rem}
#answer:empty{display:none}
#answer.failed,.trouble{color:var(--series-1)}
#link.live{color:var(--series-2)}
dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(10.5rem,1fr));gap:.75rem;margin:.5rem 0 0}
dl div{border-top:2px solid var(--quiet);padding-top:.35rem}
dd{margin:0}
dd b{display:block;font-size:1.35rem;font-variant-numeric:tabular-nums}
dd span,dt{font-size:.875rem}
ul{list-style:none;margin:0;padding:0}
li{display:flex;flex-wrap:wrap;gap:.35rem 1rem;align-items:center;justify-content:space-between;border-top:1px solid var(--quiet);padding:.5rem 0}
li>div{flex:1 1 20rem;min-width:0}
.site{font-weight:600;display:block}
.facts,.trouble{font-size:.9rem;font-variant-numeric:tabular-nums}
.trouble{display:block}
.count{font-weight:400}
.controls{display:flex;flex-wrap:wrap;gap:.5rem;margin:0}
button,input{font:inherit;color:var(--ink);background:var(--background);border:1px solid var(--quiet);border-radius:.35rem;padding:.4rem .8rem;min-height:2.75rem}
button{cursor:pointer}
button:hover{border-color:var(--ink)}
button:focus-visible,input:focus-visible,a:focus-visible{outline:3px solid var(--series-0);outline-offset:2px}
button[aria-disabled=true]{color:var(--quiet);cursor:progress}
label{display:block}
#any input[type=url]{width:100%;max-width:32rem;margin:.25rem 0 .5rem;display:block}
@media (max-width:40rem){dl{display:block}dl div{display:flex;flex-wrap:wrap;gap:0 .75rem;align-items:baseline;border-top-width:1px;padding:.3rem 0}dt{flex:0 0 7rem}dd{flex:1 1 0;min-width:0}dd b{display:inline;font-size:1.05rem;margin-right:.4rem}}
@media (min-width:64rem){main{display:grid;grid-template-columns:1fr 1fr;gap:0 2.5rem}#totals,#freshness,#any{grid-column:1/-1}}
`;
