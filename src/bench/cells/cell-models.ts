/** The models that a cell names, and where they run. */
import { namedModels } from '../../text/models/index.ts'
import type { Cell } from './cell.ts'

interface NamedRef {
  readonly id: string
  readonly device?: string
}

/** The inputs of cells that are models. */
export const MODEL_ROLES = ['paraphraser', 'model', 'judge', 'encoder'] as const

/** Returns the models of a cell; the model that writes comes first. */
export const modelsIn = (inputs: Cell['inputs']): NamedRef[] =>
  MODEL_ROLES.flatMap((role) => {
    const ref = inputs[role] as unknown as NamedRef | null | undefined
    return typeof ref?.id === 'string' ? [ref] : []
  })

/** Models with a name of our own, which are small. */
export const isNamed = (id: string): boolean => namedModels.has(id) || id === 'toy'

/** Returns the device without its number: `cuda` of `cuda:0`. */
export const kindOfDevice = (device: string): string => device.split(':')[0]!

export const deviceFor = ({ inputs }: Pick<Cell, 'inputs'>): string =>
  modelsIn(inputs)
    .map(({ device = 'cpu' }) => kindOfDevice(device))
    .find((kind) => kind !== 'cpu') ?? 'cpu'

/** Names the large models that a worker has to load for a cell, as one text; may be empty. Cells of one group share their models. */
export const groupOf = ({ inputs }: Pick<Cell, 'inputs'>): string =>
  modelsIn(inputs)
    .map(({ id }) => id)
    .filter((id) => !isNamed(id))
    .sort()
    .join(' ')
