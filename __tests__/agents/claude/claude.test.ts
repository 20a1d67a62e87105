import { claude } from '../../../lib/agents/claude/claude.ts';
import { describeAgent } from '../contract.ts';

describeAgent(claude, { real: (path) => /\/claude\/.*\.jsonl$/.test(path) && !path.includes('/stream-json/') });
