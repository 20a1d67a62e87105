import { providerContract } from '../provider.contract.ts';
import { subjectOf } from '../vendor-scenes.ts';
import { messages } from './dialect.ts';

providerContract('anthropic', subjectOf(messages));
