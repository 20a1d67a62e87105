import { textsFold } from '../../lib/catalog/session-texts.ts';
import { surveyFold } from '../../lib/exporters/head-fold.ts';
import { auditFold } from '../../lib/projections/audit.ts';
import { fileChangesFold } from '../../lib/projections/file-changes.ts';
import { DEFAULT_LOOP_CONFIG } from '../../lib/projections/loop.ts';
import { createFiringsFold } from '../../lib/projections/loop-firings.ts';
import { outlineFold } from '../../lib/projections/outline.ts';
import { sessionFold } from '../../lib/projections/session.ts';
import { foldsFor } from '../../lib/session/states.ts';

const { openEnds, ...states } = foldsFor();
const FOLDS = [
  ...Object.values(states),
  ...[sessionFold, outlineFold, auditFold, fileChangesFold, surveyFold],
  createFiringsFold(DEFAULT_LOOP_CONFIG),
  textsFold({ outputs: true, clean: (text) => text }),
].map(({ name, reads }) => [name, reads as readonly string[]] as const);

it.each(FOLDS)(
  'pieces of an answer have no effect on the state %s, of views, lists, exports and searches',
  (_, reads) => {
    expect(reads).not.toContain('message.streamed');
  },
);

it('pieces of an answer are read when a killed session is closed', () => {
  expect(openEnds.reads).toContain('message.streamed');
});
