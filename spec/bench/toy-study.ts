/** A study on the toy model: every protocol in seconds, with the same code as the real ones. */
import { embeddedStudy, type Study } from '../../src/bench/entry.ts'
import { dipmark, expEdit, kgw, mcmark } from '../../src/watermarks/entry.ts'

const toy = { id: 'toy' }

export function toyStudy(texts = 6): Study {
  const { more: _, name: __, ...study } = embeddedStudy()
  const [summarization, translation] = study.tasks
  return {
    ...study,
    scale: 'toy',
    temperature: 1,
    batch: 4,
    watermarks: [
      kgw({ delta: 2 }),
      dipmark({ alpha: 0.4 }),
      mcmark({ channels: 10 }),
      expEdit({ keyLength: 32 }),
    ],
    tasks: [
      {
        ...summarization!,
        model: toy,
        data: 'toy',
        prompts: texts,
        tokens: 12,
        metrics: ['ROUGE-1', 'Perplexity', 'Excess surprise'],
      },
      { ...translation!, model: toy, data: 'toy', prompts: texts, tokens: 12, metrics: ['BLEU'] },
    ],
    repeated: { prompts: 2, generations: 6, perplexityBound: 200 },
    open: { models: [toy], data: ['toy'], prompts: texts, tokens: 60, lengths: [20, 40] },
    attacks: [
      { id: 'rewrite(strength=0.6,span=5)', label: 'LM rewrite', paper: 'DIPPER' },
      { id: 'replace(rate=0.3)', label: 'Random 30%', paper: 'Random 30%' },
      { id: 'replace(rate=0.2)', label: 'Random 20%', paper: 'Random 20%' },
      { id: 'replace(rate=0.1)', label: 'Random 10%', paper: 'Random 10%' },
      { id: 'insert(rate=0.1)', label: 'Insert 10%' },
    ],
    spread: { texts: 3, trials: 2, variants: ['rewrite(strength=0.3,span=5)'] },
    human: {
      data: 'toy',
      passages: 5,
      keys: 3,
      joined: { passages: 2, tokens: 30, keys: 2 },
      corpus: { data: 'toy', texts: 6, keys: 2 },
    },
    certify: { texts: 3, step: 4 },
    alignment: { texts: 3, runs: 19, attackedRuns: 19 },
    settings: ['A toy.'],
  }
}
