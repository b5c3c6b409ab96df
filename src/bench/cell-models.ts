/** The models that a cell names, and where they run. */
import { namedModels } from '../models/named.ts'
import type { Cell } from './cell.ts'

interface NamedRef {
  readonly id: string
  readonly device?: string
}

/** The inputs of cells that are models. */
const ROLES = ['paraphraser', 'model', 'judge', 'encoder'] as const

/** The models of a cell, the one that writes first. */
export const modelsIn = (inputs: Cell['inputs']): NamedRef[] =>
  ROLES.flatMap((role) => {
    const ref = inputs[role] as unknown as NamedRef | null | undefined
    return typeof ref?.id === 'string' ? [ref] : []
  })

/** Models with a name of our own, which are small. */
export const isNamed = (id: string): boolean => namedModels.has(id) || id === 'toy'

/** The device without its number: `cuda` of `cuda:0`. */
export const kindOfDevice = (device: string): string => device.split(':')[0]!

/** The kind of device that a cell is for. */
export const deviceFor = ({ inputs }: Pick<Cell, 'inputs'>): string =>
  modelsIn(inputs)
    .map(({ device = 'cpu' }) => kindOfDevice(device))
    .find((kind) => kind !== 'cpu') ?? 'cpu'

/** What a worker has to load for a cell, as one text; empty where it is small. Cells of one group share their models. */
export const groupOf = ({ inputs }: Pick<Cell, 'inputs'>): string =>
  modelsIn(inputs)
    .map(({ id }) => id)
    .filter((id) => !isNamed(id))
    .sort()
    .join(' ')
