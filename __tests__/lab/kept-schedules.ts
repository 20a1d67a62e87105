// Schedules that once showed a fault, of the program or of the model. Each runs again in every test run.
import type { Schedule } from './schedule.ts';

export interface KeptSchedule {
  /** What must hold, as a sentence that goes on from "keeps its promises". */
  readonly name: string;
  readonly schedule: Schedule;
}

export const KEPT_SCHEDULES: readonly KeptSchedule[] = [
  {
    name: 'where a state file knows lines that were never synced, and the crash took some of them and left the last',
    schedule: {
      seed: 1868813743,
      capacityBytes: undefined,
      steps: [
        { do: 'create', by: 0, id: 'alpha', as: 'session', policy: 'process' },
        {
          do: 'append',
          by: 0,
          id: 'alpha',
          batches: [
            { count: 4, bytes: 100, level: 'process', kind: 'noted', isKeyed: false },
            { count: 3, bytes: 600, level: 'process', kind: 'noted', isKeyed: false },
          ],
        },
        { do: 'close', by: 0, id: 'alpha' },
        { do: 'crash' },
        { do: 'recover' },
        { do: 'open', by: 0, id: 'alpha', as: 'session', policy: 'process' },
        { do: 'crash' },
      ],
    },
  },
  {
    name: 'where the same happens to a session that is saved in between and opened twice',
    schedule: {
      seed: 1073212663,
      capacityBytes: undefined,
      steps: [
        { do: 'create', by: 0, id: 'alpha', as: 'session', policy: 'process' },
        {
          do: 'append',
          by: 0,
          id: 'alpha',
          batches: [
            { count: 3, bytes: 600, level: 'process', kind: 'tool', isKeyed: false },
            { count: 2, bytes: 3000, level: 'process', kind: 'noted', isKeyed: false },
            { count: 2, bytes: 10, level: 'process', kind: 'noted', isKeyed: false },
          ],
        },
        {
          do: 'append',
          by: 0,
          id: 'alpha',
          batches: [{ count: 1, bytes: 10, level: 'process', kind: 'noted', isKeyed: false }],
        },
        { do: 'save', by: 0, id: 'alpha' },
        { do: 'crash' },
        {
          do: 'append',
          by: 0,
          id: 'alpha',
          batches: [{ count: 1, bytes: 0, level: 'process', kind: 'noted', isKeyed: false }],
        },
        { do: 'close', by: 0, id: 'alpha' },
        { do: 'open', by: 0, id: 'alpha', as: 'session', policy: 'process' },
      ],
    },
  },
  {
    name: 'where a crash leaves no readable line of a journal that was never synced: opening it is refused, with the reason',
    schedule: {
      seed: 8,
      capacityBytes: undefined,
      steps: [
        { do: 'create', by: 1, id: 'alpha', as: 'writer', policy: 'process' },
        {
          do: 'append',
          by: 1,
          id: 'alpha',
          batches: [{ count: 2, bytes: 3000, level: 'process', kind: 'noted', isKeyed: false }],
        },
        { do: 'crash' },
        { do: 'open', by: 0, id: 'alpha', as: 'writer', policy: 'barrier' },
      ],
    },
  },
  {
    name: 'where a crash leaves a blank line, so that the journal is repaired: its archive holds every byte',
    schedule: {
      seed: 0,
      capacityBytes: undefined,
      steps: [
        { do: 'crash' },
        { do: 'fault', fault: { operation: 'dataSync', at: 1, error: 'EDQUOT', forGood: false, after: false } },
        { do: 'create', by: 0, id: 'alpha', as: 'writer', policy: 'always' },
        { do: 'fault', fault: { operation: 'any', at: 21, error: 'crash', forGood: false, after: true } },
        { do: 'create', by: 0, id: 'beta', as: 'session', policy: 'process' },
        { do: 'kill', by: 0 },
      ],
    },
  },
  {
    name: 'where a deletion fails after its rename and the session is then purged: a crash does not bring it back',
    schedule: {
      seed: 0,
      capacityBytes: undefined,
      steps: [
        { do: 'create', by: 0, id: 'beta', as: 'writer', policy: 'barrier' },
        { do: 'crash' },
        { do: 'fault', fault: { operation: 'rename', at: 1, error: 'EACCES', forGood: false, after: true } },
        { do: 'trash', by: 0, id: 'beta' },
        { do: 'purge', by: 0, id: 'beta' },
        { do: 'crash' },
      ],
    },
  },
  {
    name: 'where a deletion cannot sync the journal and dies before it moves it: who opens it then does not trust the device',
    schedule: {
      seed: 0,
      capacityBytes: undefined,
      steps: [
        { do: 'fault', fault: { operation: 'write', at: 2, error: 'EIO', forGood: false, after: true } },
        { do: 'fault', fault: { operation: 'dataSync', at: 1, error: 'EIO', forGood: false, after: false } },
        { do: 'fault', fault: { operation: 'readDirectory', at: 1, error: 'kill', forGood: false, after: false } },
        { do: 'create', by: 0, id: 'beta', as: 'session', policy: 'process' },
        { do: 'trash', by: 0, id: 'beta' },
        {
          do: 'append',
          by: 0,
          id: 'beta',
          batches: [{ count: 1, bytes: 0, level: 'process', kind: 'noted', isKeyed: false }],
        },
        { do: 'crash' },
      ],
    },
  },
  {
    name: 'where a repair keeps a whole line of another journal, which an old block brought back',
    schedule: {
      seed: 23,
      capacityBytes: undefined,
      steps: [
        { do: 'create', by: 0, id: 'alpha', as: 'writer', policy: 'barrier' },
        {
          do: 'append',
          by: 0,
          id: 'alpha',
          batches: [
            { count: 1, bytes: 0, level: 'process', kind: 'noted', isKeyed: false },
            { count: 3, bytes: 600, level: 'process', kind: 'noted', isKeyed: false },
          ],
        },
        { do: 'recover' },
        { do: 'create', by: 0, id: 'beta', as: 'writer', policy: 'process' },
        { do: 'repair', by: 0, id: 'alpha' },
        {
          do: 'append',
          by: 0,
          id: 'alpha',
          batches: [
            { count: 4, bytes: 100, level: 'process', kind: 'noted', isKeyed: false },
            { count: 1, bytes: 100, level: 'process', kind: 'noted', isKeyed: false },
            { count: 3, bytes: 100, level: 'disk', kind: 'noted', isKeyed: false },
          ],
        },
        {
          do: 'append',
          by: 0,
          id: 'beta',
          batches: [{ count: 2, bytes: 10, level: 'process', kind: 'noted', isKeyed: false }],
        },
        { do: 'crash' },
      ],
    },
  },
  {
    name: 'where a power cut brings back a fork whose sync of the directory had failed',
    schedule: {
      seed: 0,
      capacityBytes: undefined,
      steps: [
        { do: 'create', by: 0, id: 'beta', as: 'session', policy: 'barrier' },
        {
          do: 'append',
          by: 0,
          id: 'beta',
          batches: [{ count: 1, bytes: 0, level: 'process', kind: 'noted', isKeyed: false }],
        },
        { do: 'close', by: 0, id: 'beta' },
        { do: 'fault', fault: { operation: 'syncDirectory', at: 2, error: 'EIO', forGood: false, after: true } },
        { do: 'fork', by: 0, id: 'beta', to: 'alpha' },
        { do: 'crash' },
        { do: 'close', by: 0, id: 'alpha' },
      ],
    },
  },
  {
    name: 'where a write ends right before the LF of its line, and the journal is read before it is written again',
    schedule: {
      seed: 2147483624,
      capacityBytes: undefined,
      steps: [
        { do: 'create', by: 0, id: 'alpha', as: 'writer', policy: 'barrier' },
        { do: 'fault', fault: { operation: 'write', at: 1, error: 'EIO', forGood: false, after: true } },
        {
          do: 'append',
          by: 0,
          id: 'alpha',
          batches: [
            { count: 3, bytes: 10, level: 'process', kind: 'noted', isKeyed: false },
            { count: 2, bytes: 600, level: 'process', kind: 'noted', isKeyed: true },
          ],
        },
        { do: 'crash' },
        { do: 'crash' },
        {
          do: 'append',
          by: 0,
          id: 'alpha',
          batches: [
            { count: 1, bytes: 600, level: 'process', kind: 'noted', isKeyed: false },
            { count: 3, bytes: 600, level: 'process', kind: 'noted', isKeyed: false },
            { count: 1, bytes: 100, level: 'process', kind: 'noted', isKeyed: false },
          ],
        },
        { do: 'fault', fault: { operation: 'write', at: 2, error: 'EIO', forGood: false, after: true } },
        {
          do: 'append',
          by: 0,
          id: 'alpha',
          batches: [
            { count: 1, bytes: 600, level: 'process', kind: 'noted', isKeyed: false },
            { count: 1, bytes: 0, level: 'process', kind: 'noted', isKeyed: false },
          ],
        },
        { do: 'retry', by: 0, id: 'alpha' },
      ],
    },
  },
  {
    name: 'where a crash brings old blocks back after a line of zeros whose number can still be read',
    schedule: {
      seed: 4,
      capacityBytes: undefined,
      steps: [
        { do: 'create', by: 0, id: 'alpha', as: 'session', policy: 'barrier' },
        { do: 'recover' },
        { do: 'backup', id: 'alpha' },
        { do: 'open', by: 1, id: 'alpha', as: 'session', policy: 'barrier' },
        {
          do: 'append',
          by: 1,
          id: 'alpha',
          batches: [
            { count: 1, bytes: 3000, level: 'disk', kind: 'answer', isKeyed: false },
            { count: 3, bytes: 100, level: 'process', kind: 'message', isKeyed: false },
            { count: 3, bytes: 3000, level: 'process', kind: 'message', isKeyed: false },
          ],
        },
        { do: 'crash' },
      ],
    },
  },
  {
    name: 'where a crash writes an old block into a line whose number can still be read before it',
    schedule: {
      seed: 1955051753,
      capacityBytes: undefined,
      steps: [
        { do: 'create', by: 0, id: 'alpha', as: 'session', policy: 'barrier' },
        { do: 'recover' },
        { do: 'backup', id: 'alpha' },
        {
          do: 'append',
          by: 0,
          id: 'alpha',
          batches: [
            { count: 4, bytes: 600, level: 'process', kind: 'piece', isKeyed: false },
            { count: 4, bytes: 100, level: 'process', kind: 'noted', isKeyed: true },
          ],
        },
        { do: 'crash' },
      ],
    },
  },
];
