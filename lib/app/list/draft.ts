// The row of a session of another program while a list is made: what its directory and the catalogue say, and what is
// left to read in its file.
import type { Agent, Source } from '../../agents/agent.ts';
import type { SourceFile } from '../../catalog/index-session.ts';
import type { CataloguedSession } from '../../catalog/listed-sessions.ts';
import type { FoundSources } from '../../hub/find-sources.ts';
import type { AnyRow } from './any-row.ts';

/** A row that may lack what only a look into the file tells. */
export interface RowDraft {
  readonly row: AnyRow;
  /** What there is to read. */
  readonly unread?: UnreadSource | undefined;
  /** The file as it was when it was looked at; undefined where there is none. */
  readonly looked?: Looked | undefined;
}

/** What is found of one program. */
export interface FoundDrafts {
  /** The name of the program. */
  readonly agent: string;
  readonly drafts: readonly RowDraft[];
  /** Their ids. */
  readonly subagents: readonly string[];
  readonly unreadable: FoundSources['unreadable'];
}

export interface Looked {
  readonly agent: Agent;
  readonly source: Source;
  readonly file: SourceFile | undefined;
  readonly known: CataloguedSession | undefined;
}

export interface UnreadSource {
  readonly agent: Agent;
  readonly source: Source;
  readonly file: SourceFile | undefined;
}
