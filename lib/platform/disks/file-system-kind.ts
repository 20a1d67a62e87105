// The kind of a directory's file system, by the kernel's number (statfs f_type, Linux). Pure. Over a network, locks
// hold only among clients of the same server, and a sync promises no more than the server does.

type FileSystemKind =
  /** A disk of this machine, as far as one can tell. */
  | 'local'
  /** Elsewhere: neither locks nor syncs can be relied on. */
  | 'network'
  /** Gone when the machine stops. */
  | 'memory'
  /** A program serves it: its promises depend on the storage below. */
  | 'program';

interface FileSystemType {
  readonly kind: FileSystemKind;
  /** For people. */
  readonly name: string;
}

const TYPES: ReadonlyMap<number, FileSystemType> = new Map([
  [0x6969, { kind: 'network', name: 'NFS' }],
  [0x517b, { kind: 'network', name: 'SMB' }],
  [0xfe534d42, { kind: 'network', name: 'SMB' }],
  [0xff534d42, { kind: 'network', name: 'SMB (CIFS)' }],
  [0x01021997, { kind: 'network', name: '9p' }],
  [0x00c36400, { kind: 'network', name: 'Ceph' }],
  [0x5346414f, { kind: 'network', name: 'AFS' }],
  [0x6b414653, { kind: 'network', name: 'AFS' }],
  [0x73757245, { kind: 'network', name: 'Coda' }],
  [0x0bd00bd0, { kind: 'network', name: 'Lustre' }],
  [0x01021994, { kind: 'memory', name: 'tmpfs' }],
  [0x858458f6, { kind: 'memory', name: 'ramfs' }],
  [0x65735546, { kind: 'program', name: 'FUSE' }],
]);

const LOCAL: FileSystemType = { kind: 'local', name: 'local' };

export function fileSystemType(type: number): FileSystemType {
  // Some architectures hand a 32-bit number over with its sign.
  return TYPES.get(type >>> 0) ?? LOCAL;
}
