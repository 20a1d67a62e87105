export { type OllamaHost, parseOllamaHost } from './host.ts';
export { createOllamaProvider, type OllamaOptions, type OllamaProbe, type OllamaProvider } from './provider.ts';
