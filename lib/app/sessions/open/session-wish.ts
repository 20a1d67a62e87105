// Which session a conversation is to be held in, as a user says it: one that is named, or one to be chosen from a list.
import type { OpenRequest } from './open-session.ts';

export type SessionWish =
  | OpenRequest
  | (Omit<Extract<OpenRequest, { readonly kind: 'resume' }>, 'kind' | 'reference'> & { readonly kind: 'pick' });
