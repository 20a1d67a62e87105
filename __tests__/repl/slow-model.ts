// An Ollama on 127.0.0.1 that answers with the beginning of a text and then says nothing more, or with all of it.
import { type FaultServer, type Step, startFaultServer } from '../support/fault-server.ts';

const line = (value: object) => `${JSON.stringify(value)}\n`;
const says = (content: string) => line({ message: { role: 'assistant', content }, done: false });
const json = (value: object) => ({ type: 'application/json', steps: [JSON.stringify(value)] });

export type Reply = { readonly text: string; readonly ends: boolean };

export async function startModel({ text, ends }: Reply): Promise<FaultServer> {
  const pieces: Step[] = (text.match(/[\s\S]{1,7}/g) ?? []).map(says);
  const end = line({
    message: { role: 'assistant', content: '' },
    done: true,
    done_reason: 'stop',
    prompt_eval_count: 100,
    eval_count: 50,
  });
  return await startFaultServer({
    '/api/tags': json({ models: [{ name: 'slow:latest', size: 1 }] }),
    '/api/show': json({ model_info: { 'general.architecture': 'x', 'x.context_length': 4096 } }),
    '/api/chat': { steps: [...pieces, ends ? end : { fault: 'stall' }] },
  });
}
