// What everything is called on the server. A tenant has a stream, a bucket of names and a bucket of objects of its own,
// so that credentials can allow one tenant and no other. Nothing but an id that was checked becomes a subject or a key.
import { OllmError } from '../errors/index.ts';
import { documentName, journalName } from '../journal/paths.ts';
import type { DocumentKind } from '../journal/types.ts';

const TENANT = /^[a-z0-9-]{1,32}$/;

export interface Layout {
  readonly tenant: string;
  readonly stream: string;
  readonly bucket: string;
  readonly objects: string;
  /** The streams of the two buckets, by which the server knows them. */
  readonly namesStream: string;
  readonly objectsStream: string;
  /** All journals of the tenant. */
  readonly allSubjects: string;
  subject(id: string, generation: string): string;
  recordKey(id: string): string;
  leaseKey(id: string): string;
}

/** @throws OllmError CONFIG_INVALID */
export function layoutOf(tenant: string): Layout {
  if (!TENANT.test(tenant)) {
    throw new OllmError('CONFIG_INVALID', `${JSON.stringify(tenant)} cannot be the name of a tenant.`, {
      hint: 'Use up to 32 lower-case letters, digits and hyphens.',
      data: { tenant },
    });
  }
  return {
    tenant,
    stream: `ollm-${tenant}`,
    bucket: `ollm-${tenant}-names`,
    objects: `ollm-${tenant}-objects`,
    namesStream: `KV_ollm-${tenant}-names`,
    objectsStream: `OBJ_ollm-${tenant}-objects`,
    allSubjects: `ollm.${tenant}.>`,
    subject: (id, generation) => `ollm.${tenant}.${checked(id)}.${generation}`,
    recordKey: (id) => `session.${checked(id)}`,
    leaseKey: (id) => `lease.${checked(id)}`,
  };
}

export const RECORDS = 'session.>';
export const LEASES = 'lease.>';

/** The session and generation of a subject. */
export function parseSubject(subject: string): { readonly id: string; readonly generation: string } {
  const [, , id = '', generation = ''] = subject.split('.');
  return { id, generation };
}

export function idOfKey(key: string): string {
  return key.slice(key.indexOf('.') + 1);
}

/** Names in the bucket of objects. */
export const OBJECT = {
  blobs: 'blobs/',
  documents: 'documents/',
  quarantine: 'quarantine/',
  blob: (sha256: string) => `blobs/${sha256}`,
  document: (id: string, kind: DocumentKind) => `documents/${documentName(id, kind)}`,
  suspect: (name: string) => `documents/${name}`,
  quarantined: (name: string) => `quarantine/${name}`,
} as const;

/** @throws OllmError SESSION_ID_INVALID */
function checked(id: string): string {
  journalName(id);
  return id;
}
