import { cloudServiceOf } from '../../lib/platform/disks/cloud-folder.ts';
import { fileSystemType } from '../../lib/platform/disks/file-system-kind.ts';
import { judgeSpace } from '../../lib/platform/disks/free-space.ts';

describe('the kind of a file system', () => {
  it.each([
    [0x6969, 'network', 'NFS'],
    [0x517b, 'network', 'SMB'],
    [0xfe534d42, 'network', 'SMB'],
    [0xfe534d42 - 2 ** 32, 'network', 'SMB'],
    [0xff534d42, 'network', 'SMB (CIFS)'],
    [0x01021997, 'network', '9p'],
    [0x01021994, 'memory', 'tmpfs'],
    [0x65735546, 'program', 'FUSE'],
    [0xef53, 'local', 'local'],
    [0x58465342, 'local', 'local'],
    [0x9123683e, 'local', 'local'],
    [0, 'local', 'local'],
  ])('%p is %s', (type, kind, name) => {
    expect(fileSystemType(type)).toEqual({ kind, name });
  });
});

describe('a folder that is synchronized with other machines', () => {
  it.each([
    ['/home/me/Dropbox/ollm', 'Dropbox'],
    ['/home/me/Dropbox (Work)/ollm', 'Dropbox'],
    ['C:\\Users\\me\\OneDrive - Example\\ollm', 'OneDrive'],
    ['/Users/me/Library/Mobile Documents/com~apple~CloudDocs/x', 'iCloud'],
    ['/Users/me/Library/CloudStorage/Box-Box/x', 'a cloud service'],
    ['/home/me/Nextcloud', 'Nextcloud'],
    ['/home/me/GoogleDrive/x', 'Google Drive'],
  ])('is recognized by its name: %s', (path, service) => {
    expect(cloudServiceOf(path)).toBe(service);
  });

  it.each(['/home/me/.ollm/session-data', '/home/boxer/x', '/srv/dropboxes/x', '/home/me/inbox'])(
    'is not recognized in %s',
    (path) => {
      expect(cloudServiceOf(path)).toBeUndefined();
    },
  );
});

describe('the room on a disk', () => {
  const MIB = 1024 * 1024;
  it.each([
    [15, 100_000, 'too little'],
    [16, 1_000, 'low'],
    [63, 1_000, 'low'],
    [64, 1_000, 'enough'],
    [900, 100_000, 'low'],
    [1_000, 100_000, 'enough'],
    [0, 0, 'enough'],
  ])('%d MiB of %d is %s', (free, total, verdict) => {
    expect(judgeSpace({ freeBytes: free * MIB, totalBytes: total * MIB, type: 0 })).toBe(verdict);
  });
});
