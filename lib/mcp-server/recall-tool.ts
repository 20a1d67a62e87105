// `recall`: the tool of that name that models of ollm have, for a client of the server.
import type { App } from '../app/app.ts';
import { hiddenBy } from '../app/policy/hidden-by.ts';
import { standingPolicy } from '../app/policy/project-policy.ts';
import { type FoundPassage, recall } from '../app/recall/recall.ts';
import { recallTool as ownTool, type RecallPort } from '../tools/builtin/recall.ts';
import { catchUp } from './catch-up.ts';
import type { ServedScope } from './client-scope.ts';
import type { ServedTool } from './served-tool.ts';

const UPDATE_MS = 10_000;
const VECTOR_MS = 3_000;

/** Undefined for sessions in memory, which have no index. */
export async function recallTool(app: App, { project }: ServedScope): Promise<ServedTool | undefined> {
  if ((await app.passages()) === undefined) return undefined;
  const policy = await standingPolicy(app);
  const port: RecallPort = {
    async find(question, { kind, limit, signal }) {
      const isHidden = hiddenBy(app, policy);
      const isLeftOut = (passage: FoundPassage) => isHidden(passage);
      return recall(
        app,
        { text: question, limit, scope: { project, kind }, isLeftOut },
        { signal, updateMs: UPDATE_MS, vectorMs: VECTOR_MS, waitMs: 0 },
      );
    },
  };
  const tool = ownTool(port);
  const place = { root: app.paths.project, cwd: app.cwd };
  return {
    name: tool.name,
    title: 'Recall',
    description: tool.description,
    parameters: tool.parameters,
    async run(args, signal) {
      const missing = await catchUp(app, signal);
      const plan = await tool.plan(args, place);
      const { content } = await plan.run({ signal, runProgram: refuse, onProgress: () => undefined });
      return { quoted: String(content), notes: missing === undefined ? [] : [missing] };
    },
  };
}

function refuse(): never {
  throw new Error('recall starts no program');
}
