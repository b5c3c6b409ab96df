/**
 * Toy models in plain TypeScript behind the interface of the real ones: exact, reproducible on every machine, a few
 * microseconds per token. A text of a batch is bit for bit the text generated alone. No Node import.
 */
export { type MarkovOptions, markovModel } from './toy/markov.ts'
export { type NgramModelOptions, ngramModel } from './toy/ngram.ts'
