import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import type { FetchOutcome } from "../../src/core/fetch-outcome.ts";
import { answerChallenge, readDigestChallenge } from "../../src/http/digest.ts";
import { createFetcher } from "../../src/http/fetcher.ts";
import { readSiteFields } from "../../src/http/site-fields.ts";
import { listenRaw, plainAnswer } from "./raw-server.ts";

const common =
  'realm="http-auth@example.org", qop="auth, auth-int", nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"';

/** RFC 7616 section 3.9.1. */
const vectors = [
  ["MD5", "8ca523f5e9506fed4657c9700eebdbec"],
  ["SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"],
] as const;

for (const [algorithm, response] of vectors)
  test(`RFC 7616 section 3.9.1: the answer by ${algorithm}`, () => {
    const challenge = readDigestChallenge(`Digest ${common}, algorithm=${algorithm}`);
    assert.ok(challenge);
    const clientNonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ";
    const use = { method: "GET", path: "/dir/index.html", count: 1, clientNonce };
    const field = answerChallenge(challenge, "Mufasa:Circle of Life", use);
    for (const parameter of ['username="Mufasa"', "nc=00000001", "qop=auth", `response="${response}"`, "opaque="])
      assert.ok(field.includes(parameter), field);
  });

// The expected texts were computed by hashlib of Python.
test("a name is hashed in UTF-8, by SHA-512-256, or written as RFC 8187 has it", () => {
  const challenge = readDigestChallenge(
    'Digest realm="api@example.org", qop="auth", algorithm=SHA-512-256, nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS", charset=UTF-8, userhash=true',
  );
  assert.ok(challenge);
  const clientNonce = "NTg6RKcb9boFIAS3KrFK9BGeh+niz/sm";
  const use = { method: "GET", path: "/doe.json", count: 1, clientNonce };
  const field = answerChallenge(challenge, "Jäsøn Doe:Secret, or not?", use);
  assert.match(field, /username="793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b"/);
  assert.match(field, /response="7a4e1192babbba02e91182d2895bfdbf7adafc6e48d4e517ca301974843d840c".*userhash=true/);
  const named = answerChallenge({ ...challenge, hidesUser: false }, "Jäsøn Doe:x", use);
  assert.match(named, /username\*=UTF-8''J%C3%A4s%C3%B8n%20Doe,/);
});

const digest = 'realm="r", nonce="n", qop="auth"';
const readings: readonly (readonly [string, string | undefined])[] = [
  [`Digest ${digest}`, "MD5"],
  [`Basic realm="Digest x, y", Digest ${digest}, algorithm=SHA-256`, "SHA-256"],
  [`Negotiate, DIGEST algorithm=SHA-256 , ${digest} ,, Digest ${digest}`, "SHA-256"],
  [`Digest ${digest}, algorithm=SHA-1, Digest ${digest}`, "MD5"],
  [`Digest ${digest}, algorithm=MD5-sess`, undefined],
  ['Digest realm="r", nonce="n"', undefined],
  ['Digest realm="r", nonce="n", qop="auth-int"', undefined],
  ['Digest realm="r", qop="auth"', undefined],
  [`Basic ${digest}`, undefined],
  ['Digest realm="r, nonce="n", qop="auth"', undefined],
  ['Digest realm="r", nonce="n', undefined],
  [`Digest realm="r\x01", nonce="n", qop="auth"`, undefined],
  [`Digest realm="${"r".repeat(1025)}", nonce="n", qop="auth"`, undefined],
  [`Digest ${'realm="r", '.repeat(2000)}`, undefined],
  [`Digest ${"\\".repeat(8000)}`, undefined],
  [`${",=".repeat(4000)}`, undefined],
  ["", undefined],
];

test("challenges are read, whatever is around them; what is malformed, too long or not supported is none", () => {
  for (const [field, algorithm] of readings)
    assert.equal(readDigestChallenge(field)?.algorithm, algorithm, field.slice(0, 80));
});

const md5 = (text: string): string => createHash("md5").update(text).digest("hex");

/** What a request has of Digest, if its response is right. */
function judge(head: string, login: string): { readonly nonce: string; readonly count: string } | undefined {
  const of = (name: string): string => new RegExp(`[ ,]${name}="?([^",]*)`).exec(head)?.[1] ?? "";
  const [, path] = /^GET (\S+)/.exec(head) ?? [];
  const [user, password] = login.split(":");
  const [nonce, count] = [of("nonce"), of("nc")];
  const expected = md5(
    `${md5(`${user}:r:${password}`)}:${nonce}:${count}:${of("cnonce")}:auth:${md5(`GET ${path}`.replace(" ", ":"))}`,
  );
  return of("response") === expected ? { nonce, count } : undefined;
}

interface Asked {
  readonly outcomes: readonly FetchOutcome[];
  readonly heads: readonly string[];
  readonly waits: readonly string[];
}

/** Asks a server for pages, one after the other, with the login `me:pw`. */
async function ask(
  respond: (head: string) => readonly string[],
  { auth = "me:pw", isDigestOnly = true, paths = ["/a", "/b", "/c"] } = {},
): Promise<Asked> {
  await using site = await listenRaw((socket, head) => {
    const fields = respond(head);
    const isMoved = fields.some((field) => field.startsWith("Location"));
    socket.write(plainAnswer(isMoved ? 302 : fields.length === 0 ? 200 : 401, fields, "x"), "latin1");
  });
  const siteFields = readSiteFields(site.origin, { auth, digest: isDigestOnly });
  await using fetcher = createFetcher({ allowPrivate: true, siteFields });
  const [outcomes, waits]: [FetchOutcome[], string[]] = [[], []];
  for (const path of paths) {
    const beforeNext = async (url: string): Promise<boolean> => waits.push(new URL(url).pathname) > 0;
    const bounds = { maxBytes: 1000, timeoutMs: 20_000, maxRedirects: 1 };
    outcomes.push(await fetcher.get({ origin: site.origin, path, ...bounds, beforeNext }));
  }
  return { outcomes, heads: [...site.heads], waits };
}

const challengeOf = (nonce: string, more = ""): string =>
  `WWW-Authenticate: Digest realm="r", nonce="${nonce}", qop="auth"${more}`;
const kinds = ({ outcomes }: Asked): string[] => outcomes.map(({ kind, requests }) => `${kind} ${requests}`);

test("only the first request is made twice; the nonce is counted, and no password is sent", async () => {
  const seen: string[] = [];
  const asked = await ask((head) => {
    const use = judge(head, "me:pw");
    seen.push(use === undefined ? "-" : `${use.nonce} ${use.count}`);
    return use === undefined ? [challengeOf("n1")] : [];
  });
  assert.deepEqual(kinds(asked), ["fetched 2", "fetched 1", "fetched 1"]);
  assert.deepEqual(seen, ["-", "n1 00000001", "n1 00000002", "n1 00000003"]);
  assert.deepEqual(asked.waits, ["/a"], "the second request waits its turn");
  assert.doesNotMatch(asked.heads.join(), /Basic/);
});

test("a login for both is sent as Basic first, and by Digest once the server asks for it", async () => {
  const asked = await ask((head) => (judge(head, "me:pw") === undefined ? [challengeOf("n1")] : []), {
    isDigestOnly: false,
  });
  assert.deepEqual(kinds(asked), ["fetched 2", "fetched 1", "fetched 1"]);
  const seen = asked.heads.map((head) => /authorization: (\w+)/i.exec(head)?.[1]);
  assert.deepEqual(seen, ["Basic", "Digest", "Digest", "Digest"]);
});

test("a stale nonce is replaced by one request more", async () => {
  let nonce = 0;
  const asked = await ask((head) => {
    const isFresh = judge(head, "me:pw")?.nonce === `n${nonce}`;
    return isFresh ? [] : [challengeOf(`n${++nonce}`, nonce > 1 ? ", stale=TRUE" : "")];
  });
  assert.deepEqual(kinds(asked), ["fetched 2", "fetched 1", "fetched 1"]);
  let uses = 0;
  const used = (): [] => {
    uses++;
    return [];
  };
  const once = await ask((head) =>
    judge(head, "me:pw")?.nonce === `m${uses}` ? used() : [challengeOf(`m${uses}`, ", stale=true")],
  );
  assert.deepEqual(kinds(once), ["fetched 2", "fetched 2", "fetched 2"]);
});

test("a wrong login costs one request more in all; a server that challenges for ever, one for each page", async () => {
  const wrong = await ask(() => [challengeOf("n1")]);
  assert.deepEqual(kinds(wrong), ["refused 2", "refused 1", "refused 1"]);
  for (const more of [() => ", stale=true", (at: number) => `, realm="r${at}"`]) {
    let at = 0;
    const endless = await ask(() => [
      challengeOf(`n${++at}`, more(at)).replace('realm="r", ', more(at).includes("realm") ? "" : 'realm="r", '),
    ]);
    assert.deepEqual(kinds(endless), ["refused 2", "refused 2", "refused 2"]);
  }
  const basic = await ask(() => ['WWW-Authenticate: Basic realm="r"']);
  assert.deepEqual(kinds(basic), ["refused 1", "refused 1", "refused 1"]);
  assert.doesNotMatch(basic.heads.join(), /authorization/i);
});

test("a redirect within the origin is followed with the login, and an answered challenge is none", async () => {
  const asked = await ask(
    (head) => {
      if (judge(head, "me:pw") === undefined) return [challengeOf("n1")];
      return head.startsWith("GET /a ") ? ["Location: /z"] : [];
    },
    { paths: ["/a"] },
  );
  assert.deepEqual(kinds(asked), ["fetched 3"]);
});

test("challenges of another origin are not answered", async () => {
  const heads: string[] = [];
  await using other = await listenRaw((socket, head) => {
    heads.push(head);
    socket.write(plainAnswer(401, [challengeOf("evil")]), "latin1");
  });
  await using site = await listenRaw((socket) => {
    socket.write(plainAnswer(302, [`Location: ${other.origin}/x`]), "latin1");
  });
  const siteFields = readSiteFields(site.origin, { auth: "me:pw", digest: true });
  await using fetcher = createFetcher({ allowPrivate: true, siteFields });
  const bounds = { path: "/", maxBytes: 1000, timeoutMs: 20_000, maxRedirects: 3, crossOrigin: true };
  await fetcher.get({ origin: site.origin, ...bounds });
  await fetcher.get({ origin: other.origin, ...bounds });
  assert.equal(heads.length, 2);
  assert.doesNotMatch(heads.join(), /authorization/i);
});
