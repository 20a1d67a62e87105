// The prompts to an agent, one after the other: the streams of real programs were recorded with them, and are played
// again by them.
import type { AgentProcess, AgentQuestion, AgentSignal, AgentTurnEnd } from '../../../lib/runs/runner.ts';
import type { ScriptedCall, ScriptedTurn } from '../../support/scripted-turn.ts';

export interface Scene {
  readonly name: 'text' | 'allowed' | 'denied' | 'edit' | 'cancelled' | 'failed';
  readonly prompt: string;
  /** What its user answers to a question. Default: yes. */
  readonly answer?: 'deny' | undefined;
  readonly cancelsAtText?: true | undefined;
}

export const SCENES: readonly Scene[] = [
  { name: 'text', prompt: 'Which port does the server take?' },
  { name: 'allowed', prompt: 'Make the file now.' },
  { name: 'denied', prompt: 'Make the file once more.', answer: 'deny' },
  { name: 'edit', prompt: 'Write the notes.' },
  { name: 'cancelled', prompt: 'List the ports below 2200.', cancelsAtText: true },
  { name: 'failed', prompt: 'Ask the model that is out of order.' },
];

export const ANSWERS = { text: 'The server takes port 4711.', thinking: 'The settings name it.' } as const;
export const COMMAND = 'echo run >> made.txt && cat made.txt';
export const NOTES = 'The harbour light is green.\n';

/** As the model server has them. */
export function turnsOf(run: ScriptedCall, edit: ScriptedCall): readonly ScriptedTurn[] {
  const ports = Array.from({ length: 60 }, (_, index) => `Port ${1000 + index * 20}.`).join(' ');
  const said: Record<Scene['name'], Omit<ScriptedTurn, 'prompt'>> = {
    text: { answer: ANSWERS.text, thinking: ANSWERS.thinking },
    allowed: { call: run, answer: 'It is made.' },
    denied: { call: run, answer: 'It is not made.' },
    edit: { call: edit, answer: 'They are written.' },
    cancelled: { answer: ports, isSlow: true },
    failed: { answer: 'none', fails: true },
  };
  return SCENES.map(({ name, prompt }) => ({ prompt, ...said[name] }));
}

export interface Performed {
  readonly end: AgentTurnEnd;
  readonly signals: readonly AgentSignal[];
  readonly text: string;
  readonly thinking: string;
}

/** The questions of an agent, and the scene whose user answers. */
export class Asked {
  readonly questions: AgentQuestion[] = [];
  scene: Scene | undefined;

  readonly ask = async (question: AgentQuestion): Promise<'allow' | 'deny'> => {
    this.questions.push(question);
    return this.scene?.answer ?? 'allow';
  };
}

export async function perform(process: AgentProcess, scene: Scene, asked: Asked): Promise<Performed> {
  asked.scene = scene;
  const stop = new AbortController();
  const signals: AgentSignal[] = [];
  const hear = (signal: AgentSignal) => {
    signals.push(signal);
    if (scene.cancelsAtText && signal.type === 'text') stop.abort();
  };
  const end = await process.prompt({ text: scene.prompt, images: [] }, hear, stop.signal);
  const words = (type: 'text' | 'thinking') => signals.map((each) => (each.type === type ? each.text : '')).join('');
  return { end, signals, text: words('text'), thinking: words('thinking') };
}
