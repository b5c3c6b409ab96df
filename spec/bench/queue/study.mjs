// A study of seconds on the toy model, from the built package: processes start faster than from the sources.
import { embeddedStudy, paperExperiments } from '../../../dist/bench/index.js'
import { dipmark, kgw, mcmark } from '../../../dist/index.js'

const toy = { id: 'toy' }

export function experiment() {
  const { more: _, name: __, ...study } = embeddedStudy()
  const task = { ...study.tasks[1], model: toy, data: 'toy', prompts: 4, tokens: 8, metrics: ['BLEU'] }
  return paperExperiments({
    ...study,
    scale: 'toy',
    temperature: 1,
    batch: 2,
    watermarks: [kgw({ delta: 2 }), dipmark({ alpha: 0.4 }), mcmark({ channels: 10 })],
    tasks: [task],
    repeated: { prompts: 2, generations: 2, perplexityBound: 200 },
    open: { models: [toy], data: ['toy'], prompts: 6, tokens: 30, lengths: [20] },
    attacks: [
      { id: 'replace(rate=0.3)', label: 'Random 30%', paper: 'Random 30%' },
      { id: 'insert(rate=0.1)', label: 'Insert 10%' },
    ],
    human: { data: 'toy', passages: 2, keys: 1 },
    certify: { texts: 2, step: 4 },
    settings: ['A toy.'],
  }).table4
}
