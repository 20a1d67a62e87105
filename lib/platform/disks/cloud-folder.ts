// Whether a path is in a folder that a program synchronises with other machines. Such a program copies files while they
// are written, renames them unexpectedly, and makes "conflicted copies" of them. Pure: only by names.

const SERVICES: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/^dropbox(?: \(.+\))?$/i, 'Dropbox'],
  [/^onedrive(?: - .+)?$/i, 'OneDrive'],
  [/^google ?drive$|^my drive$/i, 'Google Drive'],
  [/^icloud ?drive$|^com~apple~clouddocs$|^mobile documents$/i, 'iCloud'],
  [/^cloudstorage$/i, 'a cloud service'],
  [/^nextcloud$/i, 'Nextcloud'],
  [/^owncloud$/i, 'ownCloud'],
  [/^syncthing$/i, 'Syncthing'],
  [/^pcloud ?drive$/i, 'pCloud'],
  [/^mega(?:sync)?$/i, 'MEGA'],
  [/^box(?: sync)?$/i, 'Box'],
  [/^seafile$/i, 'Seafile'],
];

/** Nearly no folder is one, and one expression is compiled sooner than twelve. */
const ANY = new RegExp(SERVICES.map(([{ source }]) => source).join('|'), 'i');

/** The service that keeps a directory above this path in step; undefined if none is known by its name. */
export function cloudServiceOf(path: string): string | undefined {
  for (const segment of path.split(/[\\/]/)) {
    if (!ANY.test(segment)) continue;
    const service = SERVICES.find(([pattern]) => pattern.test(segment));
    if (service) return service[1];
  }
  return undefined;
}
