// The tables of the passages. They are in a file next to the catalogue: they are derived from it and from the files of
// projects, and can be removed at any time. The number in the name of the file is that of the tables, as with the
// catalogue.
import type { DerivedFileForm } from '../catalog/derived-file.ts';
import { CATALOG_FORM } from '../catalog/schema.ts';

const NUMBER = 7;
const nameOf = (number: number) => `passages-${number}.sqlite`;
/** The name of the file. */
export const PASSAGES_NAME = nameOf(NUMBER);

/**
 * - `sources`: each file and session that was cut. `home` is the root of its project, or the directory of its store;
 *   `name` the path from there, or `agent:id`. `project` is the directory that it is about. `stamp` is what changes
 *   when the source does; it is written last. `skipped` is why a file was not read.
 * - `passages`: each text once, whatever number of places has it. `hash` is that of `about` and `text`. `about` is what
 *   a passage is found by besides its text: path and headings, or the call that an output came from.
 * - `places`: where passages are. `line` and `last_line` of a file; `key` in a session, `message` the id of its row in
 *   the catalogue, `size` its characters, `at` its time in milliseconds since 1970.
 * - `outlines`: of files that were read and not cut yet: the words of their sections as numbers, by ranking/outline.ts.
 * - `embedding`: which model made the vectors, and how many numbers each has; one row, or none where there are none.
 * - `vectors`: of a passage, as 32-bit floats; null where the model refused its text.
 * - `words`: the full-text index over the stems of `about` and `text`, by the rules of ranking/words.ts.
 */
const SCHEMA = `
  CREATE TABLE sources (
    number INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    home TEXT NOT NULL,
    name TEXT NOT NULL,
    project TEXT,
    stamp TEXT NOT NULL,
    skipped TEXT,
    UNIQUE (kind, home, name)
  ) STRICT;
  CREATE TABLE passages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    hash BLOB NOT NULL UNIQUE,
    about TEXT NOT NULL,
    text TEXT NOT NULL
  ) STRICT;
  CREATE TABLE places (
    passage INTEGER NOT NULL,
    source INTEGER NOT NULL,
    line INTEGER,
    last_line INTEGER,
    key TEXT,
    message INTEGER,
    size INTEGER,
    at INTEGER
  ) STRICT;
  CREATE INDEX places_of_passage ON places (passage);
  CREATE INDEX places_of_source ON places (source, message);
  CREATE TABLE outlines (
    home TEXT NOT NULL,
    name TEXT NOT NULL,
    stamp TEXT NOT NULL,
    outline BLOB NOT NULL,
    UNIQUE (home, name)
  ) STRICT;
  CREATE TABLE embedding (
    model TEXT NOT NULL,
    dimensions INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE vectors (
    passage INTEGER PRIMARY KEY,
    vector BLOB
  ) STRICT;
  CREATE VIRTUAL TABLE words USING fts5(
    about, text, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 0 categories 'L* N* M*'"
  );
  CREATE VIRTUAL TABLE terms USING fts5vocab(words, row);
  PRAGMA user_version = ${NUMBER};
`;

export const PASSAGES_FORM: DerivedFileForm = {
  number: NUMBER,
  nameOf,
  lockName: CATALOG_FORM.lockName,
  schema: SCHEMA,
};
