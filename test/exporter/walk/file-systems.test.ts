import assert from "node:assert/strict";
import { test } from "node:test";
import { FileSystems, type MountSource } from "../../../src/exporter/walk/file-systems.ts";

interface Machine {
  readonly mounts: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  readonly images?: Readonly<Record<string, string>>;
}

function stampOn({ mounts, files = {}, images = {} }: Machine, device: number, inode = 42): number {
  const source: MountSource = {
    mountInfo: () => mounts.map((line, at) => `${at + 20} 1 ${line}\n`).join(""),
    read: (path) => files[path],
    fileStatus: (path) => images[path],
  };
  return new FileSystems(source).stampOf(device, inode);
}

const boot = "/proc/sys/kernel/random/boot_id";
const sda1 = 8 * 256 + 1;
const loop0 = 7 * 256;
const squashfs = ["7:0 / /srv/site ro,relatime - squashfs /dev/loop0 ro,errors=continue"];
const backing = { "/sys/dev/block/7:0/loop/backing_file": "/images/site.squashfs" };

test("inode and device tell files apart, and a new start of the machine does not", () => {
  const mounts = ["8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw"];
  const stamp = stampOn({ mounts, files: { [boot]: "a" } }, sda1);
  assert.equal(stampOn({ mounts, files: { [boot]: "b" } }, sda1), stamp);
  assert.equal(
    stampOn({ mounts: ["8:1 / /elsewhere ro - ext4 /dev/sda1 rw"] }, sda1),
    stamp,
    "a mount that is read only",
  );
  for (const inode of [43, 42 + 2 ** 32, 42 * 2]) assert.notEqual(stampOn({ mounts }, sda1, inode), stamp);
  assert.notEqual(stampOn({ mounts: ["8:2 / / rw - ext4 /dev/sda2 rw"] }, sda1 + 1), stamp);
  assert.ok(Number.isInteger(stamp) && stamp >= 0 && stamp < 2 ** 32);
});

test("an image that is mounted in another's place is another file system, although device and inodes are equal", () => {
  const machine = { mounts: squashfs, files: { ...backing, [boot]: "a", "/sys/dev/block/7:0/diskseq": "1" } };
  const first = stampOn({ ...machine, images: { "/images/site.squashfs": "inode 5, time 6" } }, loop0);
  assert.notEqual(stampOn({ ...machine, images: { "/images/site.squashfs": "inode 7, time 8" } }, loop0), first);
  // The same image after a new start, attached in another order.
  const restarted = { ...machine, files: { ...backing, [boot]: "b", "/sys/dev/block/7:0/diskseq": "9" } };
  assert.equal(stampOn({ ...restarted, images: { "/images/site.squashfs": "inode 5, time 6" } }, loop0), first);
});

test("where the image's file is not there, the device's sequence number tells it apart", () => {
  const machine = (sequence: string, bootId = "a") => ({
    mounts: squashfs,
    files: { [boot]: bootId, "/sys/dev/block/7:0/diskseq": sequence },
  });
  const first = stampOn(machine("1"), loop0);
  assert.equal(stampOn(machine("1"), loop0), first);
  assert.notEqual(stampOn(machine("2"), loop0), first);
  assert.notEqual(stampOn(machine("1", "b"), loop0), first, "numbers begin anew with the machine");
  const writable = ["7:0 / /srv rw - ext4 /dev/loop0 rw"];
  const files = { ...backing, [boot]: "a", "/sys/dev/block/7:0/diskseq": "1" };
  const written = (status: string) =>
    stampOn({ mounts: writable, files, images: { "/images/site.squashfs": status } }, loop0);
  assert.equal(written("time 1"), written("time 2"), "an image that is written to is no other file system");
});

test("file systems without a device of their own are known by their source", () => {
  const nfs = (source: string) => [`0:50 / /srv rw - nfs4 ${source} rw,vers=4.2`];
  const stamp = stampOn({ mounts: nfs("host:/a") }, 50);
  assert.equal(stampOn({ mounts: [nfs("host:/a")[0]?.replace("0:50", "0:61") ?? ""] }, 61), stamp);
  assert.notEqual(stampOn({ mounts: nfs("host:/b") }, 50), stamp);
  const tmpfs = ["0:50 / /run/a rw - tmpfs tmpfs rw", "0:51 / /run/b rw - tmpfs tmpfs rw"];
  assert.notEqual(stampOn({ mounts: tmpfs }, 50), stampOn({ mounts: tmpfs }, 51));
});

test("without a list of mounts the device's number counts", () => {
  assert.equal(stampOn({ mounts: [] }, sda1), stampOn({ mounts: ["", "nonsense"] }, sda1));
  assert.notEqual(stampOn({ mounts: [] }, sda1), stampOn({ mounts: [] }, sda1 + 1));
});
