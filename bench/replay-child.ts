// Replays a journal by the library and ends without a word: the floor of taking up a session whose state file is lost.
import { replay } from '../lib/projections/replay.ts';
import { viewFold } from '../lib/projections/view.ts';
import { foldsFor } from '../lib/session/states.ts';
import { openStore } from './sessions.ts';

export interface ReplayOrder {
  readonly directory: string;
  readonly id: string;
  /** All states that a session keeps, or what the model is sent next alone. */
  readonly to: 'all' | 'view';
}

/** As a session trims them whose model's window nobody knows. */
const CAP_TOKENS = 262_144;

const { directory, id, to } = JSON.parse(process.argv[2]!) as ReplayOrder;
const reader = openStore(directory).openReader(id);
if (to === 'all') replay(reader, foldsFor(), { capTokens: CAP_TOKENS });
else replay(reader, { view: viewFold }, { capTokens: CAP_TOKENS });
reader.close();
