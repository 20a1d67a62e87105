// The turns of a session as spans of OpenTelemetry, one line of OTLP/JSON for each group.
import { isOnActiveBranch } from '../../projections/branches.ts';
import type { ExportHead } from '../head.ts';
import type { ExportItem } from '../item.ts';
import { addUnread, type Losses } from '../losses.ts';
import { otlpLine } from './otlp.ts';
import type { OperationSpan } from './span.ts';
import { turnSpans } from './turn-spans.ts';

interface OtelOptions {
  /** Whether texts, arguments and results are included. */
  readonly contents?: boolean | undefined;
  readonly losses: Losses;
}

export async function* exportOtel(
  items: AsyncIterable<readonly ExportItem[]>,
  { sessionId, survey }: Pick<ExportHead, 'sessionId' | 'survey'>,
  { contents, losses }: OtelOptions,
): AsyncGenerator<readonly string[], void, void> {
  const isUndone = (seq: number) => !isOnActiveBranch(survey.branches, seq);
  const spans = turnSpans({ contents, isUndone });
  const lineOf = (some: readonly OperationSpan[]) => (some.length === 0 ? [] : [otlpLine(sessionId, some)]);
  for await (const batch of items) {
    yield batch.flatMap((item) => {
      if (item.kind === 'event') return lineOf(spans.take(item.event));
      addUnread(losses, item);
      return [];
    });
  }
  yield lineOf(spans.end());
  losses.add('turn whose time is not known', 'turns whose time is not known', spans.withoutTime);
}
