import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatLogBytes, logField } from "../../../src/formats/access-log/log-line.ts";
import { LogReader, maxLogLineBytes, readLogFormat } from "../../../src/formats/access-log/log-reader.ts";
import { LogClock } from "../../../src/formats/access-log/log-time.ts";

const request = '"GET /a?b=1 HTTP/1.1" 200 512';
const time = "[10/Oct/2026:13:55:36 -0700]";
const at = Date.UTC(2026, 9, 10, 20, 55, 36) / 1000;
const names = ["address", "method", "target", "status", "bytes", "agent", "host", "etag"] as const;

function read(chunks: readonly (string | Uint8Array)[], format?: string) {
  const formats = readLogFormat(format);
  assert.ok(formats.ok);
  const lines: Record<string, unknown>[] = [];
  const bad: string[] = [];
  const clock = new LogClock();
  const reader = new LogReader(formats.value, {
    onLine: (line) => {
      const fields = names
        .filter((name) => line.has(logField[name]))
        .map((name) => [name, line.textOf(logField[name], 1000)]);
      lines.push({ ...Object.fromEntries(fields), at: clock.timeOf(line) });
    },
    onBadLine: (bytes, from, to) => bad.push(formatLogBytes(bytes, from, to, 40)),
  });
  for (const chunk of chunks) reader.push(typeof chunk === "string" ? Buffer.from(chunk, "latin1") : chunk);
  reader.end();
  return { lines, bad };
}

const common = { address: "1.2.3.4", method: "GET", target: "/a?b=1", status: "200", bytes: "512", at };
// biome-ignore lint/suspicious/noTemplateCurlyInString: it is a format of nginx
const nginx = '$remote_addr [$time_iso8601] "$request" $status ${bytes_sent} "$http_user_agent" "$sent_http_etag"';
// Each with what it proves.
const rows: ReadonlyArray<readonly [string, string, string | undefined, object]> = [
  ["common", `1.2.3.4 - bob smith ${time} ${request}`, undefined, common],
  [
    "combined",
    `1.2.3.4 - - ${time} ${request} "-" "Bot \\"x\\" \\x41\\\\"`,
    undefined,
    { ...common, agent: 'Bot "x" A\\' },
  ],
  [
    "the name of a user that looks like a time",
    `1.2.3.4 - a [01/Jan/1971:00:00:00 +0000] b ${time} ${request} "-" "B"`,
    undefined,
    { ...common, agent: "B" },
  ],
  [
    "combined with more fields",
    `1.2.3.4 - - ${time} ${request} "-" "B" "9.9.9.9" 0.1`,
    undefined,
    { ...common, agent: "B" },
  ],
  ["an IPv6 address", `2001:db8::1 - - ${time} ${request}`, undefined, { ...common, address: "2001:db8::1" }],
  [
    "vhost_combined",
    `a.example:443 1.2.3.4 - - ${time} ${request} "-" "B"`,
    undefined,
    { ...common, host: "a.example", agent: "B" },
  ],
  [
    "a log_format",
    `1.2.3.4 [2026-10-10T13:55:36-07:00] ${request} "B" "\\x22e1\\x22"`,
    nginx,
    { ...common, agent: "B", etag: '"e1"' },
  ],
  ["path and query apart", `1.2.3.4 ${time} GET /a?b=1 200 512`, "%a %t %m %U%q %>s %B", common],
  [
    "modifiers of LogFormat, quotes escaped",
    `1.2.3.4 7 ${time} ${request} "B"`,
    '%h %{ms}T %t \\"%r\\" %!404,500>s %^FB \\"%{User-agent}i\\"',
    { ...common, bytes: undefined, agent: "B" },
  ],
  [
    "milliseconds since 1970",
    `1.2.3.4 ${at}123 45 ${request} 1`,
    '%h %{msec}t %{msec_frac}t "%r" %s %B %{ms}T',
    common,
  ],
  ["microseconds since 1970", `1.2.3.4 ${at}123456 ${request}`, '%h %{usec}t "%r" %s %B', common],
  [
    "a time of one's own",
    `1.2.3.4 2026-10-10T13:55:36-0700 ${request}`,
    '%h %{%Y-%m-%dT%H:%M:%S%z}t "%r" %s %B',
    common,
  ],
  [
    "a time in parts, as Apache's manual has it",
    `1.2.3.4 10/Oct/2026 13:55:36.123 -0700 ${request}`,
    '%h %{%d/%b/%Y %T}t.%{msec_frac}t %{%z}t "%r" %s %B',
    common,
  ],
  ["a date and a time", `2026-10-10 20:55:36 1.2.3.4 ${request}`, '%{%F}t %{%T}t %h "%r" %s %B', common],
  ["two times, of which the first counts", `${at} 1 1.2.3.4 ${request}`, '%{sec}t %{end:sec}t %h "%r" %s %B', common],
  ["a zone of hours alone", `1.2.3.4 [2026-10-10T13:55:36.5-07] ${request} "-" "-"`, nginx, common],
  [
    "every other directive is passed over",
    `1.2.3.4 8.8.8.8 443 123 x.html HTTP/1.1 k - 7 bob 0 + 100 200 1 a.example ${time} ${request}`,
    '%a %A %{remote}p %D %f %H %{k}e %{c}C %k %u %L %X %I %O %{s}T %V %t "%r" %>s %b',
    { ...common, bytes: "200", host: "a.example" },
  ],
  [
    "no bytes",
    `1.2.3.4 - - ${time} "GET /a?b=1 HTTP/1.1" 304 -`,
    undefined,
    { ...common, status: "304", bytes: undefined },
  ],
  [
    "no request line, as of a port scan",
    `1.2.3.4 - - ${time} "\\x16\\x03\\x01" 400 0`,
    undefined,
    { ...common, method: undefined, target: undefined, status: "400", bytes: "0" },
  ],
  [
    "JSON of nginx",
    `{"remote_addr":"1.2.3.4","time_iso8601":"2026-10-10T20:55:36Z","request":"GET /a?b=1 HTTP/1.1","status":200,"body_bytes_sent":"512"}`,
    undefined,
    common,
  ],
  [
    "JSON of Caddy",
    `{"ts":${at}.25,"request":{"remote_ip":"1.2.3.4","method":"GET","uri":"/a?b=1","headers":{"User-Agent":["B"]}},"size":512,"status":200}`,
    "json-lines",
    { ...common, agent: "B" },
  ],
  [
    "JSON of Caddy behind a proxy, with the answer's ETag",
    `{"ts":${at}.25,"request":{"remote_ip":"10.0.0.1","client_ip":"1.2.3.4","method":"GET","uri":"/a?b=1"},"size":512,"status":200,"resp_headers":{"Etag":["e1"]}}`,
    "json-lines",
    { ...common, etag: "e1" },
  ],
  [
    "headers that a client names like fields",
    `{"ts":${at},"request":{"remote_ip":"1.2.3.4","method":"GET","uri":"/a?b=1","headers":{"Remote_addr":["9.9.9.9"],"Time_local":["1"],"Request_uri":["/x"],"Body_bytes_sent":["9"],"Http_user_agent":["G"],"Etag":["x"],"User-Agent":["B"]}},"size":512,"status":200,"resp_headers":{"Remote_addr":["9.9.9.9"]}}`,
    "json-lines",
    { ...common, agent: "B" },
  ],
];

for (const [what, line, format, expected] of rows)
  test(`a line is read: ${what}`, () => {
    const { lines, bad } = read([`${line}\r\n`], format);
    assert.deepEqual(bad, []);
    assert.deepEqual(lines, [JSON.parse(JSON.stringify(expected))]);
  });

for (const line of [
  "x",
  "\u001b[31m\u0000\u009b",
  `1.2.3.4 - - ${time} "GET / HTTP/1.1" 2x0 5`,
  "{}",
  '{"status":200',
  "[1]",
])
  test(`a bad line is told, printable: ${JSON.stringify(line)}`, () => {
    const { lines, bad } = read([`${line}\n1.2.3.4 - - ${time} ${request}\n`]);
    assert.equal(lines.length, 1);
    assert.equal(bad.length, 1);
    assert.match(bad[0] ?? "", /^[ -~]+$/);
  });

test("a day that no calendar has is no time", () => {
  const timeOf = (day: string): unknown => read([`1.2.3.4 - - [${day}:13:55:36 +0000] ${request}\n`]).lines[0]?.["at"];
  assert.equal(timeOf("29/Feb/2028"), Date.UTC(2028, 1, 29, 13, 55, 36) / 1000);
  for (const day of ["30/Feb/2028", "29/Feb/2027", "31/Apr/2026", "00/Jan/2026", "32/Dec/2026", "2026-02-30T"])
    assert.equal(timeOf(day), undefined, day);
});

test("a line longer than the bound is bad, the next one is read", () => {
  // Cut at the bound it would be a line like any other.
  const long = `1.2.3.4 - - ${time} ${request} "-" "B"${" ".repeat(maxLogLineBytes)}`;
  const { lines, bad } = read([long.slice(0, 9), long.slice(9), `\n1.2.3.4 - - ${time} ${request}`]);
  assert.deepEqual([lines.length, bad.length], [1, 1]);
});

for (const [format, code] of [
  ["%h%l %r %>s", "adjacent-fields"],
  ["%h %{x", "unknown-field"],
  ["$remote_addr $status", "no-field"],
  ["nonsense", "no-field"],
] as const)
  test(`a format is refused: ${format}`, () => {
    const formats = readLogFormat(format);
    assert.equal(formats.ok ? "" : formats.error.code, code);
  });

test("any bytes are read without failing, and alike however they are cut", () => {
  const piece = fc.constantFrom(
    "\n",
    '"',
    "\\",
    " ",
    "[",
    "]",
    "1.2.3.4 - - ",
    time,
    request,
    "{",
    '{"status":200}',
    "\u0000",
  );
  const text = fc.array(fc.oneof(piece, fc.string({ unit: "binary", maxLength: 5 })), { maxLength: 40 });
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 50 }), (pieces, size) => {
      const bytes = Buffer.from(pieces.join(""));
      const chunks: Uint8Array[] = [];
      for (let from = 0; from < bytes.length; from += size) chunks.push(bytes.subarray(from, from + size));
      assert.deepEqual(read(chunks), read([bytes]));
    }),
  );
});

test("what a server escapes comes back", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 2, maxLength: 40 }), (agent) => {
      const escaped = [...agent]
        .map((byte) =>
          byte < 32 || byte > 126 || byte === 34 || byte === 92
            ? `\\x${byte.toString(16).padStart(2, "0")}`
            : String.fromCharCode(byte),
        )
        .join("");
      const { lines } = read([`1.2.3.4 - - ${time} ${request} "-" "${escaped}"\n`]);
      assert.equal(lines[0]?.agent, Buffer.from(agent).toString("latin1"));
    }),
  );
});
