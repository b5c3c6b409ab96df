/** Parts of a study that not every machine has: models fetched from npm at first use, and external programs. */
import { hasRoundTrip } from '../attacks/index.ts'
import { ModelUnavailableError } from '../models/index.ts'
import { namedModels } from '../models/named.ts'
import type { ModelRef } from './resources.ts'
import type { Study } from './study.ts'

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
async function availableParts({ tasks, attacks }: Study): Promise<Set<string>> {
  const found = new Set<string>()
  for (const { encoder } of tasks)
    if (encoder?.optional && !found.has(encoder.id) && (await hasModel(encoder))) found.add(encoder.id)
  for (const { needs } of attacks)
    if (needs !== undefined && !found.has(needs) && (await programs[needs]())) found.add(needs)
  return found
}

/** The study with those of its optional parts that can be had here; its stand-ins say which could not. */
export async function availableStudy(study: Study): Promise<Study> {
  const parts = await availableParts(study)
  return {
    ...study,
    tasks: study.tasks.map(({ encoder, ...task }) => {
      if (encoder === undefined) return task
      const { optional, ...ref } = encoder
      return optional && !parts.has(ref.id) ? task : { ...task, encoder: ref }
    }),
    attacks: study.attacks.filter(({ needs }) => needs === undefined || parts.has(needs)),
    standIns: study.standIns.filter(
      ({ where, without }) =>
        (where === undefined || parts.has(where)) && (without === undefined || !parts.has(without)),
    ),
  }
}
