/** Numbers of the file interfaces (fcntl.h, stat.h, poll.h), x86-64 values. */
export const O = {
  ACCMODE: 3, RDONLY: 0, WRONLY: 1, RDWR: 2, CREAT: 0o100, EXCL: 0o200, NOCTTY: 0o400, TRUNC: 0o1000, APPEND: 0o2000,
  NONBLOCK: 0o4000, DSYNC: 0o10000, ASYNC: 0o20000, DIRECT: 0o40000, LARGEFILE: 0o100000, DIRECTORY: 0o200000,
  NOFOLLOW: 0o400000, NOATIME: 0o1000000, CLOEXEC: 0o2000000, SYNC: 0o4010000, PATH: 0o10000000, TMPFILE: 0o20200000,
} as const;

export const S_IFMT = 0o170000;
export const S_IFSOCK = 0o140000;
export const S_IFLNK = 0o120000;
export const S_IFREG = 0o100000;
export const S_IFBLK = 0o060000;
export const S_IFDIR = 0o040000;
export const S_IFCHR = 0o020000;
export const S_IFIFO = 0o010000;

export const AT_FDCWD = -100;
export const AT_SYMLINK_NOFOLLOW = 0x100;
export const AT_EACCESS = 0x200;
export const AT_REMOVEDIR = 0x200;
export const AT_SYMLINK_FOLLOW = 0x400;
export const AT_EMPTY_PATH = 0x1000;

export const DT = { UNKNOWN: 0, FIFO: 1, CHR: 2, DIR: 4, BLK: 6, REG: 8, LNK: 10, SOCK: 12 } as const;

export const POLL = {
  IN: 1, PRI: 2, OUT: 4, ERR: 8, HUP: 0x10, NVAL: 0x20, RDNORM: 0x40, WRNORM: 0x100, RDHUP: 0x2000,
} as const;

export const SEEK = { SET: 0, CUR: 1, END: 2, DATA: 3, HOLE: 4 } as const;

export const PATH_MAX = 4096;
export const NAME_MAX = 255;
/** What ext4 with its usual block size lets a file have. */
export const LARGEST_FILE = 2 ** 44 - 4096;
/** The most that one read or write transfers. */
export const MAX_TRANSFER = 0x7ffff000;
