import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { formatHexLines, formatPublicKey } from "../../../src/formats/boinc/hex-lines.ts";
import {
  formatAccount,
  formatAccountError,
  formatMasterPage,
  formatProjectConfig,
} from "../../../src/formats/boinc/project-pages.ts";
import { formatSchedulerReply, type SchedulerReply } from "../../../src/formats/boinc/scheduler-reply.ts";
import { maxSchedulerRequestBytes, parseSchedulerRequest } from "../../../src/formats/boinc/scheduler-request.ts";
import { findUploadData, formatUploadReply, parseUploadRequest } from "../../../src/formats/boinc/upload.ts";
import { fc } from "../../property.ts";
import { repositoryFolder } from "../../repository-folder.ts";

const folder = join(repositoryFolder(), "fixtures", "boinc");

function readClient(name: string): Buffer {
  return readFileSync(join(folder, "client-7.20.5", name));
}

/** Compares with a file that the first run of `TIDEMARK_WRITE_FIXTURES=1` writes. */
function assertGolden(name: string, text: string): void {
  const file = join(folder, "v1", name);
  if (process.env.TIDEMARK_WRITE_FIXTURES === "1") writeFileSync(file, text);
  assert.equal(text, readFileSync(file, "utf8"));
}

function request(fields: string): Uint8Array {
  return Buffer.from(`<scheduler_request>\n${fields}\n</scheduler_request>\n`);
}

const needed = `<authenticator>${"a".repeat(32)}</authenticator>\n<hostid>1</hostid>\n<rpc_seqno>2</rpc_seqno>`;

describe("a scheduler request", () => {
  it("is read as Debian's client sends it first", () => {
    const parsed = parseSchedulerRequest(readClient("first-request.xml"));
    assert.deepEqual(parsed, {
      ok: true,
      value: {
        authenticator: "dedc9c28102bc449d49b3fba8bb2073d",
        hostId: 0,
        seqno: 0,
        workSeconds: 1,
        platform: "x86_64-pc-linux-gnu",
        otherPlatforms: [],
        codeSignKey: "",
        appVersions: [],
        results: [],
        otherResults: [],
      },
    });
  });

  it("is read as Debian's client reports with it", () => {
    const parsed = parseSchedulerRequest(readClient("report-request.xml"));
    assert.ok(parsed.ok);
    const { hostId, seqno, codeSignKey, results, appVersions, otherResults } = parsed.value;
    assert.deepEqual([hostId, seqno, codeSignKey.length], [1, 1, "1024".length + 512 + ".".length]);
    assert.deepEqual(results, [{ name: "unit-0", isUploaded: true }]);
    assert.deepEqual(appVersions, [
      { appName: "tidemark_work", versionNum: 1, platform: "x86_64-pc-linux-gnu", planClass: "" },
    ]);
    assert.equal(otherResults.length, 19);
  });

  it("may hold what a task printed, control characters too", () => {
    const result =
      "<result>\n<name>u</name>\n<state>3</state>\n<stderr_out>\n<![CDATA[\n\u0000\u001b[31m<x>&\n]]>\n</stderr_out>\n</result>";
    const parsed = parseSchedulerRequest(request(`${needed}\n${result}`));
    assert.ok(parsed.ok);
    assert.deepEqual(parsed.value.results, [{ name: "u", isUploaded: false }]);
  });

  it("reports an upload only with state 5 and exit status 0", () => {
    for (const [fields, isUploaded] of [
      ["<state>5</state>", true],
      ["<state>5</state><exit_status>0</exit_status>", true],
      ["<state>5</state><exit_status>-1</exit_status>", false],
      ["<state>6</state>", false],
      ["<state>5x</state>", false],
      ["", false],
    ] as const) {
      const parsed = parseSchedulerRequest(request(`${needed}<result><name>u</name>${fields}</result>`));
      assert.deepEqual(parsed.ok && parsed.value.results, [{ name: "u", isUploaded }], fields);
    }
  });

  const bad: ReadonlyArray<readonly [string, Uint8Array, string]> = [
    ["nothing", Buffer.alloc(0), "bad-xml"],
    ["another message", Buffer.from("<data_server_request></data_server_request>"), "bad-message"],
    ["an end in the middle", request(needed).subarray(0, 60), "bad-xml"],
    ["no account key", request("<hostid>1</hostid>"), "bad-account-key"],
    ["a short account key", request(needed.replace("aa", "")), "bad-account-key"],
    ["an account key in upper case", request(needed.replace("aa", "AA")), "bad-account-key"],
    ["a negative host", request(needed.replace(">1<", ">-1<")), "bad-message"],
    ["a fraction of a number", request(needed.replace(">2<", ">2.5<")), "bad-message"],
    ["a number that is too large", request(needed.replace(">2<", ">3000000000<")), "bad-message"],
    ["a document type", Buffer.from(`<!DOCTYPE a [<!ENTITY b "c">]>${request(needed)}`), "doctype"],
    ["elements too deep", request(`${needed}${"<a>".repeat(40)}${"</a>".repeat(40)}`), "too-deep"],
    ["too many elements", request(`${needed}${"<a/>".repeat(50_001)}`), "too-long"],
    ["too many bytes", request(`${needed}${"<a>b</a>\n".repeat(maxSchedulerRequestBytes / 8)}`), "too-long"],
  ];
  for (const [what, bytes, code] of bad)
    it(`is refused: ${what}`, () => {
      const parsed = parseSchedulerRequest(bytes);
      assert.equal(parsed.ok ? undefined : parsed.error.code, code);
    });

  it("leaves out names that could leave a folder", () => {
    for (const name of ["../x", "a/b", "", ".", "a".repeat(129), "a\u0000b"]) {
      const parsed = parseSchedulerRequest(request(`${needed}<result><name>${name}</name></result>`));
      assert.deepEqual(parsed.ok && parsed.value.results, [], name);
    }
  });

  it("never makes its reader throw", () => {
    const whole = readClient("report-request.xml");
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.nat(255), fc.nat(whole.length), (at, byte, length) => {
        const bytes = Uint8Array.from(whole).subarray(0, length);
        if (at < length) bytes[at] = byte;
        assert.equal(typeof parseSchedulerRequest(bytes).ok, "boolean");
      }),
      { numRuns: 200 },
    );
  });
});

describe("an upload request", () => {
  const whole = readClient("upload-request.txt");
  const at = findUploadData(whole) ?? -1;
  const head = whole.subarray(0, at);

  it("is read as Debian's client sends it", () => {
    assert.equal(whole.subarray(at).toString(), "result of 0");
    assert.deepEqual(parseUploadRequest(head), {
      ok: true,
      value: {
        kind: "upload",
        name: "unit-0_88a69d4072df089121933dca26183914",
        maxBytes: 1024,
        certificate: "a77993c52ccd068fe69af79838e9a823e54f878bb95e26a359d2fc88e8e9da94",
        sizeBytes: 11,
        md5: "a69147da050bbd0c2475df559600aa93",
        offset: 0,
      },
    });
  });

  it("may ask for the size of what is there", () => {
    const ask = "<data_server_request>\n<get_file_size>unit_1</get_file_size>\n</data_server_request>\n";
    assert.deepEqual(parseUploadRequest(Buffer.from(ask)), { ok: true, value: { kind: "size", name: "unit_1" } });
  });

  const change = (from: RegExp | string, to: string): Buffer => Buffer.from(head.toString().replace(from, to));
  const bad: ReadonlyArray<readonly [string, Uint8Array]> = [
    ["a path as name", change("unit-0_", "../")],
    ["no name", change(/<name>.*<\/name>/, "")],
    ["a negative offset", change("<offset>0", "<offset>-1")],
    ["an offset beyond the file", change("<offset>0", "<offset>12")],
    ["a size that is no number", change("<nbytes>11", "<nbytes>many")],
    ["an MD5 that is none", change("a69147", "")],
    ["no data", head.subarray(0, -8)],
    ["nothing", Buffer.alloc(0)],
    [
      "a path whose size is asked",
      Buffer.from("<data_server_request><get_file_size>../a</get_file_size></data_server_request>"),
    ],
    ["a long head", Buffer.concat([Buffer.from(`<data_server_request>${" ".repeat(20_000)}`), head])],
  ];
  for (const [what, bytes] of bad) it(`is refused: ${what}`, () => assert.equal(parseUploadRequest(bytes).ok, false));

  it("has its data where the first <data> line ends, within bounds", () => {
    assert.equal(findUploadData(Buffer.from("<data>\n")), 7);
    assert.equal(findUploadData(Buffer.from("<data>")), undefined);
    assert.equal(findUploadData(Buffer.concat([Buffer.alloc(16 * 1024), Buffer.from("<data>\n")])), undefined);
  });
});

describe("what the server writes", () => {
  const reply: SchedulerReply = {
    masterUrl: "https://crawl.example/",
    projectName: "Crawl & co",
    requestDelaySeconds: 60,
    userName: "somebody",
    hostId: 7,
    message: { text: "Hello <you>", isNotice: true },
    codeSignKey: "1024\nab\n.\n",
    acknowledged: ["unit-1", "unit-2"],
    appName: "tidemark_work",
    version: {
      versionNum: 3,
      platform: "x86_64-pc-linux-gnu",
      files: [
        {
          name: "main",
          url: "https://crawl.example/main",
          sizeBytes: 1,
          md5: "0".repeat(32),
          signature: "ab\n.\n",
          isMain: true,
        },
        {
          name: "more",
          url: "https://crawl.example/more",
          sizeBytes: 2,
          md5: "1".repeat(32),
          signature: "cd\n.\n",
          isMain: false,
        },
      ],
    },
    tasks: [
      {
        name: "unit-3",
        input: { name: "unit-3_unit", url: "https://crawl.example/unit?a&b", sizeBytes: 9, md5: "2".repeat(32) },
        output: {
          name: "unit-3_x",
          maxBytes: 8,
          uploadUrl: "https://crawl.example/file_upload_handler",
          certificate: "ef",
        },
        estimatedSeconds: 5,
        deadline: 1_800_000_000,
        platform: "x86_64-pc-linux-gnu",
        versionNum: 3,
        planClass: "",
      },
    ],
  };

  it("is a reply, byte for byte", () => assertGolden("scheduler-reply.xml", formatSchedulerReply(reply)));

  it("has one element a line, however long the texts are", () => {
    const lines = formatSchedulerReply(reply).split("\n");
    assert.ok(lines.every((line) => (line.match(/<\w/g) ?? []).length <= 1));
  });

  it("has no application without a task, and none for a client that brings its own", () => {
    assert.doesNotMatch(formatSchedulerReply({ ...reply, tasks: [] }), /<app>|<app_version>|<file_info>/);
    const { version: _, ...own } = reply;
    assert.doesNotMatch(formatSchedulerReply(own), /<app_version>/);
    const task = { ...reply.tasks[0], planClass: "mine" } as SchedulerReply["tasks"][number];
    assert.match(formatSchedulerReply({ ...own, tasks: [task] }), /<plan_class>mine<\/plan_class>/);
  });

  it("is the other pages, byte for byte", () => {
    assertGolden("project-config.xml", formatProjectConfig("Crawl & co", "https://crawl.example/", ["a", "b"]));
    assertGolden("master-page.html", formatMasterPage("Crawl & co", "https://crawl.example/scheduler"));
    assertGolden("account.xml", formatAccount("a".repeat(32)));
    assertGolden("no-account.xml", formatAccountError("not-found"));
    assertGolden("no-new-account.xml", formatAccountError("disabled"));
    assertGolden("upload-taken.xml", formatUploadReply("ok"));
    assertGolden("upload-size.xml", formatUploadReply("ok", "", 5));
    assertGolden("upload-refused.xml", formatUploadReply("refused", "the upload is refused"));
  });

  it("is keys and signatures as lines of 32 bytes, ended by a dot", () => {
    const bytes = Uint8Array.from({ length: 33 }, (_, at) => at);
    assert.equal(formatHexLines(bytes), `${Buffer.from(bytes.subarray(0, 32)).toString("hex")}\n20\n.\n`);
    const lines = formatPublicKey(new Uint8Array(128).fill(0xab), Uint8Array.of(1, 0, 1)).split("\n");
    assert.deepEqual(
      [lines[0], lines.length, lines[4], lines[8], lines[9]],
      ["1024", 11, "ab".repeat(32), `${"0".repeat(58)}010001`, "."],
    );
    assert.throws(() => formatPublicKey(new Uint8Array(129), Uint8Array.of(3)), RangeError);
  });
});
