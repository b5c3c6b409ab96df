/** The study of a scale, for `models` and `plan`. */
import type { Study } from '../../bench/study/index.ts'
import type { Flag, Input } from './command.ts'
import { projectConfig } from './config.ts'

export const scaleFlag: Record<string, Flag> = {
  scale: {
    value: 'NAME',
    help: 'smoke, embedded, chat, small or paper; UWBENCH_SCALE or embedded by default',
  },
}

export async function studyOfInput(input: Input): Promise<Study> {
  const { studyOf } = await import('../../bench/study/index.ts')
  return studyOf(input.flag('scale'), await projectConfig())
}

/** 12.3 GB */
export function size(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB']
  const power = bytes === 0 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3))
  const value = bytes / 1000 ** power
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[power]}`
}
