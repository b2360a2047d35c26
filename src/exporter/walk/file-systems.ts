import { readFileSync, statSync } from "node:fs";

/** A line of `/proc/self/mountinfo`. */
interface Mount {
  readonly device: string;
  readonly type: string;
  readonly source: string;
  readonly options: string;
}

/** What a machine says of its file systems. */
export interface MountSource {
  /** The text of `/proc/self/mountinfo`; empty where there is none. */
  readonly mountInfo: () => string;
  /** A file of `/sys` or `/proc`; undefined where there is none. */
  readonly read: (path: string) => string | undefined;
  /** What stands for a file and its content as far as times tell; undefined if it is not there. */
  readonly fileStatus: (path: string) => string | undefined;
}

const machine: MountSource = {
  mountInfo: () => readIfThere("/proc/self/mountinfo") ?? "",
  read: readIfThere,
  fileStatus: (path) => {
    try {
      const { dev, ino, size, mtimeMs, ctimeMs } = statSync(path);
      return [dev, ino, size, mtimeMs, ctimeMs].join(" ");
    } catch {
      return undefined;
    }
  },
};

const imageTypes = new Set(["squashfs", "erofs", "iso9660", "cramfs", "romfs", "udf"]);
/** Their device numbers are given anew at each mount, and their sources name them. */
const namedTypes = /^(?:btrfs|zfs|nfs4?|cifs|smb3|9p|virtiofs|ceph|overlay|fuse(?:blk)?(?:\..*)?)$/;
/** Block devices that stand for what somebody puts behind them: loop and nbd. */
const virtualMajors = new Set([7, 43]);

/**
 * Tells files apart that have one path, size and times, as after a link or a mount was exchanged: a number of 32 bits of the
 * file system and the inode. The numbers of inodes and devices come again: an image that is mounted in another's place has
 * the same ones. So a file system counts as another
 *
 * - on a device, when its number changes;
 * - from an image in a loop device that is read only, when the file of the image is another or was written to;
 * - on other loop devices and in other images, when the device was attached anew, or the machine started anew;
 * - without a device of its own (NFS, btrfs, overlays), when source or options change.
 *
 * It only decides which files are read again; their digests decide what changed.
 *
 * @see proc_pid_mountinfo(5); Linux, Documentation/ABI/stable/sysfs-block, `diskseq`
 */
export class FileSystems {
  readonly #source: MountSource;
  readonly #identities = new Map<number, number>();
  #mounts: readonly Mount[] | undefined;

  constructor(source: MountSource = machine) {
    this.#source = source;
  }

  stampOf(device: number, inode: number): number {
    let identity = this.#identities.get(device);
    if (identity === undefined) {
      identity = hashText(this.#describe(device));
      this.#identities.set(device, identity);
    }
    const high = Math.floor(inode / 2 ** 32);
    return mix(mix(identity ^ (inode % 2 ** 32)) ^ high) >>> 0;
  }

  #describe(device: number): string {
    // Linux, include/linux/kdev_t.h, new_encode_dev.
    const major = Math.floor(device / 256) & 0xfff;
    const minor = (device & 0xff) | ((Math.floor(device / 2 ** 12) & 0xfff00) >>> 0);
    this.#mounts ??= parseMounts(this.#source.mountInfo());
    const mount = this.#mounts.find((one) => one.device === `${major}:${minor}`);
    if (mount === undefined) return `device ${device}`;
    const { type, source, options } = mount;
    const isImage = imageTypes.has(type) || options.split(",").includes("ro");
    if (major === 0) return namedTypes.test(type) && !isImage ? `${type} ${source} ${options}` : `${type} ${device}`;
    const name = `${type} ${device}`;
    if (!isImage && !virtualMajors.has(major)) return name;
    const home = `/sys/dev/block/${major}:${minor}`;
    const backing = isImage ? this.#source.read(`${home}/loop/backing_file`) : undefined;
    const image = backing === undefined ? undefined : this.#source.fileStatus(backing);
    if (image !== undefined) return `${type} ${image}`;
    const boot = this.#source.read("/proc/sys/kernel/random/boot_id") ?? "";
    return `${name} ${this.#source.read(`${home}/diskseq`) ?? ""} ${boot}`;
  }
}

function parseMounts(text: string): Mount[] {
  return text.split("\n").flatMap((line) => {
    const [place = "", rest = ""] = line.split(" - ");
    const [, , device = ""] = place.split(" ");
    const [type = "", source = "", options = ""] = rest.split(" ");
    return device === "" ? [] : [{ device, type, source, options }];
  });
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trimEnd();
  } catch {
    return undefined;
  }
}

// FNV-1a, and the end of MurmurHash3: neither guards against anybody.
function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return mix(hash);
}

function mix(value: number): number {
  let hash = value;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
