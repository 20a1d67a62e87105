import { providerContract } from '../provider.contract.ts';
import { subjectOf } from '../vendor-scenes.ts';
import { generateContent } from './dialect.ts';

providerContract('gemini', subjectOf(generateContent));
